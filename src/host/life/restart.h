#ifndef TEND_HOST_LIFE_RESTART_H
#define TEND_HOST_LIFE_RESTART_H

#include <stdbool.h>
#include <stdint.h>

struct control;
struct execs;
struct input;
struct messages;
struct session;
struct status_watch;
struct stop;

/*
 * Has the program started again when it has ended and its policy wants that:
 * in the same session, on the same terminal, with the same log and viewers.
 * The keeper has its command and environment, and holds the terminal until it
 * hears from us (CONTROL_RESTART, or ACK when that is the end).
 *
 * The first time after 1 s, then after twice as long each time, up to a minute;
 * a program that has lived for a minute begins anew with that.  One that has
 * failed 5 times without living so long stays down, and the manifest says so.
 * Whoever stops, kills or destroys the session ends it for good.
 *
 * What was decided is in the manifest, for the host after us.
 */
struct restart;

/* The parts that hear of the end of a run. */
struct restart_parts {
	struct input *input;
	struct messages *messages;
	struct execs *execs;
	struct status_watch *status_watch;
	struct stop *stop;
};

struct restart *restart_create(struct session *session,
    const struct restart_parts *with);
void restart_destroy(struct restart *r); /* NULL is fine */

/*
 * Whether the end that has come, with this status from wait, is not the end of
 * the session.  Asked at the end of each turn until it is, or until the program
 * runs again.
 */
bool restart_holds(struct restart *r, int status);

/* The keeper has started it, or could not. */
void restart_started(struct restart *r, const struct control *c);

/*
 * How long to wait before it is started again after so many short lives in a
 * row, this one included; -1: it stays down.  Pure.
 */
#define RESTART_FAILURES 5
#define RESTART_SOUND_MS 60000
int64_t restart_delay_ms(unsigned quick, bool failed);

#endif
