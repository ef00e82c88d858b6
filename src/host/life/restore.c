#include "host/life/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/version.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/input/replies.h"
#include "host/life/poison.h"
#include "host/serve/server.h"
#include "host/store/event_log.h"
#include "host/store/log_opener.h"
#include "host/stream/engine.h"
#include "host/system/proc.h"
#include "keep/control.h"
#include "log/payload_json.h"
#include "log/reader.h"
#include "log/record.h"
#include "log/replay.h"
#include "log/writer.h"
#include "op/ledger.h"
#include "vt/vt.h"

#define RESTART_MAX 4096 /* of the event */

struct ghosts {
	pid_t keeper;
	bool found;
};

void
restore_find_log(struct session *session)
{
	int fd = openat(session->dirfd, "log",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fd_close(&session->log_dirfd);
	session->log_dirfd = fd;
}

/* The terminal has the true size: a host may have died while changing it. */
static void
take_size(struct session *session)
{
	struct winsize ws;

	if (ioctl(session->terminal.master, TIOCGWINSZ, &ws) < 0 ||
	    vt_check_size(ws.ws_col, ws.ws_row, NULL) < 0)
		return;
	session->manifest.cols = ws.ws_col;
	session->manifest.rows = ws.ws_row;
}

/* The newest screen of the log; NULL if there is none. */
static struct vt *
replay(struct session *session, struct restore_notes *n)
{
	const struct replay_watch watch = {
		.story = &ledger_story,
		.story_arg = session->display.ledger,
	};
	struct log_reader *reader = NULL;
	struct replay end = { 0 };
	struct error err;

	if (log_reader_open(&reader, session->log_dirfd, &err) < 0 ||
	    replay_end_watched(reader, true, &watch, &end, &err) < 0) {
		log_write(&session->log, LOG_WARN, "no screen in the log",
		    log_str("error", err.msg));
		n->trouble = "the screen could not be restored from the log";
	} else if (end.rebuilt) {
		n->rebuilt = true;
		n->trouble = "the log has screens of a newer tend; the screen "
			     "was rebuilt from the output and may differ in "
			     "details";
	}
	log_reader_close(reader);
	return end.vt;
}

/*
 * While the log is replayed, the ring says that the engine is at its end, for
 * the host after a crash.
 */
static struct vt *
screen_from_log(struct session *session, const struct log_end *end,
    struct restore_notes *n)
{
	_Atomic uint64_t *engine_at = &session->terminal.ring.shared->engine_at;
	struct vt *vt;

	atomic_store(engine_at, end->offset);
	failpoint("restore-replay");
	vt = replay(session, n);
	atomic_store(engine_at, RING_IDLE);
	return vt;
}

static void
fit_size(struct session *session, struct restore_notes *n)
{
	if (session->display.vt == NULL ||
	    (vt_cols(session->display.vt) == session->manifest.cols &&
		vt_rows(session->display.vt) == session->manifest.rows))
		return;
	vt_resize(session->display.vt, session->manifest.cols,
	    session->manifest.rows, NULL);
	n->resized = !n->fresh;
}

static void
make_screen(struct session *session, const struct control *hello,
    const struct log_end *end, struct restore_notes *n)
{
	struct poison p = poison_judge(hello->u.hello.death,
	    hello->u.hello.deaths);

	if (p.mode == POISON_SKIP && p.to <= end->offset)
		p.mode = POISON_NONE; /* behind us */
	if (p.mode == POISON_RAW) {
		n->raw = true;
		return;
	}
	n->revived = session->manifest.raw;
	if (p.mode == POISON_SKIP) {
		n->skip_from = p.from > session->display.shown ?
		    p.from :
		    session->display.shown;
		n->skip_to = p.to;
	}
	if (n->fresh || n->revived || p.mode == POISON_SKIP)
		engine_adopt(session, NULL);
	else
		engine_adopt(session, screen_from_log(session, end, n));
	fit_size(session, n);
}

/*
 * Find the place to continue.  Bytes that are in the log are released from the
 * ring.  Bytes that are in neither were lost with the memory of a host whose
 * disk had not taken them.
 */
static void
find_place(struct session *session, struct log_end *end,
    struct restore_notes *n)
{
	uint64_t tail = atomic_load(&session->terminal.ring.shared->tail);

	if (tail > end->offset) {
		n->gap = end->offset;
		n->gap_len = tail - end->offset;
	}
	session->display.shown = tail > end->offset ? tail : end->offset;
	session->display.replies_from = replies_fed(
	    session->terminal.ring.shared);
	if (ring_release(&session->terminal.ring, session->display.shown)) {
		uint64_t one = 1;

		if (write(session->terminal.room_fd, &one, sizeof(one)) < 0)
			log_write(&session->log, LOG_WARN,
			    "cannot wake the keeper",
			    log_str("error", strerror(errno)));
	}
}

static void
look_for_ghost(void *arg, const struct proc *p)
{
	struct ghosts *g = arg;

	if (p->ppid == g->keeper && p->state == 'Z' &&
	    strcmp(p->name, "tend-host") == 0)
		g->found = true;
}

/*
 * True if an earlier host is dead but not gone: one of its threads waits for
 * the disk, and holds the log until then.
 */
static bool
has_ghost(const struct session *session)
{
	struct ghosts g = { .keeper = session->manifest.keeper.pid };

	return proc_each(look_for_ghost, &g) == 0 && g.found;
}

/*
 * A running program continues without a log; the start of a new one fails.
 * While the previous host still has the log, the keeper retries, unless that
 * host is stuck.
 */
static bool
may_do_without(const struct session *session, int rc)
{
	return session->manifest.seq > 0 &&
	    (rc != -EBUSY || has_ghost(session));
}

/* Set the log in *c; or its opener, which keeps trying. */
static int
open_log(struct session *session, struct event_log_config *c, struct error *err)
{
	int rc;

	c->opener = log_opener_create(session->dirfd);
	if (c->opener == NULL)
		return error_set(err, EAGAIN,
		    "cannot start a thread for the log");
	rc = log_opener_wait(c->opener, session->manifest.seq > 0, err);
	if (rc < 0 && may_do_without(session, rc)) {
		c->open_error = rc == -ETIMEDOUT || rc == -EBUSY ? 0 : -rc;
		return rc;
	}
	if (rc == 0)
		log_opener_take(c->opener, UINT64_MAX, &c->writer, &c->end);
	log_opener_destroy(c->opener);
	c->opener = NULL;
	return rc;
}

/* The end of a log that cannot be written, if it can be read. */
static void
guess_end(struct session *session, struct log_end *end)
{
	struct log_reader *reader = NULL;
	struct log_extent x = { 0 };

	if (log_reader_open(&reader, session->log_dirfd, NULL) < 0 ||
	    log_reader_extent(reader, &x) < 0 || x.last_seq == 0) {
		x.last_seq = session->manifest.seq;
		x.end_offset = atomic_load(
		    &session->terminal.ring.shared->tail);
	}
	log_reader_close(reader);
	*end = (struct log_end){
		.seq = x.last_seq,
		.offset = x.end_offset,
		.time_ns = x.last_time_ns,
	};
}

int
restore_log(struct session *session, const struct control *hello,
    const struct event_log_ops *ops, void *arg, struct restore_notes *n,
    struct error *err)
{
	struct event_log_config c = {
		.loop = session->loop,
		.ring = &session->terminal.ring,
		.room_fd = session->terminal.room_fd,
		.dirfd = session->dirfd,
		.began_ns = session->began_ns,
		.durable = session->manifest.durable,
		.max_log = session->manifest.max_log,
		.ops = ops,
		.arg = arg,
	};
	int rc = open_log(session, &c, err);

	if (rc < 0 && c.opener == NULL)
		return rc;
	restore_find_log(session);
	if (rc < 0) {
		log_write(&session->log, LOG_ERROR, "cannot open the log",
		    log_str("error", err->msg));
		guess_end(session, &c.end);
	}
	n->anew = hello->u.hello.anew;
	if (n->anew) {
		free(session->manifest.degraded);
		session->manifest.degraded = NULL;
	}
	n->fresh = c.end.seq == 0;
	n->cut = c.end.cut;
	take_size(session);
	find_place(session, &c.end, n);
	make_screen(session, hello, &c.end, n);
	c.end.offset = session->display.shown;
	session->event_log = event_log_create(&c, err);
	return session->event_log == NULL ? -EIO : 0;
}

/* The session has a permanent fault; the manifest and viewers get it. */
static void
degrade(struct session *session, struct server *server, const char *why)
{
	free(session->manifest.degraded);
	session->manifest.degraded = xstrdup(why);
	log_write(&session->log, LOG_WARN, "degraded", log_str("why", why));
	session_save(session);
	server_text_event(server, WIRE_EVENT_DEGRADED, why);
}

static void
note_engine(struct session *session, struct server *server,
    const struct restore_notes *n)
{
	char why[160];

	if (n->raw) {
		event_engine_gap(session, session->display.shown, 0);
		session->manifest.raw = true;
		degrade(session, server,
		    "no screen: the terminal engine crashed "
		    "four times at the same place");
	} else if (n->skip_to > n->skip_from) {
		event_engine_gap(session, n->skip_from, n->skip_to);
		output_flow_skip(&session->output_flow, n->skip_from,
		    n->skip_to);
		snprintf(why, sizeof(why),
		    "output from %llu to %llu is not on the screen: the "
		    "terminal engine crashed on it twice",
		    (unsigned long long)n->skip_from,
		    (unsigned long long)n->skip_to);
		degrade(session, server, why);
	} else if (n->rebuilt) {
		degrade(session, server, n->trouble);
	}
}

/* The content of the screen is unknown: make the program redraw it. */
static void
note_revived(struct session *session)
{
	pid_t foreground = tcgetpgrp(session->terminal.master);

	session->manifest.raw = false;
	if (foreground > 1)
		kill(-foreground, SIGWINCH);
}

static void
note_gap(struct session *session, const struct restore_notes *n)
{
	if (n->gap_len > 0)
		event_gap(session, n->gap, n->gap_len, GAP_HOST);
}

static void
note_restart(struct session *session, const struct restore_notes *n)
{
	if (n->anew && n->trouble == NULL)
		event_meta(session, "host", NULL, "tend " TEND_VERSION,
		    "upgrade");
	else
		event_trouble(session, "restart",
		    n->trouble == NULL ? "another host has taken over" :
					 n->trouble);
}

void
restore_write_opened(struct session *session, const struct log_end *end)
{
	restore_find_log(session);
	if (end->seq == 0)
		event_start(session);
	if (end->cut > 0)
		event_recovered(session, end->cut);
	event_trouble(session, "restart", "the log could not be opened before");
}

void
restore_write_notes(struct session *session, struct server *server,
    const struct restore_notes *n)
{
	if (n->fresh) {
		event_start(session);
		note_gap(session, n);
		event_keyframe(session, true);
		event_clock(session, CLOCK_SEGMENT);
		note_engine(session, server, n);
		return;
	}
	if (n->cut > 0)
		event_recovered(session, n->cut);
	note_gap(session, n);
	note_restart(session, n);
	note_engine(session, server, n);
	if (n->resized &&
	    event_resize(session, session->manifest.cols,
		session->manifest.rows, "host") != 0)
		event_log_join(session->event_log);
	if (n->resized || n->revived || n->gap_len > 0 || n->trouble != NULL)
		event_keyframe(session, true);
	if (n->revived)
		note_revived(session);
}

/* The last record of this type at or after this offset; false: none. */
static bool
find_last(struct session *session, uint64_t offset, unsigned type,
    struct buf *payload)
{
	struct log_reader *reader = NULL;
	struct record r;
	enum log_next next = LOG_END;
	bool found = false;

	/*
	 * The record is behind the last byte, which is a valid place to begin.
	 */
	if (offset > 0)
		offset--;
	if (log_reader_open(&reader, session->log_dirfd, NULL) == 0 &&
	    log_reader_seek(reader, LOG_BY_OFFSET, offset) == 0)
		do {
			next = log_reader_next(reader, &r);
			if (next != LOG_RECORD || r.type != type)
				continue;
			found = true;
			if (payload != NULL) {
				buf_clear(payload);
				buf_append(payload, r.payload, r.len);
			}
		} while (next == LOG_RECORD || next == LOG_DAMAGED);
	log_reader_close(reader);
	return found;
}

bool
restore_exit_logged(struct session *session, uint64_t offset)
{
	return find_last(session, offset, RECORD_EXIT, NULL);
}

uint64_t
restore_restart_logged(struct session *session, uint64_t offset)
{
	auto_json json_t *tree = NULL;
	struct payload_restart restart = { 0 };
	struct buf payload;

	buf_init(&payload, RESTART_MAX);
	if (find_last(session, offset, RECORD_RESTART, &payload))
		(void)payload_restart_decode(&restart, payload.data,
		    payload.len, &tree);
	buf_finish(&payload);
	return restart.count;
}
