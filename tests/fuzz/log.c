/*
 * Any files as a log.  The input describes them: raw bytes, or records and
 * blocks for which this file computes correct checksums, so that the code
 * behind the checksums runs too.  Reading ends, numbers do not go back, and
 * the reader gives only what was asked for.  A writer can open the log, and
 * leaves it whole.
 *
 *	input    segment*
 *	segment  kind, then
 *		 0, 1: length u16, bytes of the .seg, of the .zseg
 *		 2, 3: seq, offset and time that it skips, op*; 3 is compressed
 *	op       0 end
 *		 1 type, flags, steps of seq and time, length u16, bytes
 *		 2 a sync, after a pad
 */
#include "log/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "log/compress.h"
#include "log/io.h"
#include "log/replay.h"
#include "log/segment.h"
#include "log/writer.h"
#include "vt/vt.h"

#include "fuzz.h"

#define SEGMENTS_MAX 5
#define SEGMENT_MAX (600u << 10)
#define NONCE 0x1234567890abcdefu

/* The number of bytes left of the input. */
struct input {
	const uint8_t *p;
	size_t len;
};

static uint8_t
take(struct input *in)
{
	if (in->len == 0)
		return 0;
	in->len--;
	return *in->p++;
}

static const uint8_t *
take_bytes(struct input *in, size_t *len)
{
	const uint8_t *p = in->p;

	*len = take(in);
	*len |= (size_t)take(in) << 8;
	p = in->p;
	if (*len > in->len)
		*len = in->len;
	in->p += *len;
	in->len -= *len;
	return p;
}

/* ------------------------------------------------------------ making the log */

struct maker {
	int dirfd;
	uint32_t number;
	uint64_t seq, offset, time_ns;
	struct buf out;
};

static void
put_record(struct maker *m, uint8_t type, uint8_t flags, const void *p,
    size_t len)
{
	struct record r = { .type = type,
		.flags = flags,
		.seq = m->seq,
		.time_ns = m->time_ns };
	uint8_t head[RECORD_HEADER];

	if (m->out.len + len > SEGMENT_MAX)
		return;
	record_header(head, &r, NONCE, m->out.len, p, len, NULL, 0);
	buf_append(&m->out, head, sizeof(head));
	buf_append(&m->out, p, len);
}

static void
put_sync(struct maker *m)
{
	static const uint8_t zeros[2 * RECORD_SYNC_ALIGN];
	size_t room = (0 - m->out.len) % RECORD_SYNC_ALIGN;
	uint8_t next[8];

	if (room > 0 && room < RECORD_HEADER)
		room += RECORD_SYNC_ALIGN;
	if (room > 0)
		put_record(m, RECORD_PAD, 0, zeros, room - RECORD_HEADER);
	put_u64le(next, m->offset);
	put_record(m, RECORD_SYNC, 0, next, sizeof(next));
}

static void
put_event(struct maker *m, struct input *in)
{
	uint8_t type = take(in), flags = take(in);
	const uint8_t *p;
	uint64_t next;
	size_t len;

	m->seq += take(in);
	m->time_ns += take(in);
	p = take_bytes(in, &len);
	if (type == RECORD_OUTPUT && len >= 8) {
		/* Mostly at the offset where it belongs. */
		struct buf b;

		buf_init(&b, SIZE_MAX);
		buf_append(&b, p, len);
		if (b.data[0] != 0xff)
			put_u64le(b.data, m->offset);
		next = get_u64le(b.data) + len - 8;
		put_record(m, type, flags, b.data, len);
		m->offset = next;
		buf_finish(&b);
		return;
	}
	put_record(m, type, flags, p, len);
}

static void
make_header(struct maker *m, struct input *in)
{
	struct segment_header h = { .number = m->number, .nonce = NONCE };
	uint8_t head[SEGMENT_RECORDS];

	h.first_seq = m->seq + 1 + take(in);
	h.first_offset = m->offset += take(in);
	h.first_time_ns = m->time_ns += take(in);
	m->seq = h.first_seq - 1;
	segment_put_header(head, &h);
	buf_append(&m->out, head, sizeof(head));
}

static void
write_file(struct maker *m, enum segment_kind kind, const void *p, size_t len)
{
	char name[SEGMENT_NAME_MAX];
	auto_close int fd = -1;

	segment_name(name, m->number, kind);
	fd = openat(m->dirfd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0600);
	if (fd < 0 || fd_write_all(fd, p, len) < 0)
		abort();
}

static void
make_segment(struct maker *m, struct input *in)
{
	uint8_t kind = take(in) % 4, op;
	const uint8_t *p;
	uint64_t bytes;
	size_t len;

	m->number++;
	if (kind < 2) {
		p = take_bytes(in, &len);
		write_file(m, kind == 0 ? SEGMENT_PLAIN : SEGMENT_COMPRESSED, p,
		    len);
		return;
	}
	buf_clear(&m->out);
	make_header(m, in);
	while ((op = take(in)) % 3 != 0) {
		if (op % 3 == 1)
			put_event(m, in);
		else
			put_sync(m);
	}
	write_file(m, SEGMENT_PLAIN, m->out.data, m->out.len);
	if (kind == 3 &&
	    compress_segment(m->dirfd, m->number, &log_io_system, &bytes) < 0)
		abort();
}

