#ifndef TEND_HOST_LIFE_ENDING_H
#define TEND_HOST_LIFE_ENDING_H

#include <stdbool.h>
#include <stdint.h>

struct agent_watch;
struct execs;
struct input;
struct messages;
struct oom;
struct restart;
struct server;
struct session;
struct status_watch;
struct stop;

/*
 * The end of a session in steps.  A host may die after any step; the next host
 * does the rest:
 *
 *	EXIT from the keeper: all output before it is shown
 *	write `exit` to the log, once; post-mortem; last keyframe
 *	session.json has the exit status; viewers get it; ACK
 *	output of remaining processes is still logged
 *	CLOSED: all of that is in the log, viewers have their output; DONE
 */
struct ending;

/* The parts that take part in it. */
struct ending_parts {
	struct input *input;
	struct server *server;
	struct messages *messages;
	struct execs *execs;
	struct status_watch *status_watch;
	struct agent_watch *agent_watch;
	struct restart *restart;
	struct stop *stop;
	struct oom *oom; /* or NULL */
};

struct ending *ending_create(struct session *session,
    const struct ending_parts *with);
void ending_destroy(struct ending *e); /* NULL is fine */

/*
 * `lost`: the host could not wait for the program, so its status is unknown.
 */
void ending_exit(struct ending *e, int status, uint64_t offset, bool lost);
void ending_closed(struct ending *e, uint64_t offset);

/* Called at the end of each turn: take the steps that are possible now. */
void ending_settle(struct ending *e);

/* After the loop, when the log is closed: take the last step if it is due. */
void ending_conclude(struct ending *e);

#endif
