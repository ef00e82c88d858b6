#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/store/manifest_writer.h"
#include "host/store/notice_board.h"
#include "host/life/ending.h"
#include "host/core/events.h"
#include "host/stream/last_line.h"
#include "host/stream/notices.h"
#include "host/life/handover.h"
#include "host/life/keeper_link.h"
#include "host/system/oom.h"
#include "host/pump.h"
#include "host/life/trial.h"
#include "host/life/restart.h"
#include "host/life/restore.h"
#include "host/ask/exec.h"
#include "host/store/event_log.h"
#include "host/serve/server.h"
#include "host/serve/status_watch.h"
#include "host/life/stop.h"
#include "host/ask/waits.h"
#include "host/stream/wall_clock.h"
#include "op/ledger.h"
#include "session/home.h"
#include "session/scope.h"
#include "vt/vt.h"

#define LATE_MS 1000

uint64_t
host_now_ns(const struct host *h)
{
	return (uint64_t)clock_ns(CLOCK_BOOTTIME) - h->began_ns;
}

/* Events for viewers. */

static void
tell(struct host *h, const char *event, const char *key, const char *value)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, 4096);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_text(&j, "event", event);
	json_put_text(&j, key, value);
	json_out_close(&j, '}');
	if (!b.full)
		server_event(h->server, (char *)b.data, b.len);
	buf_finish(&b);
}

static void
bring_up_to_date(struct host *h)
{
	struct manifest *m = &h->manifest;

	if (h->event_log != NULL) {
		m->seq = event_log_seq(h->event_log);
		m->logged_seq = event_log_written(h->event_log);
		m->logged_offset = event_log_written_offset(h->event_log);
		m->log_bytes = event_log_bytes(h->event_log);
		m->log_newest = event_log_newest(h->event_log);
	}
	m->offset = h->shown;
	if (h->server != NULL)
		m->observers = (int)server_viewers(h->server);
	if (h->vt == NULL)
		return;
	last_line_of(h->vt, m->last_line, sizeof(m->last_line));
	notices_title(m, vt_title(h->vt));
}

void
host_save(struct host *h)
{
	bring_up_to_date(h);
	notice_board_written(h->notice_board);
	manifest_writer_save(h->manifest_writer, &h->manifest, h->ended);
}

/* After the end only what ends the session writes session.json. */
static void
write_board(void *arg)
{
	struct host *h = arg;

	if (h->ended)
		return;
	bring_up_to_date(h);
	manifest_writer_save_later(h->manifest_writer, &h->manifest);
}

void
host_save_later(struct host *h)
{
	notice_board_changed(h->notice_board);
}

void
host_degraded(struct host *h, const char *why)
{
	free(h->manifest.degraded);
	h->manifest.degraded = xstrdup(why);
	log_write(&h->log, LOG_WARN, "degraded", log_str("why", why));
	host_save(h);
	tell(h, "degraded", "why", why);
}

/* What others ask of us. */

int
host_resize(struct host *h, unsigned cols, unsigned rows, const char *by,
    struct error *err)
{
	struct winsize ws = {
		.ws_col = (unsigned short)cols,
		.ws_row = (unsigned short)rows,
	};
	int rc = vt_check_size(cols, rows, err);

	if (rc < 0)
		return rc;
	if (h->ended)
		return error_set(err, ESRCH, "the program has ended");
	if (cols == h->manifest.cols && rows == h->manifest.rows)
		return 0;
	if (ioctl(h->master, TIOCSWINSZ, &ws) < 0)
		return error_set(err, errno, "cannot resize the terminal: %s",
		    strerror(errno));
	failpoint("resized");
	atomic_store(&h->ring.shared->sized, cols << 16 | rows);
	h->manifest.cols = (uint16_t)cols;
	h->manifest.rows = (uint16_t)rows;
	waits_catch_up(h->waits);
	if (h->vt != NULL)
		vt_resize(h->vt, cols, rows, NULL);
	if (event_resize(h, cols, rows, by) != 0)
		event_log_join(h->event_log);
	event_keyframe(h, true);
	changes_all(&h->changes, h->vt, event_log_seq(h->event_log));
	waits_resized(h->waits);
	pump_keyframe_done(h->pump);
	host_save(h);
	server_resized(h->server);
	return 0;
}

