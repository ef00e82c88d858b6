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
 *	typing	    write the text to the terminal
 *	settling    wait until the program has shown it
 *	pausing	    write a key that goes first, and wait a moment (nudge)
 *	submitting  write the submitting key
 *	confirming  wait until something happens at the cursor; otherwise
 *		    repeat that key, and nothing but that key
 *
 * op/profile.def has the times and the keys.  While a message is under way,
 * other input waits in the queue (input.h).  Messages are typed one after the
 * other.  A message is finished even if its client disconnects: half a message
 * is worse than a whole one.
 *
 * Messages act on the frames that are shown to them and on one timer; they
 * never poll.
 */
struct messages;

struct messages *messages_create(struct session *session, struct server *server,
    struct input *input, struct execs *execs);
void messages_destroy(struct messages *p); /* NULL is fine */

/*
 * session.prompt: returns REQUEST_LATER, or -errno and the reason; then
 * nothing was typed.
 */
int messages_ask(struct messages *p, struct op_call *call, struct error *err);

/* The screen is a complete frame. */
void messages_shown(struct messages *p);

/* From inside the engine: the shell has marked something (OSC 133). */
void messages_mark(struct messages *p, int mark);

/* A piece of a message was written or refused; done->reservation says which. */
void messages_typed(struct messages *p, const struct input_done *done);

/* The program has ended. */
void messages_ended(struct messages *p);

/* True if no message is under way or waits. */
bool messages_are_done(const struct messages *p);

#endif
