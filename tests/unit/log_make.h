#ifndef TEND_TESTS_LOG_MAKE_H
#define TEND_TESTS_LOG_MAKE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "log/io.h"
#include "log/payload.h"
#include "log/reader.h"
#include "log/record.h"
#include "log/segment.h"
#include "log/writer.h"

/*
 * Logs for tests, which include unit.h first: a directory, a writer, and a
 * naive list of the appended events.
 */
struct twin_event {
	uint8_t type, flags;
	uint64_t seq, time_ns, offset;
	uint8_t *p;
	size_t len;
};

struct made {
	char path[64];
	int dirfd;
	const struct log_io *io;
	struct log_writer *w;
	struct log_end end; /* the log's end when the writer opened it */
	uint64_t seq, time_ns, offset;
	struct twin_event *events;
	size_t count, room;
};

static inline bool
full_doses(void)
{
	const char *s = getenv("TEND_TEST_FULL");

	return s != NULL && strcmp(s, "1") == 0;
}

/*
 * The number of tries: `small`, or `all` in a full run.  Builds that are
 * slower or repeat another do a tenth of `all`.
 */
static inline unsigned
dose(unsigned small, unsigned all)
{
	if (!full_doses())
		return small;
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
	return all / 10 > small ? all / 10 : small;
#else
	return all;
#endif
}

/* The parts of an output; any other record stays whole. */
static inline bool
made_output(const struct record *r, uint64_t *offset, const uint8_t **p,
    size_t *len)
{
	struct payload_output out;

	if (!payload_output_of(&out, r))
		return false;
	*offset = out.offset;
	*p = out.bytes.p;
	*len = out.bytes.len;
	return true;
}

static inline void
made_open(struct made *m)
{
	struct error err = { 0 };
	int rc = log_writer_open_with(&m->w, m->dirfd, m->io, &m->end, &err);

	if (rc < 0)
		fail_msg("%s: %d %s", m->path, rc, err.msg);
}

static inline void
made_close(struct made *m)
{
	log_writer_close(m->w);
	m->w = NULL;
}

static inline void
made_init_with(struct made *m, const struct log_io *io)
{
	*m = (struct made){ .path = "/tmp/tend-log-XXXXXX", .io = io };
	assert_non_null(mkdtemp(m->path));
	m->dirfd = open(m->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(m->dirfd >= 0);
	made_open(m);
}

static inline void
made_init(struct made *m)
{
	made_init_with(m, &log_io_system);
}

static inline void
made_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	assert_non_null(dir);
	while ((d = readdir(dir)) != NULL)
		if (d->d_name[0] != '.')
			unlinkat(dirfd(dir), d->d_name, 0);
	closedir(dir);
}

static inline void
made_finish(struct made *m)
{
	made_close(m);
	fd_close(&m->dirfd);
	made_empty(m->path);
	assert_int_equal(rmdir(m->path), 0);
	for (size_t i = 0; i < m->count; i++)
		free(m->events[i].p);
	free(m->events);
}

/* The next event of the log, not appended yet. */
static inline struct log_event
made_next(const struct made *m, uint8_t type, uint8_t flags, const void *p,
    size_t len)
{
	return (struct log_event){
		.type = type,
		.flags = flags,
		.seq = m->seq + 1,
		.time_ns = m->time_ns + 1000,
		.p2 = p,
		.len2 = len,
		.offset = m->offset,
	};
}

/* Note that it was appended. */
static inline void
made_note(struct made *m, const struct log_event *ev)
{
	struct twin_event *t;

	if (m->count == m->room) {
		m->room = 2 * m->room + 64;
		m->events = xrealloc(m->events, m->room, sizeof(*m->events));
	}
	t = &m->events[m->count++];
	*t = (struct twin_event){ ev->type, ev->flags, ev->seq, ev->time_ns,
		ev->offset, NULL, ev->len1 + ev->len2 };
	t->p = xmalloc(t->len + 1);
	if (ev->len1 > 0)
		memcpy(t->p, ev->p1, ev->len1);
	if (ev->len2 > 0)
		memcpy(t->p + ev->len1, ev->p2, ev->len2);
	m->seq = ev->seq;
	m->time_ns = ev->time_ns;
	if (ev->type == RECORD_OUTPUT)
		m->offset = ev->offset + ev->len2;
}

