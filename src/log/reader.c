#include "log/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "log/begin.h"
#include "log/payload.h"
#include "log/reader_state.h"

/* The surroundings of the position, before the last look at the file. */
struct around {
	bool locked;   /* the log has a writer */
	uint32_t next; /* number of the next segment; 0: this is the newest */
	bool trimmed;  /* and this is the oldest segment */
};

int
log_reader_open(struct log_reader **out, int dirfd, struct error *err)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct log_reader *r;

	if (fd < 0)
		return error_set(err, errno, "cannot read the log: %s",
		    strerror(errno));
	r = xcalloc(1, sizeof(*r));
	r->dirfd = fd;
	r->watch = -1;
	r->segment.fd = -1;
	r->limit = UINT64_MAX;
	buf_init(&r->joined, LOG_EVENT_MAX);
	*out = r;
	return 0;
}

void
log_reader_close(struct log_reader *r)
{
	if (r == NULL)
		return;
	segment_close(&r->segment);
	fd_close(&r->watch);
	fd_close(&r->dirfd);
	buf_finish(&r->joined);
	free(r);
}

/* ------------------------------------------------------------- what is met */

void
log_reader_expect(struct log_reader *r, uint64_t seq, uint64_t offset,
    uint32_t newest)
{
	r->expect_seq = seq;
	r->expect_offset = offset;
	r->expect_newest = newest;
}

const struct log_damage *
log_reader_damages(const struct log_reader *r, size_t *n)
{
	*n = r->n_met;
	return r->met;
}

static bool
is_same(const struct log_damage *a, const struct log_damage *b)
{
	return a->seq_from == b->seq_from && a->seq_to == b->seq_to &&
	    a->offset_from == b->offset_from && a->offset_to == b->offset_to;
}

static void
note_damage(struct log_reader *r)
{
	const struct log_damage *d = &r->damage;
	struct log_damage *last = &r->met[LOG_DAMAGES_MAX - 1];

	if (d->trimmed)
		return;
	for (size_t i = 0; i < r->n_met; i++)
		if (is_same(&r->met[i], d))
			return;
	if (r->n_met < LOG_DAMAGES_MAX) {
		r->met[r->n_met++] = *d;
		return;
	}
	if (d->seq_to == 0 || d->seq_to > last->seq_to) {
		last->seq_to = d->seq_to;
		last->offset_to = d->offset_to;
	}
}

/* ---------------------------------------------------- within one segment */

/*
 * Never return an event twice: a writer may have undone a partial write and
 * written it again.
 */
static bool
is_new(const struct reader_position *at, const struct record *rec)
{
	struct payload_output output;

	if (rec->seq > at->given)
		return true;
	return rec->seq == at->given && payload_output_of(&output, rec) &&
	    output.offset >= at->offset;
}

/*
 * True if the record before c completes something to return: a piece of
 * output, or an event, whose parts are joined.
 */
static bool
completes(struct log_reader *r, const struct segment_cursor *c,
    const struct record *rec, struct record *out)
{
	if (!record_is_event(rec->type))
		return false;
	*out = *rec;
	if (rec->type == RECORD_OUTPUT || (!c->continued && c->open == 0))
		return true;
	if (c->headless)
		return false;
	if (!c->continued)
		buf_clear(&r->joined);
	buf_append(&r->joined, rec->payload, rec->len);
	out->flags &= (uint8_t)~RECORD_MORE;
	out->payload = r->joined.data;
	out->len = (uint32_t)r->joined.len;
	return c->open == 0;
}

/*
 * The next event of the segment in *out, with the position behind it.  If
 * there is none, return why and leave the position.
 */
