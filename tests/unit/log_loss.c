/*
 * A log with a known end, as an ended session has.  Whatever happens to one of
 * its files, a reader gives every event that was written, or reports it as
 * missing.  No loss is silent.
 */
#include "unit.h"

#include "log/compress.h"
#include "log_make.h"
#include "../rng.h"

#include <sys/file.h>

#define SEGMENTS 4
#define FILES (SEGMENTS + 1) /* and begin */

enum form { PLAIN, PACKED, MIXED, FORMS };

static const char *const forms[] = { "plain", "packed", "mixed" };

struct victim {
	struct made m;
	char names[FILES][SEGMENT_NAME_MAX];
	struct buf files[FILES];
	uint64_t *given; /* per event: 1 and the bytes that were read of it */
};

/* Text that compresses, and bytes that do not. */
static void
fill(struct made *m, struct rng *rng, uint64_t bytes)
{
	uint64_t end = log_writer_segment_size(m->w) + bytes;
	uint8_t p[6000];

	while (log_writer_segment_size(m->w) < end) {
		unsigned roll = rng_below(rng, 100);
		size_t len = rng_below(rng, roll < 3 ? sizeof(p) : 300);

		for (size_t i = 0; i < len; i++)
			p[i] = roll % 2 ? (uint8_t)rng_next(rng) :
					  (uint8_t)('a' + i % 7);
		if (roll < 2)
			made_put(m, RECORD_KEYFRAME, 0, p, len);
		else if (roll < 20)
			made_put(m, RECORD_INPUT, 0, p, len);
		else
			made_put(m, RECORD_OUTPUT, roll & RECORD_FRAME, p, len);
	}
}

static bool
is_packed(enum form form, uint32_t number)
{
	return form == PACKED || (form == MIXED && number % 2 == 1);
}

static void
victim_init(struct victim *v, enum form form, uint64_t bytes)
{
	struct rng rng = { 31 };

	made_init(&v->m);
	made_put(&v->m, RECORD_START, 0, "{}", 2);
	fill(&v->m, &rng, bytes);
	for (uint32_t n = 2; n <= SEGMENTS; n++) {
		made_rotate(&v->m, "key", 3);
		fill(&v->m, &rng, bytes);
	}
	made_put(&v->m, RECORD_EXIT, 0, "exit of the program", 13);
	made_close(&v->m);
	for (uint32_t n = 1; n <= SEGMENTS; n++) {
		enum segment_kind kind = SEGMENT_PLAIN;
		uint64_t size;

		if (is_packed(form, n)) {
			kind = SEGMENT_COMPRESSED;
			assert_int_equal(compress_segment(v->m.dirfd, n,
					     &log_io_system, &size),
			    0);
		}
		segment_name(v->names[n - 1], n, kind);
		v->files[n - 1] = made_file(&v->m, n, kind);
	}
	snprintf(v->names[SEGMENTS], SEGMENT_NAME_MAX, "begin");
	v->files[SEGMENTS] = made_named(&v->m, "begin");
	v->given = xcalloc(v->m.count + 2, sizeof(*v->given));
}

static void
victim_finish(struct victim *v)
{
	for (int i = 0; i < FILES; i++)
		buf_finish(&v->files[i]);
	free(v->given);
	made_finish(&v->m);
}

static void
put_back(const struct victim *v, int i)
{
	made_write_named(&v->m, v->names[i], v->files[i].data, v->files[i].len);
}

static bool
is_named(const struct log_reader *r, const struct twin_event *e)
{
	bool output = e->type == RECORD_OUTPUT;
	size_t n;
	const struct log_damage *d = log_reader_damages(r, &n);

	for (; n > 0; n--, d++)
		if (e->seq >= d->seq_from &&
		    (d->seq_to == 0 || e->seq <= d->seq_to) &&
		    (!output || d->seq_to == 0 ||
			(d->offset_from <= e->offset + e->len &&
			    d->offset_to >= e->offset)))
			return true;
	return false;
}

static struct log_reader *
open_victim(const struct victim *v)
{
	struct log_reader *r = made_reader(v->m.dirfd);

	log_reader_expect(r, v->m.seq, v->m.offset, 0);
	return r;
}

/*
 * Read from an event on; returns how many were missing, each of them reported.
 */
static size_t
read_from(struct victim *v, uint64_t first, const char *what)
{
	struct log_reader *r = open_victim(v);
	size_t missing = 0, n;
	enum log_next next;
	struct record rec;

	memset(v->given, 0, (v->m.count + 2) * sizeof(*v->given));
	assert_int_equal(log_reader_seek(r, LOG_BY_SEQ, first), 0);
	while ((next = log_reader_next(r, &rec)) == LOG_RECORD ||
	    next == LOG_DAMAGED) {
		const uint8_t *p;
		uint64_t at;
		size_t len = rec.len;

		if (next == LOG_DAMAGED)
			continue;
		assert_true(made_is(&v->m, &rec));
		if (rec.type == RECORD_OUTPUT)
			made_output(&rec, &at, &p, &len);
		v->given[rec.seq] += len + (v->given[rec.seq] == 0);
	}
	assert_int_equal(next, LOG_END);
	for (uint64_t seq = first; seq <= v->m.seq; seq++) {
		const struct twin_event *e = &v->m.events[seq - 1];

		if (v->given[seq] == e->len + 1)
			continue;
		missing++;
		if (!is_named(r, e))
			fail_msg("%s: %ju of the %zu bytes of event %ju were "
				 "given, and nobody said so",
			    what, (uintmax_t)v->given[seq], e->len,
			    (uintmax_t)seq);
	}
	log_reader_damages(r, &n);
	if (n == 0)
		assert_int_equal(missing, 0);
	log_reader_close(r);
	return missing;
}

