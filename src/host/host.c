#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/agent/agent_watch.h"
#include "host/ask/exec.h"
#include "host/ask/message.h"
#include "host/ask/waits.h"
#include "host/core/events.h"
#include "host/input/input.h"
#include "host/life/ending.h"
#include "host/life/handover.h"
#include "host/life/keeper_link.h"
#include "host/life/restart.h"
#include "host/life/restore.h"
#include "host/life/stop.h"
#include "host/life/trial.h"
#include "host/pump.h"
#include "host/serve/server.h"
#include "host/serve/status_watch.h"
#include "host/store/event_log.h"
#include "host/store/manifest_writer.h"
#include "host/store/notice_board.h"
#include "host/stream/last_line.h"
#include "host/stream/notices.h"
#include "host/stream/wall_clock.h"
#include "host/system/oom.h"
#include "host/system/sandbox.h"
#include "keep/control.h"
#include "op/ledger.h"
#include "vt/vt.h"

#define LATE_MS 1000

/* Update the manifest with the state of the parts. */
static void
bring_up_to_date(void *arg)
{
	struct host *h = arg;
	struct manifest *m = &h->session.manifest;

	if (h->session.event_log != NULL) {
		m->seq = event_log_seq(h->session.event_log);
		m->logged_seq = event_log_written(h->session.event_log);
		m->logged_offset = event_log_written_offset(
		    h->session.event_log);
		m->log_bytes = event_log_bytes(h->session.event_log);
		m->log_newest = event_log_newest(h->session.event_log);
	}
	m->offset = h->session.display.shown;
	if (h->server != NULL)
		m->observers = (int)server_viewers(h->server);
	if (h->session.display.vt == NULL)
		return;
	last_line_of(h->session.display.vt, m->last_line, sizeof(m->last_line));
	notices_title(m, vt_title(h->session.display.vt));
}

static void
write_board(void *arg)
{
	struct host *h = arg;

	session_write(&h->session);
}

static const struct session_hooks session_hooks = {
	.on_save = bring_up_to_date,
};

/* Hooks of the display. */

static void
on_reply(void *arg, const char *p, size_t len)
{
	struct host *h = arg;

	input_reply(h->input, p, len);
}

static void
on_event(void *arg, const struct vt_event *ev)
{
	struct host *h = arg;

	if (ev->type == VT_EVENT_PROGRAM)
		status_watch_changed(h->status_watch);
	if (notices_event(&h->session.manifest, ev))
		session_save_later(&h->session);
	if (ev->type == VT_EVENT_MARK)
		messages_mark(h->messages, ev->number);
	server_vt_event(h->server, ev);
	waits_event(h->waits, ev);
}

static void
on_change(void *arg)
{
	struct host *h = arg;

	waits_catch_up(h->waits);
}

static void
on_resized(void *arg)
{
	struct host *h = arg;

	waits_resized(h->waits);
	server_resized(h->server);
}

static void
on_replaced(void *arg)
{
	struct host *h = arg;

	status_watch_changed(h->status_watch);
	server_engine_changed(h->server);
	waits_engine_changed(h->waits);
}

static const struct display_hooks display_hooks = {
	.on_reply = on_reply,
	.on_event = on_event,
	.on_change = on_change,
	.on_resized = on_resized,
	.on_replaced = on_replaced,
};

/* Hooks of the input. */

static void
on_input_done(void *arg, const struct input_done *done)
{
	struct host *h = arg;

	if (done->reservation != 0)
		messages_typed(h->messages, done);
	else
		server_typed(h->server, done);
}

static void
on_input_typed(void *arg, const uint8_t *p, size_t len)
{
	struct host *h = arg;

	waits_typed(h->waits, p, len);
}

static const struct input_hooks input_hooks = {
	.on_done = on_input_done,
	.on_typed = on_input_typed,
};

/* Hooks of the server. */

static void
on_client_gone(void *arg, uint64_t client)
{
	const struct host *h = arg;

	waits_forget(h->waits, client);
}

static void
on_client_leaves(void *arg, uint64_t client)
{
	const struct host *h = arg;

	waits_leave(h->waits, client);
	execs_leave(h->execs, client);
}