static inline void
made_put(struct made *m, uint8_t type, uint8_t flags, const void *p, size_t len)
{
	struct log_event ev = made_next(m, type, flags, p, len);

	assert_int_equal(log_writer_append(m->w, &ev, 1), 0);
	made_note(m, &ev);
}

static inline void
made_rotate(struct made *m, const void *p, size_t len)
{
	struct log_event ev = made_next(m, RECORD_KEYFRAME, RECORD_FULL, p,
	    len);

	assert_int_equal(log_writer_rotate(m->w, &ev, 1), 0);
	made_note(m, &ev);
}

/* After so many seconds of the log the wall clock shows this. */
#define MADE_SECOND 1000000000ull
static inline void
made_clock(struct made *m, uint64_t seconds, uint64_t wall)
{
	uint8_t payload[9];

	put_u64le(payload, wall);
	payload[8] = 0;
	m->time_ns = seconds * MADE_SECOND - 1000;
	made_put(m, RECORD_CLOCK, 0, payload, sizeof(payload));
}

/* The event of the twin with this seq, or NULL. */
static inline const struct twin_event *
made_event(const struct made *m, uint64_t seq)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->events[i].seq == seq)
			return &m->events[i];
	return NULL;
}

/*
 * True if the record is the event of its seq, or for output a part of it.
 * Prints the difference if it is not.
 */
static inline bool
made_is(const struct made *m, const struct record *r)
{
	const struct twin_event *t = r->seq >= 1 && r->seq <= m->count &&
		m->events[r->seq - 1].seq == r->seq ?
	    &m->events[r->seq - 1] :
	    made_event(m, r->seq);
	const uint8_t *p = r->payload;
	uint64_t offset = 0, skip = 0;
	size_t len = r->len;
	bool same;

	if (t == NULL || r->type != t->type || r->time_ns != t->time_ns) {
		print_error("no such event: seq %ju type %u\n",
		    (uintmax_t)r->seq, r->type);
		return false;
	}
	if (r->type == RECORD_OUTPUT) {
		if (!made_output(r, &offset, &p, &len))
			return false;
		skip = offset - t->offset;
	}
	same = skip <= t->len && len <= t->len - skip &&
	    memcmp(p, t->p + skip, len) == 0;
	/* Only the last part of an event has no MORE, and has FRAME. */
	if (same && skip + len == t->len)
		same = r->flags == t->flags;
	else if (same)
		same = r->type == RECORD_OUTPUT &&
		    r->flags == ((t->flags & ~RECORD_FRAME) | RECORD_MORE);
	if (!same)
		print_error("seq %ju differs: flags %u not %u, %zu bytes at "
			    "%ju of %zu\n",
		    (uintmax_t)r->seq, r->flags, t->flags, len, (uintmax_t)skip,
		    t->len);
	return same;
}

/* The result of reading everything. */
struct gone_through {
	uint64_t seq, offset; /* of the last event; end of the output */
	uint64_t first;       /* seq of the first */
	size_t events;        /* whole ones */
	size_t damages;
	struct log_damage damage[64]; /* the first of them */
	enum log_next end;
};

static inline struct log_reader *
made_reader(int dirfd)
{
	struct log_reader *r = NULL;
	struct error err = { 0 };

	if (log_reader_open(&r, dirfd, &err) < 0)
		fail_msg("reader: %s", err.msg);
	return r;
}

/* Read to the end; every record must be the twin's. */
static inline void
made_read_on(const struct made *m, struct log_reader *r, struct gone_through *g)
{
	struct record rec;

	for (;;) {
		g->end = log_reader_next(r, &rec);
		if (g->end == LOG_DAMAGED) {
			if (g->damages < 64)
				log_reader_damage(r, &g->damage[g->damages]);
			g->damages++;
			continue;
		}
		if (g->end != LOG_RECORD)
			return;
		assert_true(made_is(m, &rec));
		if (g->events == 0 && g->first == 0)
			g->first = rec.seq;
		assert_true(rec.seq >= g->seq);
		g->seq = rec.seq;
		payload_next_offset(&rec, &g->offset);
		if ((rec.flags & RECORD_MORE) == 0)
			g->events++;
	}
}

static inline struct gone_through
made_read(const struct made *m)
{
	struct log_reader *r = made_reader(m->dirfd);
	struct gone_through g = { 0 };

	made_read_on(m, r, &g);
	log_reader_close(r);
	return g;
}

