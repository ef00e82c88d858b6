#ifndef TEND_HOST_HOST_H
#define TEND_HOST_HOST_H

#include "host/core/session.h"
#include "host/ops/ops.h"

struct agent_watch;
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
 *	wait	   libuv sleeps until something is ready
 *	handle	   handlers of sockets, timers and the keeper change state
 *	settle 1   the pump gives the bytes [shown, head) of the ring to the
 *		   engine, queues them for the log and calls server_output()
 *	settle 2   server_flush() sends to viewers before the bytes are in the
 *		   log: the ring keeps them, so a crash loses none
 *	settle 3   event_log_flush() wakes the log's thread, which alone waits
 *		   for the disk
 *
 * A part calls the session and the parts below it directly.  It calls parts
 * above it through a table of hooks, which host.c fills in.  So only host.c
 * and main.c include this header.
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

	struct agent_watch *agent_watch;

	struct oom *oom; /* of the session's cgroup, or NULL */
	struct stop *stop;
	struct restart *restart;
	struct ending *ending;
	struct handover *handover;
	struct keeper_link *keeper_link;

	struct op_host for_ops; /* those that handlers of operations use */
	struct pump *pump;
	struct watch *idle; /* timer of the idle timeout, or NULL */
};

/*
 * Take over a session: use the descriptors that the keeper has passed (enum
 * control_fd), restore the state of the previous host and begin to serve.
 * Returns 0, or -errno and err.  Call host_close in both cases; it writes the
 * rest of the log and frees all parts.
 */
int host_open(struct host *h, struct error *err);
void host_close(struct host *h);

#endif