static void
on_client_typed(void *arg, const uint8_t *p, size_t len)
{
	const struct host *h = arg;

	execs_typed(h->execs, p, len);
}

static bool
has_typed_messages(const void *arg)
{
	const struct host *h = arg;

	return messages_are_done(h->messages);
}

static const struct server_hooks server_hooks = {
	.on_client_gone = on_client_gone,
	.on_client_leaves = on_client_leaves,
	.on_typed = on_client_typed,
	.has_typed_messages = has_typed_messages,
};

/*
 * The idle timeout.  A late timer means that the host was stopped (SIGSTOP).
 * Output of that time is not taken yet, so the session gets a moment more.
 */
static void
on_idle(void *arg)
{
	struct host *h = arg;
	int64_t limit = (int64_t)h->session.manifest.idle_timeout_s * 1000;
	int64_t left = h->session.active_ms + limit - clock_ms(CLOCK_MONOTONIC);

	if (left < -LATE_MS) {
		h->session.active_ms += LATE_MS - left;
		left = LATE_MS;
	}
	if (left > 0)
		watch_rearm(h->idle, left);
	else if (h->session.manifest.status == STATUS_RUNNING)
		stop_politely(h->stop, STOP_GRACE_MS, false, "idle-timeout",
		    NULL);
}

/* Hooks of the event log. */

static void
on_unlogged(void *arg, bool unlogged, int64_t since_ms, int error)
{
	struct host *h = arg;

	h->session.log_error = error;
	log_write(&h->session.log, unlogged ? LOG_WARN : LOG_INFO,
	    unlogged ? "the log is behind" : "the log goes on",
	    log_str("error", error == 0 ? "" : strerror(error)));
	server_unlogged(h->server, since_ms);
	if (unlogged)
		return;
	/* Readers must open the log that is written now. */
	restore_find_log(&h->session);
	/* The disk may now accept the session.json that it refused before. */
	session_save(&h->session);
}

static void
on_opened(void *arg, const struct log_end *end)
{
	struct host *h = arg;

	restore_write_opened(&h->session, end);
}

static void
on_rotate(void *arg)
{
	struct host *h = arg;

	event_rotate(&h->session);
	server_rotated(h->server);
	output_flow_keyframe_done(&h->session.output_flow);
}

static void
on_gap(void *arg, uint64_t offset, uint64_t bytes)
{
	struct host *h = arg;

	event_keyframe(&h->session, true);
	if (bytes == 0)
		return;
	log_write(&h->session.log, LOG_WARN, "output is missing in the log",
	    log_int("offset", (int64_t)offset),
	    log_int("bytes", (int64_t)bytes));
}

static void
on_trimmed(void *arg, uint64_t seq, uint64_t offset)
{
	struct host *h = arg;

	event_trimmed(&h->session, seq, offset);
}

static void
on_trouble(void *arg, const char *what, int error)
{
	struct host *h = arg;

	log_write(&h->session.log, LOG_ERROR, "trouble with the log",
	    log_str("what", what), log_str("error", strerror(error)));
	event_trouble(&h->session, what, strerror(error));
}

static const struct event_log_ops event_log_ops = {
	.unlogged = on_unlogged,
	.opened = on_opened,
	.rotate = on_rotate,
	.gap = on_gap,
	.trimmed = on_trimmed,
	.trouble = on_trouble,
};

/* The kernel killed a process of the session because memory ran out. */
static void
on_oom(void *arg, const struct oom_kill *k)
{
	struct host *h = arg;

	event_oom(&h->session, k);
	log_write(&h->session.log, LOG_WARN, "out of memory",
	    log_str("process", k->name), log_int("pid", k->pid));
	server_text_event(h->server, WIRE_EVENT_OOM, k->name);
}

/* Start and end. */