int
host_signal(struct host *h, int signo, const char *by, struct error *err)
{
	int rc = stop_signal(h->stop, signo);

	if (rc < 0)
		return error_set(err, -rc, "cannot signal the program: %s",
		    strerror(-rc));
	event_signal(h, signo, by, "signal");
	return 0;
}

/* The manifest says from now on who ended it, also to the next host. */
static int
begin_end(struct host *h, enum outcome outcome, const char *by,
    struct error *err)
{
	bool stop = outcome == OUTCOME_STOPPED;

	if (h->ended)
		return error_set(err, ESRCH, "the program has ended");
	event_signal(h, stop ? SIGTERM : SIGKILL, by, stop ? "stop" : "kill");
	h->manifest.outcome = outcome;
	if (h->manifest.status != STATUS_DESTROYING)
		h->manifest.status = STATUS_EXITING;
	host_save(h);
	tell(h, "status", "status", status_name(h->manifest.status));
	return 0;
}

int
host_stop(struct host *h, uint32_t grace_ms, bool interrupt, const char *by,
    struct error *err)
{
	int rc = begin_end(h, OUTCOME_STOPPED, by, err);

	if (rc == 0)
		stop_politely(h->stop, grace_ms, interrupt, by);
	return rc;
}

int
host_kill(struct host *h, const char *by, struct error *err)
{
	int rc = begin_end(h, OUTCOME_KILLED, by, err);

	if (rc == 0)
		stop_now(h->stop);
	return rc;
}

int
host_destroy(struct host *h, uint32_t grace_ms, const char *by,
    struct error *err)
{
	if (!h->ended)
		h->manifest.status = STATUS_DESTROYING;
	return host_stop(h, grace_ms, false, by, err);
}

int
host_set_label(struct host *h, const char *key, const char *value,
    const char *by, struct error *err)
{
	int rc = manifest_set_label(&h->manifest, key, value, err);

	if (rc < 0)
		return rc;
	event_meta(h, "label", key, value, by);
	host_save(h);
	return 0;
}

/* The home is two directories above the session's, wherever that is now. */
static int
open_home(const struct host *h, struct home *home, struct error *err)
{
	char link[40], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", h->dirfd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return error_set(err, errno, "cannot find the home: %s",
		    strerror(errno));
	path[n] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(path, '/');

		if (slash == NULL || slash == path)
			return error_set(err, ENOENT, "cannot find the home");
		*slash = '\0';
	}
	return home_open(home, path, false, err);
}

/* Whether another session of this home is active, by its own manifest. */
static bool
is_active(void *arg, const char *id)
{
	const struct home *home = arg;
	struct manifest m;
	bool active = false;
	int dirfd = home_session_dir(home, id, NULL);

	if (dirfd < 0)
		return false;
	manifest_init(&m);
	if (manifest_read_now(dirfd, &m, NULL) == 0)
		active = status_is_active(m.status);
	manifest_finish(&m);
	fd_close(&dirfd);
	return active;
}

int
host_rename(struct host *h, const char *name, const char *by, struct error *err)
{
	struct manifest *m = &h->manifest;
	struct home home;
	int rc = name_check(name, err);

	if (rc < 0 || strcmp(name, m->name) == 0)
		return rc;
	/* The loop itself writes the name, so the disk must not hang. */
	write_board(h);
	if (!manifest_writer_has_saved(h->manifest_writer))
		return error_set(err, EAGAIN,
		    "the disk takes no writes now, so the session stays %s; "
		    "try again later",
		    m->name);
	rc = open_home(h, &home, err);
	if (rc < 0)
		return rc;
	rc = name_claim(&home, name, m->id, is_active, &home, err);
	if (rc == 0) {
		name_release(&home, m->name, m->id);
		snprintf(m->name, sizeof(m->name), "%s", name);
		event_meta(h, "name", NULL, name, by);
		host_save(h);
		tell(h, "renamed", "name", name);
	}
	home_close(&home);
	return rc;
}

void
host_release_name(struct host *h)
{
	struct home home;

	if (open_home(h, &home, NULL) < 0)
		return;
	name_release(&home, h->manifest.name, h->manifest.id);
	home_close(&home);
}

uint64_t
host_mark(struct host *h, const char *name, const char *by, struct error *err)
{
	uint64_t seq = event_mark(h, name, by);

	if (seq == 0)
		error_set(err, ENOSPC, "the log cannot take it now");
	return seq;
}