static enum record_state
next_here(struct log_reader *r, struct record *out)
{
	struct segment_cursor c = r->place.cursor;
	struct record rec;
	bool whole;

	if (r->segment.fd < 0)
		return RECORD_SHORT;
	buf_clear(&r->joined);
	for (;;) {
		enum record_state state = segment_next(&r->segment, &c, &rec);

		if (state != RECORD_VALID)
			return state;
		if (c.seq >= r->limit || r->joined.full)
			return RECORD_BAD;
		whole = completes(r, &c, &rec, out);
		if (c.open == 0 || c.open == RECORD_OUTPUT)
			r->place.cursor = c;
		if (whole && is_new(&r->place, out))
			break;
	}
	r->place.told = false;
	r->place.given = out->seq;
	payload_next_offset(out, &r->place.offset);
	return RECORD_VALID;
}

/*
 * Move from damage to the next sync that an event follows.  False, with the
 * position unchanged, if this segment has none.
 */
static bool
skip_damage(struct log_reader *r)
{
	struct reader_position before = r->place, after = before;
	struct record rec;

	while (segment_resync(&r->segment, &r->place.cursor)) {
		after.cursor = r->place.cursor;
		if (next_here(r, &rec) != RECORD_VALID)
			continue;
		r->damage = (struct log_damage){
			.seq_from = before.given,
			.seq_to = rec.seq,
			.offset_from = before.offset,
			.offset_to = after.cursor.offset,
		};
		r->place = after;
		r->place.offset = after.cursor.offset;
		return true;
	}
	r->place = before;
	return false;
}

/* -------------------------------------------------- from segment to segment */