static int
open_file(const struct victim *v, int i)
{
	int fd = openat(v->m.dirfd, v->names[i], O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void
is_well(struct victim *v)
{
	struct log_reader *r = open_victim(v);
	size_t n;

	assert_int_equal(read_from(v, 1, "nothing"), 0);
	log_reader_check(r);
	log_reader_scan(r, true);
	log_reader_damages(r, &n);
	assert_int_equal(n, 0);
	log_reader_close(r);
}

static void
no_flipped_bit_is_silent(void **state)
{
	unsigned flips = dose(1500, 50000), lost = 0;
	struct rng rng = { 32 };

	(void)state;
	for (int form = 0; form < FORMS; form++) {
		struct victim v;

		victim_init(&v, (enum form)form, 80000);
		is_well(&v);
		for (unsigned n = 0; n < flips / FORMS + 1; n++) {
			int i = (int)rng_below(&rng, FILES);
			uint64_t at = rng_below(&rng,
			    (unsigned)(n % 8 == 0 ? 128 : v.files[i].len));
			uint8_t was = v.files[i].data[at];
			uint8_t is = was ^ (uint8_t)(1u << rng_below(&rng, 8));
			auto_close int fd = open_file(&v, i);
			char what[80];

			snprintf(what, sizeof(what), "%s %s: bit at %ju",
			    forms[form], v.names[i], (uintmax_t)at);
			assert_int_equal(pwrite(fd, &is, 1, (off_t)at), 1);
			lost += read_from(&v, 1, what) > 0;
			if (n % 4 == 0)
				read_from(&v,
				    1 + rng_below(&rng, (unsigned)v.m.seq),
				    what);
			assert_int_equal(pwrite(fd, &was, 1, (off_t)at), 1);
		}
		is_well(&v);
		victim_finish(&v);
	}
	assert_true(lost > flips / 2);
}

/*
 * Every length, from the whole file down to nothing; some of them in a small
 * run.
 */
static void
no_truncation_is_silent(void **state)
{
	struct rng rng = { 33 };

	(void)state;
	for (int form = 0; form < FORMS; form++) {
		struct victim v;

		victim_init(&v, (enum form)form, 9000);
		for (int i = 0; i < FILES; i++) {
			auto_close int fd = open_file(&v, i);

			for (size_t len = v.files[i].len; len-- > 0;) {
				char what[80];

				if (len > 200 &&
				    rng_below(&rng, 100) >= dose(1, 100))
					continue;
				snprintf(what, sizeof(what),
				    "%s %s: cut at %zu", forms[form],
				    v.names[i], len);
				assert_int_equal(ftruncate(fd, (off_t)len), 0);
				read_from(&v, 1, what);
			}
			put_back(&v, i);
		}
		is_well(&v);
		victim_finish(&v);
	}
}

static void
no_removed_file_is_silent(void **state)
{
	(void)state;
	for (int form = 0; form < FORMS; form++) {
		struct victim v;

		victim_init(&v, (enum form)form, 20000);
		for (int i = 0; i < SEGMENTS; i++) {
			unlinkat(v.m.dirfd, v.names[i], 0);
			assert_true(read_from(&v, 1, v.names[i]) > 0);
			assert_int_equal(renameat(v.m.dirfd,
					     v.names[(i + 1) % 4], v.m.dirfd,
					     v.names[i]),
			    0);
			assert_true(read_from(&v, 1, "another's name") > 0);
			put_back(&v, i);
			put_back(&v, (i + 1) % 4);
		}
		for (int i = 0; i < SEGMENTS; i++)
			unlinkat(v.m.dirfd, v.names[i], 0);
		assert_int_equal(read_from(&v, 1, "all"), v.m.seq);
		victim_finish(&v);
	}
}

/* Bytes after the end of a file lose nothing. */
static void
no_appended_byte_costs_anything(void **state)
{
	(void)state;
	for (int form = 0; form < FORMS; form++) {
		struct victim v;

		victim_init(&v, (enum form)form, 20000);
		for (int i = 0; i < FILES; i++)
			for (size_t len = 1; len < 10000; len = 7 * len) {
				auto_close int fd = open_file(&v, i);
				auto_free uint8_t *p = xcalloc(len, 1);

				memset(p, (int)len, len);
				assert_int_equal(pwrite(fd, p, len,
						     (off_t)v.files[i].len),
				    len);
				assert_int_equal(read_from(&v, 1, v.names[i]),
				    0);
				put_back(&v, i);
			}
		victim_finish(&v);
	}
}

/* A compressing process holds the writer's lock and writes no event. */
static void
a_loss_is_reported_even_under_a_lock(void **state)
{
	auto_close int lock = -1;
	struct victim v;

	(void)state;
	victim_init(&v, PACKED, 20000);
	lock = open(v.m.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	unlinkat(v.m.dirfd, v.names[SEGMENTS - 1], 0);
	assert_true(read_from(&v, 1, "the newest, locked") > 0);
	victim_finish(&v);
}

/* A check of names and headers sees losses of whole files. */
static void
a_quick_check_sees_missing_files(void **state)
{
	struct victim v;

	(void)state;
	victim_init(&v, MIXED, 20000);
	for (int i = 0; i < SEGMENTS; i++) {
		struct log_reader *glance = open_victim(&v);
		struct log_reader *whole = open_victim(&v);
		const struct log_damage *a, *b;
		size_t n, m;

		unlinkat(v.m.dirfd, v.names[i], 0);
		log_reader_scan(glance, true);
		log_reader_check(whole);
		a = log_reader_damages(glance, &n);
		b = log_reader_damages(whole, &m);
		assert_int_equal(n, 1);
		assert_int_equal(m, 1);
		assert_int_equal(a->seq_from, b->seq_from);
		assert_int_equal(a->seq_to, b->seq_to);
		assert_int_equal(a->offset_from, b->offset_from);
		assert_int_equal(a->offset_to, b->offset_to);
		assert_int_equal(a->gone, b->gone);
		log_reader_close(glance);
		log_reader_close(whole);
		put_back(&v, i);
	}
	is_well(&v);
	victim_finish(&v);
}

/* ------------------------------------------------------------- compressing */

/* A disk that writes a wrong byte somewhere. */
struct liar {
	struct log_io io;
	uint64_t at; /* of the file */
};

static ssize_t
write_wrong(void *arg, int fd, const struct iovec *iov, int n, off_t at)
{
	const struct liar *l = arg;
	ssize_t done = pwritev(fd, iov, n, at);
	uint8_t byte;

	if (done > 0 && (uint64_t)at <= l->at &&
	    l->at < (uint64_t)(at + done) &&
	    pread(fd, &byte, 1, (off_t)l->at) == 1) {
		byte ^= 4;
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)l->at), 1);
	}
	return done;
}