void
host_hold(struct host *h, bool hold)
{
	pump_hold(h->pump, hold);
}

bool
tty_is_secret(int master)
{
	struct termios t;

	return tcgetattr(master, &t) == 0 && !(t.c_lflag & ECHO) &&
	    (t.c_lflag & ICANON);
}

bool
tty_reads_keys(int master)
{
	struct termios t;

	return tcgetattr(master, &t) == 0 && !(t.c_lflag & ICANON);
}

/* The idle timeout. */

void
host_touch(struct host *h)
{
	h->active_ms = clock_ms(CLOCK_MONOTONIC);
}

/*
 * A timer that is late means that the host has been stopped.  What came
 * meanwhile is still to be seen, so there is a moment more.
 */
static void
on_idle(void *arg)
{
	struct host *h = arg;
	int64_t limit = (int64_t)h->manifest.idle_timeout_s * 1000;
	int64_t left = h->active_ms + limit - clock_ms(CLOCK_MONOTONIC);

	if (left < -LATE_MS) {
		h->active_ms += LATE_MS - left;
		left = LATE_MS;
	}
	if (left > 0)
		watch_rearm(h->idle, left);
	else if (h->manifest.status == STATUS_RUNNING)
		host_stop(h, HOST_GRACE_MS, false, "idle-timeout", NULL);
}

/* What the event log says. */

static void
on_unlogged(void *arg, bool unlogged, int64_t since_ms, int error)
{
	struct host *h = arg;

	h->log_error = error;
	log_write(&h->log, unlogged ? LOG_WARN : LOG_INFO,
	    unlogged ? "the log is behind" : "the log goes on",
	    log_str("error", error == 0 ? "" : strerror(error)));
	server_unlogged(h->server, since_ms);
	if (unlogged)
		return;
	/* Who reads the log must read the one that is written. */
	restore_find_log(h);
	/* What the disk has not taken of session.json it may take now. */
	host_save(h);
}

static void
on_opened(void *arg, const struct log_end *end)
{
	restore_write_opened(arg, end);
}

static void
on_rotate(void *arg)
{
	struct host *h = arg;

	event_rotate(h);
	pump_keyframe_done(h->pump);
}

static void
on_gap(void *arg, uint64_t offset, uint64_t bytes)
{
	struct host *h = arg;

	event_keyframe(h, true);
	if (bytes == 0)
		return;
	log_write(&h->log, LOG_WARN, "output is missing in the log",
	    log_int("offset", (int64_t)offset),
	    log_int("bytes", (int64_t)bytes));
}

static void
on_trimmed(void *arg, uint64_t seq, uint64_t offset)
{
	event_trimmed(arg, seq, offset);
}

static void
on_trouble(void *arg, const char *what, int error)
{
	struct host *h = arg;

	log_write(&h->log, LOG_ERROR, "trouble with the log",
	    log_str("what", what), log_str("error", strerror(error)));
	event_trouble(h, what, strerror(error));
}

static const struct event_log_ops event_log_ops = {
	.unlogged = on_unlogged,
	.opened = on_opened,
	.rotate = on_rotate,
	.gap = on_gap,
	.trimmed = on_trimmed,
	.trouble = on_trouble,
};

/* The kernel has ended a process of the session for want of memory. */
static void
on_oom(void *arg, const struct oom_kill *k)
{
	struct host *h = arg;

	event_oom(h, k);
	log_write(&h->log, LOG_WARN, "out of memory",
	    log_str("process", k->name), log_int("pid", k->pid));
	tell(h, "oom", "process", k->name);
}

/* Start and end. */

