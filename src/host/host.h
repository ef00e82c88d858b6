#ifndef TEND_HOST_HOST_H
#define TEND_HOST_HOST_H

#include "host/core/session.h"

struct ending;
struct error;
struct execs;
struct handover;
struct input;
struct keeper_link;
struct last_line;
struct messages;
struct oom;
struct pump;
struct restart;
struct server;
struct status_watch;
struct stop;
struct waits;
struct wall_clock;
struct watch;

/*
 * tend-host: one session's log, screen and viewers.  The keeper has the
 * terminal and the program, and starts another host when this one dies, so
 * whatever is here must be found again in the ring, the log or session.json.
 *
 * A turn of the loop:
 *
 *	wait	   libuv
 *	handle	   connections, timers, control; handlers change state
 *	settle 1   pump: take the bytes [shown, head) of the ring to the engine,
 *		   as OUTPUT to the event log's list, and to server_output()
 *	settle 2   server_flush(): viewers first, the ring keeps the bytes safe
 *	settle 3   the event log's thread is woken; it alone waits for the disk
 *
 * A part takes the session and the parts below it.  A part that must tell one
 * above it has a table of hooks, which host.c fills in.  So this header is for
 * host.c, main.c and the handlers of operations only.
 *
 * Everything here is the loop thread's.  Other threads are the event log's
 * (event_log.h), which touch nothing but the log and the ring's tail, and the
 * manifest_writer's (manifest_writer.h).
 */
struct host {
	struct session session; /* the state that all parts share */

	/* From here on, lower parts come first (src/LAYERS). */
	struct last_line *last_line;
	struct wall_clock *wall_clock;
	struct input *input;

	struct server *server;
	struct status_watch *status_watch;

	struct waits *waits;
	struct execs *execs;
	struct messages *messages;

	struct oom *oom; /* of the session's cgroup, or NULL */
	struct stop *stop;
	struct restart *restart;
	struct ending *ending;
	struct handover *handover;
	struct keeper_link *keeper_link;

	struct pump *pump;
	struct watch *idle; /* timer of the idle timeout, or NULL */
};

/*
 * Take over a session from its keeper's descriptors (enum control_fd): find
 * out where the host before us was, and serve.  Call host_close also after an
 * error.
 */
int host_open(struct host *h, struct error *err);
void host_close(struct host *h);

#endif
