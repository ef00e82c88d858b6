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
#include "base/version.h"
#include "host/input/answers.h"
#include "host/stream/engine.h"
#include "host/core/events.h"
#include "host/host.h"
#include "host/store/log_opener.h"
#include "host/life/poison.h"
#include "host/system/proc.h"
#include "host/pump.h"
#include "host/store/event_log.h"
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
restore_find_log(struct host *h)
{
	int fd = openat(h->dirfd, "log", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fd_close(&h->log_dirfd);
	h->log_dirfd = fd;
}

/* The terminal knows its size best: a host may have died while changing it. */
static void
take_size(struct host *h)
{
	struct winsize ws;

	if (ioctl(h->master, TIOCGWINSZ, &ws) < 0 ||
	    vt_check_size(ws.ws_col, ws.ws_row, NULL) < 0)
		return;
	h->manifest.cols = ws.ws_col;
	h->manifest.rows = ws.ws_row;
}

/* The newest screen of the log, NULL when there is none to be had. */
static struct vt *
replay(struct host *h, struct restore_notes *n)
{
	const struct replay_watch watch = {
		.story = &ledger_story,
		.story_arg = h->ledger,
	};
	struct log_reader *reader = NULL;
	struct replay end = { 0 };
	struct error err;

	if (log_reader_open(&reader, h->log_dirfd, &err) < 0 ||
	    replay_end_watched(reader, true, &watch, &end, &err) < 0) {
		log_write(&h->log, LOG_WARN, "no screen in the log",
		    log_str("error", err.msg));
		n->trouble = "the screen could not be made from the log";
	}
	log_reader_close(reader);
	return end.vt;
}

/* While the log is replayed the engine is at its end, for who comes after. */
static struct vt *
screen_from_log(struct host *h, const struct log_end *end,
    struct restore_notes *n)
{
	_Atomic uint64_t *engine_at = &h->ring.shared->engine_at;
	struct vt *vt;

	atomic_store(engine_at, end->offset);
	failpoint("restore-replay");
	vt = replay(h, n);
	atomic_store(engine_at, RING_IDLE);
	return vt;
}

static void
fit_size(struct host *h, struct restore_notes *n)
{
	if (h->vt == NULL ||
	    (vt_cols(h->vt) == h->manifest.cols &&
		vt_rows(h->vt) == h->manifest.rows))
		return;
	vt_resize(h->vt, h->manifest.cols, h->manifest.rows, NULL);
	n->resized = !n->fresh;
}

static void
make_screen(struct host *h, const struct control *hello,
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
	n->revived = h->manifest.raw;
	if (p.mode == POISON_SKIP) {
		n->skip_from = p.from > h->shown ? p.from : h->shown;
		n->skip_to = p.to;
	}
	if (n->fresh || n->revived || p.mode == POISON_SKIP)
		engine_adopt(h, NULL);
	else
		engine_adopt(h, screen_from_log(h, end, n));
	fit_size(h, n);
}

/*
 * Where to go on.  What is in the log and still in the ring is let go; what is
 * gone from the ring and not in the log was lost with the memory of a host
 * whose disk had not taken it.
 */
static void
find_place(struct host *h, struct log_end *end, struct restore_notes *n)
{
	uint64_t tail = atomic_load(&h->ring.shared->tail);

	if (tail > end->offset) {
		n->gap = end->offset;
		n->gap_len = tail - end->offset;
	}
	h->shown = tail > end->offset ? tail : end->offset;
	h->replies_from = answers_fed(h->ring.shared);
	if (ring_release(&h->ring, h->shown)) {
		uint64_t one = 1;

		if (write(h->room_fd, &one, sizeof(one)) < 0)
			log_write(&h->log, LOG_WARN, "cannot wake the keeper",
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
 * Whether a host before us is dead but not gone: a thread of it waits for the
 * disk, and it holds the log until then.
 */
static bool
has_ghost(const struct host *h)
{
	struct ghosts g = { .keeper = h->manifest.keeper.pid };

	return proc_each(look_for_ghost, &g) == 0 && g.found;
}

/*
 * A program that runs goes on without a log; one that has just been started is
 * told of it.  While the host before us still has the log, the keeper tries
 * again, unless that one can do nothing any more.
 */
static bool
may_do_without(const struct host *h, int rc)
{
	return h->manifest.seq > 0 && (rc != -EBUSY || has_ghost(h));
}

/* The log, in *c; or its opener, which goes on trying. */
static int
open_log(struct host *h, struct event_log_config *c, struct error *err)
{
	int rc;

	c->opener = log_opener_create(h->dirfd);
	if (c->opener == NULL)
		return error_set(err, EAGAIN, "no thread for the log");
	rc = log_opener_wait(c->opener, h->manifest.seq > 0, err);
	if (rc < 0 && may_do_without(h, rc)) {
		c->open_error = rc == -ETIMEDOUT || rc == -EBUSY ? 0 : -rc;
		return rc;
	}
	if (rc == 0)
		log_opener_take(c->opener, UINT64_MAX, &c->writer, &c->end);
	log_opener_destroy(c->opener);
	c->opener = NULL;
	return rc;
}

/* The end of a log that cannot be written: perhaps it can be read. */
static void
guess_end(struct host *h, struct log_end *end)
{
	struct log_reader *reader = NULL;
	struct log_extent x = { 0 };

	if (log_reader_open(&reader, h->log_dirfd, NULL) < 0 ||
	    log_reader_extent(reader, &x) < 0 || x.last_seq == 0) {
		x.last_seq = h->manifest.seq;
		x.end_offset = atomic_load(&h->ring.shared->tail);
	}
	log_reader_close(reader);
	*end = (struct log_end){
		.seq = x.last_seq,
		.offset = x.end_offset,
		.time_ns = x.last_time_ns,
	};
}

int
restore_log(struct host *h, const struct control *hello,
    const struct event_log_ops *ops, struct restore_notes *n, struct error *err)
{
	struct event_log_config c = {
		.loop = h->loop,
		.ring = &h->ring,
		.room_fd = h->room_fd,
		.dirfd = h->dirfd,
		.began_ns = h->began_ns,
		.durable = h->manifest.durable,
		.max_log = h->manifest.max_log,
		.ops = ops,
		.arg = h,
	};
	int rc = open_log(h, &c, err);

	if (rc < 0 && c.opener == NULL)
		return rc;
	restore_find_log(h);
	if (rc < 0) {
		log_write(&h->log, LOG_ERROR, "there is no log",
		    log_str("error", err->msg));
		guess_end(h, &c.end);
	}
	n->anew = hello->u.hello.anew;
	if (n->anew) {
		free(h->manifest.degraded);
		h->manifest.degraded = NULL;
	}
	n->fresh = c.end.seq == 0;
	n->cut = c.end.cut;
	take_size(h);
	find_place(h, &c.end, n);
	make_screen(h, hello, &c.end, n);
	c.end.offset = h->shown;
	h->event_log = event_log_create(&c, err);
	return h->event_log == NULL ? -EIO : 0;
}

static void
note_engine(struct host *h, const struct restore_notes *n)
{
	char why[160];

	if (n->raw) {
		event_engine_gap(h, h->shown, 0);
		h->manifest.raw = true;
		host_degraded(h,
		    "no screen: the terminal engine crashed "
		    "four times at the same place");
	} else if (n->skip_to > n->skip_from) {
		event_engine_gap(h, n->skip_from, n->skip_to);
		pump_skip(h->pump, n->skip_from, n->skip_to);
		snprintf(why, sizeof(why),
		    "output from %llu to %llu is not on the screen: the "
		    "terminal engine crashed on it twice",
		    (unsigned long long)n->skip_from,
		    (unsigned long long)n->skip_to);
		host_degraded(h, why);
	}
}

/* Nobody knows what is on the screen: have the program draw it. */
static void
note_revived(struct host *h)
{
	pid_t foreground = tcgetpgrp(h->master);

	h->manifest.raw = false;
	if (foreground > 1)
		kill(-foreground, SIGWINCH);
}

static void
note_gap(struct host *h, const struct restore_notes *n)
{
	if (n->gap_len > 0)
		event_gap(h, n->gap, n->gap_len, GAP_HOST);
}

static void
note_restart(struct host *h, const struct restore_notes *n)
{
	if (n->anew && n->trouble == NULL)
		event_meta(h, "host", NULL, "tend " TEND_VERSION, "upgrade");
	else
		event_trouble(h, "restart",
		    n->trouble == NULL ? "another host goes on" : n->trouble);
}

void
restore_write_opened(struct host *h, const struct log_end *end)
{
	restore_find_log(h);
	if (end->seq == 0)
		event_start(h);
	if (end->cut > 0)
		event_recovered(h, end->cut);
	event_trouble(h, "restart", "the log could not be opened before");
}

void
restore_write_notes(struct host *h, const struct restore_notes *n)
{
	if (n->fresh) {
		event_start(h);
		note_gap(h, n);
		event_keyframe(h, true);
		event_clock(h, CLOCK_SEGMENT);
		note_engine(h, n);
		return;
	}
	if (n->cut > 0)
		event_recovered(h, n->cut);
	note_gap(h, n);
	note_restart(h, n);
	note_engine(h, n);
	if (n->resized &&
	    event_resize(h, h->manifest.cols, h->manifest.rows, "host") != 0)
		event_log_join(h->event_log);
	if (n->resized || n->revived || n->gap_len > 0 || n->trouble != NULL)
		event_keyframe(h, true);
	if (n->revived)
		note_revived(h);
}

/* The last record of this type at or after this offset; false: none. */
static bool
find_last(struct host *h, uint64_t offset, unsigned type, struct buf *payload)
{
	struct log_reader *reader = NULL;
	struct record r;
	enum log_next next = LOG_END;
	bool found = false;

	/* It stands behind the last byte, which is a place to begin at. */
	if (offset > 0)
		offset--;
	if (log_reader_open(&reader, h->log_dirfd, NULL) == 0 &&
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
restore_exit_logged(struct host *h, uint64_t offset)
{
	return find_last(h, offset, RECORD_EXIT, NULL);
}

uint64_t
restore_restart_logged(struct host *h, uint64_t offset)
{
	auto_json json_t *event = NULL;
	struct buf payload;

	buf_init(&payload, RESTART_MAX);
	if (find_last(h, offset, RECORD_RESTART, &payload))
		event = json_tree_object((const char *)payload.data,
		    payload.len, NULL);
	buf_finish(&payload);
	return (uint64_t)json_integer_value(json_object_get(event, "count"));
}