static void
take_descriptors(struct host *h)
{
	*h = (struct host){
		.dirfd = CONTROL_DIR,
		.log_dirfd = -1,
		.control = CONTROL_FD,
		.listen = CONTROL_LISTEN,
		.master = CONTROL_MASTER,
		.output_fd = CONTROL_OUTPUT,
		.room_fd = CONTROL_ROOM,
		.log = { .fd = -1, .least = LOG_INFO },
	};
	for (int fd = CONTROL_FD; fd < CONTROL_FDS_END; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void
take_processes(struct host *h, const struct control *hello)
{
	struct manifest *m = &h->manifest;

	h->keeper_version = hello->u.hello.version;
	m->keeper.pid = hello->u.hello.keeper_pid;
	m->keeper.start = hello->u.hello.keeper_start;
	m->child.pid = hello->u.hello.child_pid;
	m->child.start = hello->u.hello.child_start;
	m->host.pid = getpid();
	m->host.start = process_start_time(getpid());
	h->began_ns = m->began_ns = hello->u.hello.began_ns;
	if (m->status == STATUS_STARTING)
		m->status = STATUS_RUNNING;
}

static int
read_session(struct host *h, struct control *hello, struct error *err)
{
	int rc = manifest_read(h->dirfd, &h->manifest, err);

	if (rc < 0)
		return rc;
	take_processes(h, hello);
	rc = ring_map(&h->ring, CONTROL_RING);
	if (rc < 0)
		return error_set(err, -rc, "no ring: %s", strerror(-rc));
	h->loop = loop_create();
	return h->loop == NULL ? error_set(err, errno, "no loop") : 0;
}

static int
create_parts(struct host *h, struct error *err)
{
	h->notice_board = notice_board_create(h->loop, write_board, h);
	h->stop = stop_create(h);
	h->ending = ending_create(h);
	h->handover = handover_create(h);
	h->restart = restart_create(h);
	h->wall_clock = wall_clock_create(h);
	h->last_line = last_line_create(h);
	h->status_watch = status_watch_create(h);
	h->waits = waits_create(h);
	h->execs = execs_create(h);
	h->server = server_create(h, err);
	if (h->server == NULL)
		return -EIO;
	h->pump = pump_create(h);
	h->keeper_link = keeper_link_create(h);
	h->active_ms = clock_ms(CLOCK_MONOTONIC);
	if (h->manifest.cgroup != NULL)
		h->oom = oom_create(h->loop, h->manifest.cgroup, on_oom, h);
	if (h->manifest.idle_timeout_s > 0)
		h->idle = loop_timer(h->loop,
		    (int64_t)h->manifest.idle_timeout_s * 1000, on_idle, h);
	return 0;
}

int
host_open(struct host *h, struct error *err)
{
	struct restore_notes notes = { 0 };
	struct control hello;
	int rc;

	take_descriptors(h);
	rc = keeper_link_hello(h, KEEPER_LINK_HELLO_MS, &hello, err);
	if (rc == 0 && hello.u.hello.trial)
		rc = trial_run(h, &hello, err);
	if (rc < 0)
		return rc;
	h->ledger = xcalloc(1, sizeof(*h->ledger));
	h->manifest_writer = manifest_writer_create(h->dirfd, err);
	if (h->manifest_writer == NULL)
		return -EIO;
	manifest_writer_take_log(h->manifest_writer, &h->log);
	rc = read_session(h, &hello, err);
	if (rc == 0)
		rc = restore_log(h, &hello, &event_log_ops, &notes, err);
	if (rc == 0)
		rc = create_parts(h, err);
	if (rc < 0) {
		log_write(&h->log, LOG_ERROR, "cannot start",
		    log_str("error", err->msg));
		return rc;
	}
	restore_write_notes(h, &notes);
	changes_all(&h->changes, h->vt, event_log_seq(h->event_log));
	host_save(h);
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
	h->server = NULL; /* what is saved from here on asks it nothing */
	waits_destroy(h->waits);
	/* From now on nothing happens that the log is told of. */
	bring_up_to_date(h);
	event_log_destroy(h->event_log);
	h->event_log = NULL;
	if (h->ending != NULL)
		ending_conclude(h->ending);
	ending_destroy(h->ending);
	handover_destroy(h->handover);
	restart_destroy(h->restart);
	stop_destroy(h->stop);
	wall_clock_destroy(h->wall_clock);
	last_line_destroy(h->last_line);
	status_watch_destroy(h->status_watch);
	execs_destroy(h->execs);
	notice_board_destroy(h->notice_board);
	watch_remove(h->idle);
	oom_destroy(h->oom);
	vt_destroy(h->vt);
	changes_finish(&h->changes);
	ledger_finish(h->ledger);
	free(h->ledger);
	loop_destroy(h->loop);
	ring_unmap(&h->ring);
	manifest_finish(&h->manifest);
	manifest_writer_destroy(h->manifest_writer);
	fd_close(&h->log_dirfd);
}