/* All events from `first` on are there, and no hole is reported. */
static inline void
made_reads_back(const struct made *m, uint64_t first)
{
	struct gone_through g = made_read(m);

	if (first == 1)
		assert_int_equal(g.damages, 0);
	assert_int_equal(g.first, first);
	assert_int_equal(g.seq, m->seq);
	assert_int_equal(g.events, m->seq - first + 1);
	assert_int_equal(g.offset, m->offset);
	assert_int_equal(g.end, m->w != NULL ? LOG_WAIT : LOG_END);
}

/*
 * The hole before a record was reported with its right ends, or there is none.
 */
static inline void
made_hole_is_told(const struct gone_through *g, const struct record *rec,
    uint64_t at)
{
	const struct log_damage *d = &g->damage[0];
	bool output = rec->type == RECORD_OUTPUT;

	if (g->damages > 0) {
		assert_false(d->torn);
		assert_int_equal(d->seq_to, rec->seq);
		if (output)
			assert_int_equal(d->offset_to, at);
	} else if (rec->seq != g->seq + 1 && (!output || rec->seq != g->seq)) {
		fail_msg("from seq %ju to %ju", (uintmax_t)g->seq,
		    (uintmax_t)rec->seq);
	} else if (output) {
		assert_int_equal(at, g->offset);
	}
}

/* Damage begins at the end of the last event, or of the damage before it. */
static inline void
made_damage_follows(struct gone_through *g, struct log_reader *r)
{
	struct log_damage *d = &g->damage[0];
	uint64_t seq = g->damages > 0 ? d->seq_to - 1 : g->seq;
	uint64_t offset = g->damages > 0 ? d->offset_to : g->offset;

	log_reader_damage(r, d);
	assert_int_equal(d->seq_from, seq);
	assert_int_equal(d->offset_from, offset);
	g->damages = 1;
}

/*
 * Read everything, and count how many bytes of each event there were.  Each
 * hole must have been reported, with the right ends, in the call before.
 * Returns the last event, and the damage after it if there is any.
 */
static inline struct gone_through
made_read_with_holes(const struct made *m, uint64_t *given)
{
	struct log_reader *r = made_reader(m->dirfd);
	struct gone_through g = { 0 };
	struct record rec;

	memset(given, 0, (m->count + 2) * sizeof(*given));
	while ((g.end = log_reader_next(r, &rec)) != LOG_END) {
		uint64_t at = 0;
		const uint8_t *p;
		size_t len = rec.len;

		if (g.end == LOG_DAMAGED) {
			made_damage_follows(&g, r);
			continue;
		}
		assert_int_equal(g.end, LOG_RECORD);
		assert_true(made_is(m, &rec));
		if (rec.type == RECORD_OUTPUT)
			made_output(&rec, &at, &p, &len);
		made_hole_is_told(&g, &rec, at);
		if (g.damages > 0)
			g.offset = g.damage[0].offset_to;
		if (rec.type == RECORD_OUTPUT)
			g.offset = at + len;
		g.seq = rec.seq;
		g.damages = 0;
		given[g.seq] += len;
	}
	log_reader_close(r);
	return g;
}

/* A file of the log as bytes, and bytes as a file. */
static inline struct buf
made_named(const struct made *m, const char *name)
{
	struct buf b;
	struct stat st;
	auto_close int fd = openat(m->dirfd, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		fail_msg("%s/%s: %s", m->path, name, strerror(errno));
	buf_init(&b, SIZE_MAX);
	assert_int_equal(read(fd, buf_reserve(&b, (size_t)st.st_size + 1),
			     (size_t)st.st_size),
	    st.st_size);
	buf_commit(&b, (size_t)st.st_size);
	return b;
}

static inline struct buf
made_file(const struct made *m, uint32_t number, enum segment_kind kind)
{
	char name[SEGMENT_NAME_MAX];

	segment_name(name, number, kind);
	return made_named(m, name);
}

static inline void
made_write_named(const struct made *m, const char *name, const void *p,
    size_t len)
{
	auto_close int fd = openat(m->dirfd, name,
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, p, len), 0);
}

static inline void
made_write_file(const struct made *m, uint32_t number, enum segment_kind kind,
    const void *p, size_t len)
{
	char name[SEGMENT_NAME_MAX];

	segment_name(name, number, kind);
	made_write_named(m, name, p, len);
}

#endif