/* Use a separate descriptor: closing it releases the lock. */
static bool
is_locked(const struct log_reader *r)
{
	auto_close int fd = openat(r->dirfd, ".",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 &&
	    errno == EWOULDBLOCK;
}

static void
look_around(struct log_reader *r, struct around *out)
{
	auto_free uint32_t *list = NULL;
	int n, i = 0;

	*out = (struct around){ .locked = is_locked(r) };
	n = segment_list(r->dirfd, &list);
	while (i < n && list[i] <= r->place.number)
		i++;
	if (i < n) {
		out->next = list[i];
		out->trimmed = i == 0;
	}
}

/* Records of a segment count up to the first seq of the next. */
static void
find_limit(struct log_reader *r, uint32_t next)
{
	struct segment_header h;

	r->limit = UINT64_MAX;
	r->limit_offset = UINT64_MAX;
	if (next == 0 || segment_look(r->dirfd, next, &h) < 0)
		return;
	r->limit = h.first_seq;
	r->limit_offset = h.first_offset;
}

/* Open a segment and move to its beginning. */
static int
enter(struct log_reader *r, uint32_t number)
{
	struct around around;
	struct segment s;
	int rc = segment_open(&s, r->dirfd, number);

	if (rc < 0)
		return rc;
	segment_close(&r->segment);
	r->segment = s;
	r->place.number = number;
	segment_begin(&r->segment, &r->place.cursor);
	look_around(r, &around);
	find_limit(r, around.next);
	r->live = around.locked && around.next == 0;
	return 0;
}

int
reader_start_at(struct log_reader *r, uint32_t number)
{
	int rc = enter(r, number);

	if (rc < 0)
		return rc;
	r->place.given = r->place.cursor.seq;
	r->place.offset = r->place.cursor.offset;
	r->place.told = false;
	return 0;
}

void
reader_go_back(struct log_reader *r, const struct reader_position *to)
{
	if (to->number != r->place.number &&
	    (to->number == 0 || enter(r, to->number) < 0))
		segment_close(&r->segment);
	r->place = *to;
}

/*
 * Take the log's beginning from its file, if that exists: nothing before it is
 * damage.
 */
static void
pass_trimmed(struct log_reader *r, struct reader_position *at)
{
	struct segment_header begin;

	if (!begin_read(r->dirfd, &begin) || begin.first_seq <= at->given + 1)
		return;
	at->given = begin.first_seq - 1;
	at->offset = begin.first_offset;
}

static uint64_t
max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* True if the log ends earlier than expected. */
static bool
is_short(const struct log_reader *r)
{
	return r->place.given < r->expect_seq ||
	    r->place.offset < r->expect_offset;
}

/* Classify the end of the log: it may have a writer, be torn, or be final. */
static enum log_next
end_of_log(struct log_reader *r, const struct around *around, bool torn)
{
	struct reader_position at = r->place;
	bool is_cut = is_short(r);

	if (around->locked && !is_cut)
		return LOG_WAIT;
	if ((!torn && !is_cut) || r->place.told)
		return LOG_END;
	pass_trimmed(r, &r->place);
	r->damage = (struct log_damage){
		.seq_from = at.given,
		.seq_to = r->place.given + 1,
		.offset_from = at.offset,
		.offset_to = r->place.offset,
		.trimmed = true,
	};
	if (r->place.given > at.given) /* continue behind that */
		return LOG_DAMAGED;
	r->place.told = true;
	r->damage = (struct log_damage){
		.seq_from = at.given,
		.seq_to = is_cut ? max(r->expect_seq, at.given) + 1 : 0,
		.offset_from = at.offset,
		.offset_to = max(r->expect_offset, at.offset),
		.torn = torn,
		.gone = !torn,
		.end = true,
	};
	return LOG_DAMAGED;
}

/*
 * An unreadable segment is skipped; its loss shows when the next one is
 * entered.  If it is the newest, it is a torn end, or just being created.
 */
static bool
pass_over(struct log_reader *r, struct around *around, enum log_next *out)
{
	struct reader_position before = r->place;

	r->place.number = around->next;
	look_around(r, around);
	if (around->next != 0) {
		segment_close(&r->segment);
		return false;
	}
	r->place = before;
	*out = end_of_log(r, around, true);
	return true;
}

/*
 * Find the part of the loss before this segment that was trimmed.  If something
 * else is lost too, the trimmed part is reported first: true, with the
 * position before the rest.
 */
static bool
leave_out_trimmed(struct log_reader *r, const struct around *around,
    const struct reader_position *before)
{
	struct log_damage *d = &r->damage;
	struct reader_position rest = *before;
	struct segment_header h;

	if (!begin_read(r->dirfd, &h)) {
		d->trimmed = around->trimmed;
		return false;
	}
	pass_trimmed(r, &rest);
	if (rest.given == before->given)
		return false;
	d->trimmed = true;
	if (rest.given + 1 >= d->seq_to)
		return false;
	d->seq_to = rest.given + 1;
	d->offset_to = rest.offset;
	segment_close(&r->segment);
	r->place = rest;
	return true;
}

/* True if there is damage to report. */
static bool
go_to_next(struct log_reader *r, struct around *around, enum log_next *out)
{
	const struct reader_position before = r->place;
	int rc = enter(r, around->next);

	if (rc == -ENOENT)
		return false; /* just removed: check again */
	if (rc < 0)
		return pass_over(r, around, out);
	r->place.told = false;
	if (r->segment.head.first_seq <= before.given + 1 &&
	    r->segment.head.first_offset <= before.offset)
		return false;
	*out = LOG_DAMAGED;
	r->damage = (struct log_damage){
		.seq_from = before.given,
		.seq_to = r->segment.head.first_seq,
		.offset_from = before.offset,
		.offset_to = r->segment.head.first_offset,
		.gone = r->place.number != before.number + 1,
	};
	if (leave_out_trimmed(r, around, &before))
		return true;
	if (r->place.given < r->place.cursor.seq)
		r->place.given = r->place.cursor.seq;
	r->place.offset = r->place.cursor.offset;
	return true;
}

/*
 * There is no event here: true with the result to return; false to look
 * further.
 */
static bool
get_further(struct log_reader *r, struct around *around, enum log_next *out)
{
	bool readable = r->segment.fd >= 0;
	bool done = r->place.given + 1 >= r->limit &&
	    r->place.offset >= r->limit_offset;

	if (readable && !done && skip_damage(r)) {
		*out = LOG_DAMAGED;
		return true;
	}
	if (around->next != 0)
		return go_to_next(r, around, out);
	*out = end_of_log(r, around,
	    readable && segment_end(&r->segment) > r->place.cursor.at);
	return true;
}

/*
 * True if the segment has changed: the writer cut bytes that had been read,
 * and perhaps wrote others in their place.
 */
static bool
was_taken_back(const struct log_reader *r, enum record_state state)
{
	return r->segment.fd >= 0 && r->live &&
	    (state == RECORD_BAD ||
		segment_end(&r->segment) < r->place.cursor.at);
}

/*
 * True if the segment ended inside a record only because the writer had got no
 * further.  The missing rest is then no damage.
 */
static bool
has_grown(const struct log_reader *r, const struct around *around, uint64_t end)
{
	return r->segment.fd >= 0 && around->next == 0 &&
	    segment_end(&r->segment) != end;
}

enum log_next
reader_step(struct log_reader *r, struct record *out)
{
	bool again = false;
	enum log_next next;

	for (;;) {
		enum record_state state = next_here(r, out);
		struct around around;
		struct reader_position before;
		uint64_t end;

		if (state == RECORD_VALID)
			return LOG_RECORD;
		/* Before the second look, so that it sees everything. */
		look_around(r, &around);
		find_limit(r, around.next);
		segment_forget(&r->segment);
		end = r->segment.fd >= 0 ? segment_end(&r->segment) : 0;
		state = next_here(r, out);
		if (state == RECORD_VALID)
			return LOG_RECORD;
		if (!again && was_taken_back(r, state)) {
			segment_begin(&r->segment, &r->place.cursor);
			again = true;
			continue;
		}
		before = r->place;
		if (!get_further(r, &around, &next))
			continue;
		if (state != RECORD_SHORT || !has_grown(r, &around, end)) {
			if (next == LOG_DAMAGED)
				note_damage(r);
			return next;
		}
		r->place = before;
	}
}

enum log_next
log_reader_next(struct log_reader *r, struct record *out)
{
	uint8_t events[4096];

	while (r->watch >= 0 && read(r->watch, events, sizeof(events)) > 0)
		continue;
	return reader_step(r, out);
}

bool
log_reader_next_there(struct log_reader *r, struct record *out)
{
	enum log_next next;

	do
		next = log_reader_next(r, out);
	while (next == LOG_DAMAGED);
	return next == LOG_RECORD;
}

void
log_reader_damage(const struct log_reader *r, struct log_damage *out)
{
	*out = r->damage;
}

/* ----------------------------------------------------------- what there is */

static void
find_begin(const struct log_reader *r, const uint32_t *list, int n,
    struct log_extent *out)
{
	struct segment_header h;

	for (int i = 0; i < n; i++) {
		if (segment_look(r->dirfd, list[i], &h) < 0)
			continue;
		out->first_seq = h.first_seq;
		out->first_offset = h.first_offset;
		out->first_time_ns = h.first_time_ns;
		return;
	}
}

/* The last complete event of a segment; false if it has none. */
static bool
find_last(const struct log_reader *r, uint32_t number, struct log_extent *out)
{
	struct segment_cursor c;
	struct segment s;
	struct record rec;
	bool found = false;

	if (segment_open(&s, r->dirfd, number) < 0)
		return false;
	segment_last_sync(&s, &c);
	do {
		if (c.seq < s.head.first_seq ||
		    (c.open != 0 && c.open != RECORD_OUTPUT))
			continue;
		found = true;
		out->last_seq = c.seq;
		out->end_offset = c.offset;
		out->last_time_ns = c.time_ns;
	} while (segment_next(&s, &c, &rec) == RECORD_VALID);
	segment_close(&s);
	return found;
}

static uint64_t
file_size(const struct log_reader *r, uint32_t number, enum segment_kind kind)
{
	char name[SEGMENT_NAME_MAX];
	struct stat st;

	segment_name(name, number, kind);
	if (fstatat(r->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return (uint64_t)st.st_size;
}

int
log_reader_extent(struct log_reader *r, struct log_extent *out)
{
	auto_free uint32_t *list = NULL;
	int n = segment_list(r->dirfd, &list);

	if (n < 0)
		return n;
	*out = (struct log_extent){ .being_written = is_locked(r) };
	find_begin(r, list, n, out);
	for (int i = n - 1; i >= 0; i--)
		if (find_last(r, list[i], out))
			break;
	for (int i = 0; i < n; i++)
		out->bytes += file_size(r, list[i], SEGMENT_PLAIN) +
		    file_size(r, list[i], SEGMENT_COMPRESSED);
	return 0;
}

void
log_reader_check(struct log_reader *r)
{
	struct record rec;

	if (log_reader_seek(r, LOG_BY_SEQ, 0) == 0)
		while (log_reader_next_there(r, &rec))
			continue;
}

/*
 * A segment that a glance has checked, and the known end of the log before it.
 */
struct seen {
	uint32_t number;      /* 0: none */
	uint64_t seq, offset; /* expected next; 0: not checked */
};

/* Find the end of a segment whose header alone was read so far. */
static void
find_seen_end(const struct log_reader *r, const struct seen *s,
    struct reader_position *out)
{
	struct log_extent end = { .last_seq = s->seq - 1,
		.end_offset = s->offset };

	if (s->number != 0)
		find_last(r, s->number, &end);
	*out = (struct reader_position){ .given = end.last_seq,
		.offset = end.end_offset };
}

/* Something is missing between two segments, or before the first. */
static void
note_hole(struct log_reader *r, const struct seen *before,
    const struct segment_header *h)
{
	struct reader_position from;

	find_seen_end(r, before, &from);
	if (h->first_seq <= from.given + 1)
		return;
	r->damage = (struct log_damage){
		.seq_from = from.given,
		.seq_to = h->first_seq,
		.offset_from = from.offset,
		.offset_to = h->first_offset,
		.gone = h->number != before->number + 1,
	};
	note_damage(r);
}

/* `torn`: there is a newer segment that cannot be read. */
static void
note_end(struct log_reader *r, const struct seen *last, bool torn)
{
	struct around around = { .locked = is_locked(r) };

	find_seen_end(r, last, &r->place);
	if (end_of_log(r, &around, torn) == LOG_DAMAGED)
		note_damage(r);
	r->place = (struct reader_position){ 0 };
}

void
log_reader_scan(struct log_reader *r, bool end)
{
	auto_free uint32_t *list = NULL;
	int n = segment_list(r->dirfd, &list);
	struct segment_header h, begin;
	bool known = begin_read(r->dirfd, &begin), torn;
	struct seen last = { .seq = known ? begin.first_seq : 1,
		.offset = known ? begin.first_offset : 0 };

	reader_go_back(r, &(struct reader_position){ 0 });
	for (int i = 0; i < n; i++) {
		if (segment_look(r->dirfd, list[i], &h) < 0)
			continue;
		if ((known || i > 0) &&
		    (last.number == 0 || list[i] != last.number + 1))
			note_hole(r, &last, &h);
		last = (struct seen){ list[i], h.first_seq, h.first_offset };
	}
	torn = n > 0 && last.number != list[n - 1];
	if (end || torn || n <= 0 || last.number < r->expect_newest)
		note_end(r, &last, torn);
}

int
log_reader_watch(struct log_reader *r)
{
	auto_close int fd = -1;
	char path[64];

	if (r->watch >= 0)
		return r->watch;
	fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->dirfd);
	if (inotify_add_watch(fd, path,
		IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE |
		    IN_DELETE) < 0)
		return -errno;
	r->watch = fd_take(&fd);
	return r->watch;
}
