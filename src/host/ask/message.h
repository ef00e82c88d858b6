#ifndef TEND_HOST_ASK_MESSAGE_H
#define TEND_HOST_ASK_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct execs;
struct input;
struct input_done;
struct op_call;
struct server;
struct session;

/*
 * Messages that are typed and submitted as a transaction (session.prompt):
 *
 *	typing	    the text is written to the terminal
 *	settling    until the program has shown it
 *	pausing	    a key that goes before, and a moment (nudge)
 *	submitting  the key that submits is written
 *	confirming  until something has happened at the cursor; else that key
 *		    again, and nothing but that key
 *
 * How long and what exactly is in op/profile.def.  While one is under way
 * nobody else's input is written; it waits in the queue (input.h).  Several
 * are carried out one after the other.  One whose client has gone is carried
 * out all the same: half of a message is worse than a message.
 *
 * It sees frames as they are shown, and has one timer; it never looks by
 * itself.
 */
struct messages;

struct messages *messages_create(struct session *session, struct server *server,
    struct input *input, struct execs *execs);
void messages_destroy(struct messages *p); /* NULL is fine */

/* session.prompt: REQUEST_LATER, or -errno and why nothing was typed. */
int messages_ask(struct messages *p, struct op_call *call, struct error *err);

/* What is on the screen now is a frame. */
void messages_shown(struct messages *p);

/* From inside the engine: the shell has marked something (OSC 133). */
void messages_mark(struct messages *p, int mark);

/* A piece of ours, by its turn, has been written or refused. */
void messages_typed(struct messages *p, const struct input_done *done);

/* The program has ended. */
void messages_ended(struct messages *p);

/* Whether none is under way or waits. */
bool messages_are_done(const struct messages *p);

#endif