/* ---------------------------------------------------------------- reading it */

static void
check(bool holds, const char *what)
{
	struct error err;

	if (!holds)
		fuzz_check(error_set(&err, EINVAL, "%s", what), &err);
}

/* The seq of the last event. */
static uint64_t
read_all(int dirfd, bool *torn)
{
	struct log_reader *r;
	struct record rec;
	enum log_next next;
	uint64_t seq = 0;

	*torn = false;
	check(log_reader_open(&r, dirfd, NULL) == 0, "it opens");
	while ((next = log_reader_next(r, &rec)) != LOG_END) {
		struct log_damage d;

		check(next != LOG_WAIT, "nobody writes");
		log_reader_damage(r, &d);
		if (next == LOG_DAMAGED) {
			*torn = d.torn;
			check(d.seq_from >= seq,
			    "damage comes behind the last");
			continue;
		}
		check(!*torn, "nothing comes after a torn end");
		check(rec.seq >= seq, "seq does not go back");
		check(rec.seq > seq || rec.type == RECORD_OUTPUT,
		    "only output has several records");
		check(record_is_event(rec.type), "no sync, no pad");
		seq = rec.seq;
	}
	log_reader_close(r);
	return seq;
}

static void
look_at(struct log_reader *r, enum log_by by, uint64_t value)
{
	struct record rec;
	struct replay at;

	check(log_reader_seek(r, by, value) == 0, "it can be searched");
	if (log_reader_next(r, &rec) == LOG_RECORD && by == LOG_BY_SEQ)
		check(rec.seq >= value, "what comes next is not before");
	if (log_reader_seek_keyframe(r, by, value, value % 2) == 0) {
		check(log_reader_next(r, &rec) == LOG_RECORD &&
			rec.type == RECORD_KEYFRAME,
		    "there is the keyframe");
		if (by == LOG_BY_SEQ)
			check(rec.seq <= value, "and it is not after");
	}
	if (replay_at(r, by, value, value % 2, &at, NULL) == 0)
		vt_destroy(at.vt);
}

static void
look_around(int dirfd, uint8_t salt)
{
	struct log_extent e;
	struct log_reader *r;
	struct replay at;

	check(log_reader_open(&r, dirfd, NULL) == 0, "it opens");
	check(log_reader_extent(r, &e) == 0, "it has an extent");
	look_at(r, LOG_BY_SEQ, e.first_seq + salt % 16);
	look_at(r, LOG_BY_OFFSET, e.first_offset + salt);
	look_at(r, LOG_BY_TIME, e.first_time_ns + salt);
	if (replay_end(r, salt % 2, &at, NULL) == 0)
		vt_destroy(at.vt);
	log_reader_close(r);
}

static void
write_on(int dirfd)
{
	struct log_event ev = { .type = RECORD_MARK, .p2 = "x", .len2 = 1 };
	struct log_writer *w;
	struct log_end end;
	struct error err;
	bool torn;

	fuzz_check(log_writer_open(&w, dirfd, &end, &err), &err);
	ev.seq = end.seq + 1;
	ev.time_ns = end.time_ns;
	check(log_writer_append(w, &ev, 1) == 0, "it goes on");
	log_writer_close(w);
	check(read_all(dirfd, &torn) >= ev.seq, "and is read");
	check(!torn, "with nothing torn");
}

/* ------------------------------------------------------------- the directory */

static char folder[64];

static void
empty_folder(void)
{
	DIR *dir = opendir(folder);
	struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL)
		if (d->d_name[0] != '.')
			unlinkat(dirfd(dir), d->d_name, 0);
	if (dir != NULL)
		closedir(dir);
}

static void
remove_folder(void)
{
	empty_folder();
	rmdir(folder);
}

static int
open_folder(void)
{
	const char *where = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	if (folder[0] == '\0') {
		snprintf(folder, sizeof(folder), "%s/tend-fuzz-XXXXXX", where);
		if (mkdtemp(folder) == NULL)
			abort();
		atexit(remove_folder);
	}
	empty_folder();
	return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	struct maker m = { .dirfd = open_folder() };
	struct input in = { p, len };
	struct record r;
	bool torn;

	record_parse(p, len, 0, 0, &r);
	buf_init(&m.out, 2 * SEGMENT_MAX);
	while (in.len > 0 && m.number < SEGMENTS_MAX)
		make_segment(&m, &in);
	read_all(m.dirfd, &torn);
	look_around(m.dirfd, len > 0 ? p[len - 1] : 0);
	write_on(m.dirfd);
	buf_finish(&m.out);
	close(m.dirfd);
	return 0;
}
