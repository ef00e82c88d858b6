#include "unit.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "log_make.h"
#include "../rng.h"

static uint8_t *
noise(struct rng *rng, size_t len)
{
	uint8_t *p = xmalloc(len + 1);

	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)(rng_next(rng) >> (i % 3 == 0 ? 3 : 60));
	return p;
}

static void
events_are_read_back_as_they_were_appended(void **state)
{
	struct rng rng = { 1 };
	struct made m;

	(void)state;
	made_init(&m);
	assert_int_equal(m.end.seq, 0);
	made_put(&m, RECORD_START, 0, "{}", 2);
	made_put(&m, RECORD_KEYFRAME, RECORD_FULL, "kkkk", 4);
	for (size_t len = 0; len < 300000; len = len * 3 + 1) {
		auto_free uint8_t *p = noise(&rng, len);

		made_put(&m, RECORD_OUTPUT, RECORD_FRAME, p, len);
		made_put(&m, RECORD_OUTPUT, RECORD_HIDDEN, p, len);
		made_put(&m, RECORD_KEYFRAME, 0, p, len);
		made_put(&m, RECORD_MARK, 0, "a mark here", 5 + len % 7);
		made_put(&m, 200, 0, p, len); /* a type to come */
	}
	made_reads_back(&m, 1);
	made_close(&m);
	made_reads_back(&m, 1);
	made_finish(&m);
}

/* Syncs stand where the format says, and the segment has nothing else. */
static void
a_sync_comes_every_64_kib(void **state)
{
	struct rng rng = { 2 };
	struct segment_cursor c;
	struct segment s;
	struct record r;
	struct made m;
	uint64_t last = 0;
	size_t syncs = 0;

	(void)state;
	made_init(&m);
	for (int i = 0; i < 3000; i++) {
		size_t len = rng_below(&rng, 1500);
		auto_free uint8_t *p = noise(&rng, len);

		made_put(&m, rng_below(&rng, 3) ? RECORD_OUTPUT : RECORD_MARK,
		    0, p, len);
	}
	assert_int_equal(segment_open(&s, m.dirfd, 1), 0);
	segment_begin(&s, &c);
	for (;;) {
		uint64_t at = c.at;

		if (segment_next(&s, &c, &r) != RECORD_VALID)
			break;
		assert_true(r.len <= RECORD_PAYLOAD_MAX);
		if (r.type != RECORD_SYNC)
			continue;
		assert_int_equal(at % RECORD_SYNC_ALIGN, 0);
		assert_in_range(at - last, 1, RECORD_SYNC_EVERY + RECORD_MAX);
		last = at;
		syncs++;
	}
	assert_int_equal(c.at, segment_end(&s));
	assert_true(segment_end(&s) - last <= RECORD_SYNC_EVERY + RECORD_MAX);
	assert_true(syncs > 20);
	segment_close(&s);
	made_finish(&m);
}

static int
append_random(struct made *m, struct rng *rng)
{
	struct log_event ev[40];
	uint8_t *bytes[40];
	size_t n = rng_between(rng, 1, 40);
	struct made then = *m;

	for (size_t i = 0; i < n; i++) {
		static const uint8_t types[] = { RECORD_OUTPUT, RECORD_OUTPUT,
			RECORD_MARK, RECORD_KEYFRAME, RECORD_INPUT, 99 };
		size_t len = rng_below(rng,
		    rng_below(rng, 40) == 0 ? 200000 : 700);
		uint8_t type = types[rng_below(rng, 6)];
		size_t cut = type == RECORD_OUTPUT ?
		    0 :
		    rng_below(rng, (unsigned)len + 1);

		bytes[i] = noise(rng, len);
		ev[i] = made_next(&then, type, 0, bytes[i] + cut, len - cut);
		ev[i].p1 = bytes[i];
		ev[i].len1 = cut;
		if (type == RECORD_OUTPUT && rng_below(rng, 2))
			ev[i].flags = RECORD_FRAME;
		then.seq = ev[i].seq;
		then.time_ns = ev[i].time_ns;
		if (type == RECORD_OUTPUT)
			then.offset += len;
	}
	int rc = log_writer_segment_size(m->w) > 1 << 20 ?
	    log_writer_rotate(m->w, ev, n) :
	    log_writer_append(m->w, ev, n);

	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			made_note(m, &ev[i]);
		free(bytes[i]);
	}
	return rc;
}

static void
reopen(struct made *m)
{
	made_close(m);
	made_open(m);
	assert_int_equal(m->end.seq, m->seq);
	assert_int_equal(m->end.offset, m->offset);
	assert_int_equal(m->end.time_ns, m->time_ns);
	assert_int_equal(m->end.cut, 0);
}

static uint64_t
bytes_on_disk(const struct made *m)
{
	struct log_reader *r = made_reader(m->dirfd);
	struct log_extent extent;

	assert_int_equal(log_reader_extent(r, &extent), 0);
	log_reader_close(r);
	assert_int_equal(extent.last_seq, m->seq);
	assert_int_equal(extent.end_offset, m->offset);
	assert_int_equal(extent.last_time_ns, m->time_ns);
	assert_int_equal(extent.being_written, m->w != NULL);
	return extent.bytes;
}

static void
do_something(struct made *m, struct rng *rng, uint64_t *first)
{
	uint64_t offset;

	switch (rng_below(rng, 12)) {
	case 0:
		reopen(m);
		break;
	case 1:
		assert_in_range(log_writer_compress(m->w), 0, 1);
		break;
	case 2:
		assert_int_equal(log_writer_sync(m->w), 0);
		break;
	case 3:
		if (rng_below(rng, 4) == 0)
			assert_true(log_writer_trim(m->w, 3 << 20, first,
					&offset) >= 0);
		break;
	default:
		assert_int_equal(append_random(m, rng), 0);
	}
	assert_int_equal(bytes_on_disk(m), log_writer_bytes(m->w));
}

static void
it_does_what_a_list_does(void **state)
{
	unsigned rounds = full_doses() ? 40 : 4;

	(void)state;
	for (unsigned seed = 0; seed < rounds; seed++) {
		struct rng rng = { 100 + seed };
		uint64_t first = 1;
		struct made m;

		made_init(&m);
		append_random(&m, &rng);
		for (int i = 0; i < 250; i++)
			do_something(&m, &rng, &first);
		made_reads_back(&m, first);
		made_finish(&m);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_read_back_as_they_were_appended),
		cmocka_unit_test(a_sync_comes_every_64_kib),
		cmocka_unit_test(it_does_what_a_list_does),
	};

	return cmocka_run_group_tests_name("log_writer", tests, NULL, NULL);
}
