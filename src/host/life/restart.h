#ifndef TEND_HOST_LIFE_RESTART_H
#define TEND_HOST_LIFE_RESTART_H

#include <stdbool.h>
#include <stdint.h>

struct agent_watch;
struct control;
struct execs;
struct input;
struct messages;
struct session;
struct status_watch;
struct stop;

/*
 * Restarts a program that has ended, if its policy says so: in the same
 * session, on the same terminal, with the same log and viewers.  The keeper
 * has its command and environment, and holds the terminal until this host
 * answers (CONTROL_RESTART, or ACK if the session ends).
 *
 * The first restart comes after 1 s; each further delay is twice as long, up
 * to a minute.  After a minute of life the delay is 1 s again.  A program that
 * fails 5 times without living so long stays down, and the manifest says so.
 * Stopping, killing or destroying the session ends it for good.
 *
 * The manifest has the decision, for the next host.
 */
struct restart;

/* The parts that must know when a run ends. */
struct restart_parts {
	struct input *input;
	struct messages *messages;
	struct execs *execs;
	struct status_watch *status_watch;
	struct agent_watch *agent_watch;
	struct stop *stop;
};

struct restart *restart_create(struct session *session,
    const struct restart_parts *with);
void restart_destroy(struct restart *r); /* NULL is fine */

/*
 * True if the session goes on after this end, with this status from wait.
 * Called at the end of each turn until it returns false or the program runs
 * again.
 */
bool restart_holds(struct restart *r, int status);

/* The keeper has started the program, or could not. */
void restart_started(struct restart *r, const struct control *c);

/*
 * The delay before the next restart, after `quick` short lives in a row
 * including this one; -1: the program stays down.  Pure.
 */
#define RESTART_FAILURES 5
#define RESTART_SOUND_MS 60000
int64_t restart_delay_ms(unsigned quick, bool failed);

#endif
