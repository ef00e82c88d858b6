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
 * terminal and the program, and starts another host if this one dies.  So
 * everything here can be restored from the ring, the log or session.json.
 *
 * A turn of the loop:
 *
 *	wait	   libuv
 *	handle	   connections, timers, control; handlers change state
 *	settle 1   pump: take the bytes [shown, head) of the ring to the engine,
 *		   as OUTPUT to the event log's list, and to server_output()
 *	settle 2   server_flush(): viewers first, the ring keeps the bytes safe
 *	settle 3   wake the event log's thread; it alone waits for the disk
 *
 * A part takes the session and the parts below it.  To call a part above it,
 * it has a table of hooks, which host.c fills in.  So only host.c, main.c and
 * the handlers of operations include this header.
 *
 * Everything here belongs to the loop thread.  The other threads are those of
 * the event log (event_log.h), which touch only the log and the ring's tail,
 * and that of the manifest writer (manifest_writer.h).
 */
struct host {
	struct session session; /* state that all parts share */

	/* In the order of src/LAYERS, lower parts first. */
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
 * Take over a session with the descriptors from its keeper (enum control_fd):
 * restore the state of the previous host, and serve.  Call host_close even
 * after an error.
 */
int host_open(struct host *h, struct error *err);
void host_close(struct host *h);

#endif