static void
take_descriptors(struct host *h)
{
	*h = (struct host){
		.session = {
			.dirfd = CONTROL_DIR,
			.log_dirfd = -1,
			.control = CONTROL_FD,
			.log = { .fd = -1, .least = LOG_INFO },
			.terminal = {
				.master = CONTROL_MASTER,
				.output_fd = CONTROL_OUTPUT,
				.room_fd = CONTROL_ROOM,
			},
			.display = { .hooks = &display_hooks, .arg = h },
			.hooks = &session_hooks,
			.arg = h,
		},
	};
	for (int fd = CONTROL_FD; fd < CONTROL_FDS_END; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void
take_processes(struct host *h, const struct control *hello)
{
	struct manifest *m = &h->session.manifest;

	h->session.keeper_version = hello->u.hello.version;
	m->keeper.pid = hello->u.hello.keeper_pid;
	m->keeper.start = hello->u.hello.keeper_start;
	m->child.pid = hello->u.hello.child_pid;
	m->child.start = hello->u.hello.child_start;
	m->host.pid = getpid();
	m->host.start = process_start_time(getpid());
	h->session.began_ns = m->began_ns = hello->u.hello.began_ns;
	if (m->status == STATUS_STARTING)
		m->status = STATUS_RUNNING;
}

static int
read_session(struct host *h, struct control *hello, struct error *err)
{
	int rc;

	take_processes(h, hello);
	rc = ring_map(&h->session.terminal.ring, CONTROL_RING);
	if (rc < 0)
		return error_set(err, -rc, "no ring: %s", strerror(-rc));
	h->session.loop = loop_create();
	if (h->session.loop == NULL)
		return error_set(err, errno, "no loop");
	turn_init(&h->session.turn, h->session.loop);
	output_flow_init(&h->session.output_flow, h->session.loop,
	    &h->session.terminal.ring);
	return 0;
}

/* The parts that clients and their operations work with. */
static int
create_service(struct host *h, struct error *err)
{
	struct session *session = &h->session;

	h->input = input_create(session, &input_hooks, h);
	h->server = server_create(
	    &(struct server_config){
		.session = session,
		.input = h->input,
		.listen = CONTROL_LISTEN,
		.hooks = &server_hooks,
		.arg = h,
		.handlers = op_handlers,
		.host = &h->for_ops,
	    },
	    err);
	if (h->server == NULL)
		return -EIO;
	h->status_watch = status_watch_create(session, h->server);
	h->waits = waits_create(session, h->server);
	h->execs = execs_create(session, h->server, h->input);
	h->messages = messages_create(session, h->server, h->input, h->execs);
	h->agent_watch = agent_watch_create(session, h->server, h->waits);
	return 0;
}

/* The parts that follow the program's life and end the session. */
static void
create_life(struct host *h)
{
	struct session *session = &h->session;

	if (session->manifest.cgroup != NULL)
		h->oom = oom_create(session->loop, session->manifest.cgroup,
		    on_oom, h);
	h->stop = stop_create(session, h->server);
	h->restart = restart_create(session,
	    &(struct restart_parts){
		.input = h->input,
		.messages = h->messages,
		.execs = h->execs,
		.status_watch = h->status_watch,
		.agent_watch = h->agent_watch,
		.stop = h->stop,
	    });
	h->ending = ending_create(session,
	    &(struct ending_parts){
		.input = h->input,
		.server = h->server,
		.messages = h->messages,
		.execs = h->execs,
		.status_watch = h->status_watch,
		.agent_watch = h->agent_watch,
		.restart = h->restart,
		.stop = h->stop,
		.oom = h->oom,
	    });
	h->handover = handover_create(session, h->server, h->execs, h->waits);
	h->keeper_link = keeper_link_create(session,
	    &(struct keeper_link_parts){
		.server = h->server,
		.ending = h->ending,
		.handover = h->handover,
		.restart = h->restart,
	    });
}

static int
create_parts(struct host *h, struct error *err)
{
	struct session *session = &h->session;
	int rc;

	session->notice_board = notice_board_create(session->loop, write_board,
	    h);
	h->wall_clock = wall_clock_create(session);
	h->last_line = last_line_create(session);
	rc = create_service(h, err);
	if (rc < 0)
		return rc;
	create_life(h);
	h->for_ops = (struct op_host){
		.session = session,
		.waits = h->waits,
		.execs = h->execs,
		.messages = h->messages,
		.agent_watch = h->agent_watch,
		.stop = h->stop,
		.handover = h->handover,
	};
	h->pump = pump_create(session,
	    &(struct pump_parts){
		.input = h->input,
		.server = h->server,
		.messages = h->messages,
		.waits = h->waits,
		.execs = h->execs,
		.status_watch = h->status_watch,
		.agent_watch = h->agent_watch,
		.wall_clock = h->wall_clock,
		.last_line = h->last_line,
		.ending = h->ending,
		.handover = h->handover,
	    });
	session_touch(session);
	if (session->manifest.idle_timeout_s > 0)
		h->idle = loop_timer(session->loop,
		    (int64_t)session->manifest.idle_timeout_s * 1000, on_idle,
		    h);
	return 0;
}

/*
 * Read session.json, and limit the files before a thread runs.  Not for a confined
 * session: there spared.c must recognise programs by /proc/PID/exe.
 */
static int
read_manifest(struct session *session, struct error *err)
{
	int rc = manifest_read(session->dirfd, &session->manifest, err);

	if (rc == 0 && !session->manifest.confined)
		(void)sandbox_fence(session->dirfd, session->manifest.cgroup);
	return rc;
}

int
host_open(struct host *h, struct error *err)
{
	struct restore_notes notes = { 0 };
	struct control hello;
	int rc;

	take_descriptors(h);
	rc = keeper_link_hello(h->session.control, KEEPER_LINK_HELLO_MS, &hello,
	    err);
	if (rc == 0 && hello.u.hello.trial)
		rc = trial_run(h->session.control, h->session.dirfd, &hello,
		    err);
	if (rc < 0)
		return rc;
	rc = read_manifest(&h->session, err);
	h->session.display.ledger = xcalloc(1,
	    sizeof(*h->session.display.ledger));
	h->session.manifest_writer = manifest_writer_create(h->session.dirfd,
	    rc < 0 ? NULL : err);
	if (h->session.manifest_writer == NULL)
		return -EIO;
	manifest_writer_take_log(h->session.manifest_writer, &h->session.log);
	if (rc == 0)
		rc = read_session(h, &hello, err);
	if (rc == 0)
		rc = restore_log(&h->session, &hello, &event_log_ops, h, &notes,
		    err);
	if (rc == 0)
		rc = create_parts(h, err);
	if (rc < 0) {
		log_write(&h->session.log, LOG_ERROR, "cannot start",
		    log_str("error", err->msg));
		return rc;
	}
	restore_write_notes(&h->session, h->server, &notes);
	changes_all(&h->session.display.changes, h->session.display.vt,
	    event_log_seq(h->session.event_log));
	session_save(&h->session);
	keeper_link_ready(h->keeper_link);
	failpoint("ready");
	return 0;
}

void
host_close(struct host *h)
{
	keeper_link_destroy(h->keeper_link);
	pump_destroy(h->pump);
	server_destroy(h->server);
	h->server = NULL; /* on_save no longer asks it */
	messages_destroy(h->messages);
	input_destroy(h->input);
	waits_destroy(h->waits);
	/* No part writes events from here on. */
	bring_up_to_date(h);
	event_log_destroy(h->session.event_log);
	h->session.event_log = NULL;
	if (h->ending != NULL)
		ending_conclude(h->ending);
	ending_destroy(h->ending);
	handover_destroy(h->handover);
	restart_destroy(h->restart);
	stop_destroy(h->stop);
	wall_clock_destroy(h->wall_clock);
	last_line_destroy(h->last_line);
	agent_watch_destroy(h->agent_watch);
	status_watch_destroy(h->status_watch);
	execs_destroy(h->execs);
	notice_board_destroy(h->session.notice_board);
	watch_remove(h->idle);
	oom_destroy(h->oom);
	vt_destroy(h->session.display.vt);
	changes_finish(&h->session.display.changes);
	ledger_finish(h->session.display.ledger);
	free(h->session.display.ledger);
	output_flow_finish(&h->session.output_flow);
	turn_finish(&h->session.turn);
	loop_destroy(h->session.loop);
	ring_unmap(&h->session.terminal.ring);
	manifest_finish(&h->session.manifest);
	manifest_writer_destroy(h->session.manifest_writer);
	fd_close(&h->session.log_dirfd);
}
