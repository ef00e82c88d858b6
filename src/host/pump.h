#ifndef TEND_HOST_PUMP_H
#define TEND_HOST_PUMP_H

struct agent_watch;
struct ending;
struct execs;
struct handover;
struct input;
struct last_line;
struct messages;
struct server;
struct session;
struct status_watch;
struct waits;
struct wall_clock;

/*
 * Takes bytes from the ring to the engine, the log and the viewers, and ends
 * every turn (host.h).  Writes keyframes as output passes.  Other parts
 * control it through core/output_flow.h.
 */
struct pump;

/* The parts that see the output or act at the end of a turn. */
struct pump_parts {
	struct input *input;
	struct server *server;
	struct messages *messages;
	struct waits *waits;
	struct execs *execs;
	struct status_watch *status_watch;
	struct agent_watch *agent_watch;
	struct wall_clock *wall_clock;
	struct last_line *last_line;
	struct ending *ending;
	struct handover *handover;
};

struct pump *pump_create(struct session *session,
    const struct pump_parts *with);
void pump_destroy(struct pump *p); /* NULL is fine */

#endif