static void
a_wrong_compressed_file_does_not_replace_the_segment(void **state)
{
	struct liar liar = { .io = log_io_system };
	struct victim v;

	(void)state;
	liar.io.writev = write_wrong;
	liar.io.arg = &liar;
	victim_init(&v, PLAIN, 20000);
	for (liar.at = SEGMENT_RECORDS; liar.at < 6000; liar.at += 97) {
		uint64_t size;

		assert_int_equal(compress_segment(v.m.dirfd, 2, &liar.io,
				     &size),
		    -EILSEQ);
		is_well(&v);
	}
	victim_finish(&v);
}

/* Damage is the same before and after compression. */
static void
damage_survives_compression_unchanged(void **state)
{
	struct rng rng = { 34 };
	struct victim v;

	(void)state;
	victim_init(&v, PLAIN, 80000);
	for (unsigned n = 0; n < dose(60, 600); n++) {
		int i = (int)rng_below(&rng, SEGMENTS);
		uint64_t at = rng_between(&rng, 128,
		    (unsigned)v.files[i].len - 1);
		auto_free uint64_t *before = xcalloc(v.m.count + 2, 8);
		char packed[SEGMENT_NAME_MAX];
		uint8_t is = v.files[i].data[at] ^ 16;
		auto_close int fd = open_file(&v, i);
		uint64_t size;

		assert_int_equal(pwrite(fd, &is, 1, (off_t)at), 1);
		read_from(&v, 1, v.names[i]);
		memcpy(before, v.given, (v.m.count + 2) * 8);
		assert_int_equal(compress_segment(v.m.dirfd, (uint32_t)i + 1,
				     &log_io_system, &size),
		    0);
		read_from(&v, 1, "packed");
		assert_memory_equal(before, v.given, (v.m.count + 2) * 8);
		segment_name(packed, (uint32_t)i + 1, SEGMENT_COMPRESSED);
		assert_int_equal(unlinkat(v.m.dirfd, packed, 0), 0);
		put_back(&v, i);
	}
	is_well(&v);
	victim_finish(&v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_flipped_bit_is_silent),
		cmocka_unit_test(no_truncation_is_silent),
		cmocka_unit_test(no_removed_file_is_silent),
		cmocka_unit_test(no_appended_byte_costs_anything),
		cmocka_unit_test(a_loss_is_reported_even_under_a_lock),
		cmocka_unit_test(a_quick_check_sees_missing_files),
		cmocka_unit_test(
		    a_wrong_compressed_file_does_not_replace_the_segment),
		cmocka_unit_test(damage_survives_compression_unchanged),
	};

	return cmocka_run_group_tests_name("log_loss", tests, NULL, NULL);
}
