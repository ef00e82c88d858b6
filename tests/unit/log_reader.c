#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "log_make.h"
#include "../rng.h"

/* Several segments, some compressed; events that share their time. */
static void
make_long(struct made *m, unsigned segments, unsigned seed)
{
	struct rng rng = { seed };
	uint8_t p[70000];

	for (size_t i = 0; i < sizeof(p); i++)
		p[i] = (uint8_t)rng_next(&rng);
	made_init(m);
	made_put(m, RECORD_START, 0, "{}", 2);
	for (unsigned s = 0; s < segments; s++) {
		put_u64le(p, m->offset);
		if (s == 0)
			made_put(m, RECORD_KEYFRAME, RECORD_FULL, p, 16);
		else
			made_rotate(m, p, 20);
		for (int i = 0; i < 300; i++) {
			unsigned roll = rng_below(&rng, 60);
			size_t len = rng_below(&rng, 300);
			struct log_event ev;

			put_u64le(p, m->offset);
			ev = made_next(m,
			    roll == 0     ? RECORD_KEYFRAME :
				roll < 30 ? RECORD_OUTPUT :
					    RECORD_MARK,
			    0, p, roll == 1 ? sizeof(p) : 20 + len);
			ev.time_ns = m->time_ns + rng_below(&rng, 3) / 2 * 10;
			assert_int_equal(log_writer_append(m->w, &ev, 1), 0);
			made_note(m, &ev);
		}
	}
	for (unsigned s = 0; s < segments / 2; s++)
		assert_int_equal(log_writer_compress(m->w), 1);
}

/* The seq of the event expected after such a seek; 0: none. */
static uint64_t
naive_seek(const struct made *m, enum log_by by, uint64_t value)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct twin_event *t = &m->events[i];

		if (by == LOG_BY_SEQ && t->seq >= value)
			return t->seq;
		if (by == LOG_BY_TIME && t->time_ns >= value)
			return t->seq;
		if (by == LOG_BY_OFFSET && t->type == RECORD_OUTPUT &&
		    t->offset + t->len > value)
			return t->seq;
	}
	return 0;
}

static uint64_t
naive_keyframe(const struct made *m, enum log_by by, uint64_t value, bool full)
{
	uint64_t found = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct twin_event *t = &m->events[i];
		uint64_t at = by == LOG_BY_SEQ ? t->seq :
		    by == LOG_BY_TIME          ? t->time_ns :
						 t->offset;

		if (t->type == RECORD_KEYFRAME && at <= value &&
		    (!full || t->flags == RECORD_FULL))
			found = t->seq;
	}
	return found;
}

static uint64_t
some_value(const struct made *m, struct rng *rng, enum log_by by)
{
	uint64_t max = by == LOG_BY_SEQ ? m->seq :
	    by == LOG_BY_OFFSET         ? m->offset :
					  m->time_ns;

	return rng_below(rng, 30) == 0 ? max + rng_below(rng, 3) :
					 rng_next(rng) % (max + 1);
}

static void
seek_once(const struct made *m, struct log_reader *r, struct rng *rng)
{
	enum log_by by = (enum log_by)rng_below(rng, 3);
	uint64_t value = some_value(m, rng, by), offset = 0;
	uint64_t want = naive_seek(m, by, value);
	const uint8_t *p;
	struct record rec;
	size_t len = 0;
	enum log_next next;

	assert_int_equal(log_reader_seek(r, by, value), 0);
	next = log_reader_next(r, &rec);
	if (want == 0) {
		assert_int_equal(next, LOG_WAIT);
		return;
	}
	assert_int_equal(next, LOG_RECORD);
	if (rec.seq != want || !made_is(m, &rec))
		fail_msg("seek by %d to %ju gave %ju, not %ju", by,
		    (uintmax_t)value, (uintmax_t)rec.seq, (uintmax_t)want);
	if (by == LOG_BY_OFFSET) {
		assert_true(made_output(&rec, &offset, &p, &len));
		assert_true(offset <= value && value < offset + len);
	}
	/* Reading continues from there. */
	for (int i = 0; i < 3 && next == LOG_RECORD; i++) {
		uint64_t before = rec.seq;

		next = log_reader_next(r, &rec);
		if (next == LOG_RECORD && rec.seq != before)
			assert_int_equal(rec.seq, before + 1);
	}
}

static void
a_seek_agrees_with_a_search_from_the_beginning(void **state)
{
	struct rng rng = { 1 };
	struct log_reader *r;
	struct made m;

	(void)state;
	make_long(&m, 9, 1);
	r = made_reader(m.dirfd);
	for (unsigned i = 0; i < dose(300, 5000); i++)
		seek_once(&m, r, &rng);
	log_reader_close(r);
	made_finish(&m);
}

static void
a_seek_finds_the_last_keyframe(void **state)
{
	struct rng rng = { 2 };
	struct log_reader *r;
	struct made m;

	(void)state;
	make_long(&m, 9, 2);
	r = made_reader(m.dirfd);
	for (unsigned i = 0; i < dose(300, 5000); i++) {
		enum log_by by = (enum log_by)rng_below(&rng, 3);
		uint64_t value = some_value(&m, &rng, by);
		bool full = rng_below(&rng, 2) == 0;
		uint64_t want = naive_keyframe(&m, by, value, full);
		int rc = log_reader_seek_keyframe(r, by, value, full);
		struct record rec = { 0 };

		if (want == 0) {
			assert_int_equal(rc, -ENOENT);
			continue;
		}
		assert_int_equal(rc, 0);
		assert_int_equal(log_reader_next(r, &rec), LOG_RECORD);
		assert_int_equal(rec.type, RECORD_KEYFRAME);
		assert_int_equal(rec.seq, want);
	}
	log_reader_close(r);
	made_finish(&m);
}

static void
a_seek_before_the_first_event_reports_the_trim(void **state)
{
	uint64_t seq, offset;
	struct log_damage d;
	struct log_reader *r;
	struct record rec;
	struct made m;

	(void)state;
	make_long(&m, 6, 3);
	assert_true(
	    log_writer_trim(m.w, log_writer_bytes(m.w) / 2, &seq, &offset) > 0);
	r = made_reader(m.dirfd);
	for (int by = LOG_BY_SEQ; by <= LOG_BY_TIME; by++) {
		assert_int_equal(log_reader_seek(r, (enum log_by)by, 0), 0);
		assert_int_equal(log_reader_next(r, &rec), LOG_DAMAGED);
		log_reader_damage(r, &d);
		assert_true(d.trimmed);
		assert_int_equal(d.seq_from, 0);
		assert_int_equal(d.seq_to, seq);
		assert_int_equal(d.offset_to, offset);
		assert_int_equal(log_reader_next(r, &rec), LOG_RECORD);
		assert_int_equal(rec.seq, seq);
		assert_int_equal(log_reader_seek_keyframe(r, (enum log_by)by, 0,
				     false),
		    -ENOENT);
	}
	log_reader_close(r);
	made_finish(&m);
}

/* The target of a seek may be missing; the reader then reports it. */
static void
a_seek_into_damage_is_reported(void **state)
{
	struct log_damage d;
	struct log_reader *r;
	struct record rec;
	struct made m;
	uint64_t value;

	(void)state;
	make_long(&m, 3, 4);
	made_close(&m);
	assert_int_equal(unlinkat(m.dirfd, "00000002.seg", 0), 0);
	r = made_reader(m.dirfd);
	value = m.seq / 2;
	assert_int_equal(log_reader_seek(r, LOG_BY_SEQ, value), 0);
	assert_int_equal(log_reader_next(r, &rec), LOG_DAMAGED);
	log_reader_damage(r, &d);
	assert_true(d.seq_from < value && d.seq_to > value);
	assert_false(d.trimmed);
	assert_int_equal(log_reader_next(r, &rec), LOG_RECORD);
	assert_int_equal(rec.seq, d.seq_to);
	/* Beyond the hole it is not reported. */
	value = d.seq_to;
	assert_int_equal(log_reader_seek(r, LOG_BY_SEQ, value), 0);
	assert_int_equal(log_reader_next(r, &rec), LOG_RECORD);
	assert_int_equal(rec.seq, value);
	log_reader_close(r);
	made_finish(&m);
}

static void
a_reader_returns_to_a_mark(void **state)
{
	struct log_reader *r;
	struct record rec;
	struct made m;

	(void)state;
	make_long(&m, 4, 5);
	r = made_reader(m.dirfd);
	assert_int_equal(log_reader_seek(r, LOG_BY_SEQ, 100), 0);
	log_reader_mark(r);
	while (log_reader_next(r, &rec) == LOG_RECORD)
		continue;
	log_reader_return(r);
	assert_int_equal(log_reader_next(r, &rec), LOG_RECORD);
	assert_int_equal(rec.seq, 100);
	log_reader_close(r);
	made_finish(&m);
}

static void
the_extent_gives_the_first_and_last_event(void **state)
{
	struct log_extent e;
	struct log_reader *r;
	uint64_t seq, offset;
	struct made m;

	(void)state;
	made_init(&m);
	r = made_reader(m.dirfd);
	assert_int_equal(log_reader_extent(r, &e), 0);
	assert_int_equal(e.first_seq, 0);
	assert_int_equal(e.last_seq, 0);
	assert_true(e.being_written);
	log_reader_close(r);
	made_finish(&m);

	make_long(&m, 5, 6);
	assert_true(log_writer_trim(m.w, 600000, &seq, &offset) > 0);
	r = made_reader(m.dirfd);
	assert_int_equal(log_reader_extent(r, &e), 0);
	assert_int_equal(e.first_seq, seq);
	assert_int_equal(e.first_offset, offset);
	assert_int_equal(e.last_seq, m.seq);
	assert_int_equal(e.end_offset, m.offset);
	assert_int_equal(e.last_time_ns, m.time_ns);
	assert_int_equal(e.bytes, log_writer_bytes(m.w));
	made_close(&m);
	assert_int_equal(log_reader_extent(r, &e), 0);
	assert_false(e.being_written);
	log_reader_close(r);
	made_finish(&m);
}

/* --------------------------------------------------------------- following */

static void
a_torn_end_is_unfinished_while_a_writer_runs(void **state)
{
	struct log_reader *r;
	struct log_damage d;
	struct record rec;
	struct buf file;
	struct made m;
	uint64_t end;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	end = log_writer_segment_size(m.w);
	made_put(&m, RECORD_MARK, 0, "a mark", 6);
	file = made_file(&m, 1, SEGMENT_PLAIN);
	for (uint64_t cut = end + 1; cut < file.len; cut++) {
		made_write_file(&m, 1, SEGMENT_PLAIN, file.data, cut);
		r = made_reader(m.dirfd);
		assert_int_equal(log_reader_next(r, &rec), LOG_RECORD);
		assert_int_equal(log_reader_next(r, &rec), LOG_WAIT);
		made_write_file(&m, 1, SEGMENT_PLAIN, file.data, file.len);
		assert_int_equal(log_reader_next(r, &rec), LOG_RECORD);
		assert_true(made_is(&m, &rec));
		assert_int_equal(log_reader_next(r, &rec), LOG_WAIT);
		log_reader_close(r);
	}
	made_write_file(&m, 1, SEGMENT_PLAIN, file.data, file.len - 1);
	r = made_reader(m.dirfd);
	assert_int_equal(log_reader_next(r, &rec), LOG_RECORD);
	assert_int_equal(log_reader_next(r, &rec), LOG_WAIT);
	made_close(&m);
	assert_int_equal(log_reader_next(r, &rec), LOG_DAMAGED);
	log_reader_damage(r, &d);
	assert_true(d.torn);
	assert_int_equal(d.seq_from, 1);
	assert_int_equal(d.seq_to, 0);
	assert_int_equal(log_reader_next(r, &rec), LOG_END);
	assert_int_equal(log_reader_next(r, &rec), LOG_END);
	log_reader_close(r);
	buf_finish(&file);
	made_finish(&m);
}

/* The bytes of a segment come one by one, the header too. */
static void
a_reader_waits_for_a_segment_being_created(void **state)
{
	struct log_reader *r;
	struct record rec;
	struct buf file;
	struct made m;
	uint64_t given = 0;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	made_put(&m, RECORD_OUTPUT, 0, "hello", 5);
	file = made_file(&m, 1, SEGMENT_PLAIN);
	made_empty(m.path);
	r = made_reader(m.dirfd);
	for (size_t len = 0; len <= file.len; len++) {
		enum log_next next;

		made_write_file(&m, 1, SEGMENT_PLAIN, file.data, len);
		while ((next = log_reader_next(r, &rec)) == LOG_RECORD) {
			assert_int_equal(rec.seq, given + 1);
			given = rec.seq;
		}
		assert_int_equal(next, LOG_WAIT);
	}
	assert_int_equal(given, 2);
	log_reader_close(r);
	buf_finish(&file);
	made_finish(&m);
}

/* The events that the child will write: made here too, for comparison. */
static void
plan(struct made *m)
{
	struct rng rng = { 30 };
	static uint8_t p[200000];

	for (size_t i = 0; i < sizeof(p); i++)
		p[i] = (uint8_t)rng_next(&rng);
	for (int i = 0; i < 3000; i++) {
		uint8_t type = i == 0 ? RECORD_START :
		    i == 2999         ? RECORD_EXIT :
		    i % 7 == 0        ? RECORD_KEYFRAME :
					RECORD_OUTPUT;
		size_t len = rng_below(&rng, i % 100 == 3 ? 200000 : 600);
		struct log_event ev = made_next(m, type, 0, p, len);

		made_note(m, &ev);
	}
}

static void
write_plan(const struct made *m)
{
	struct log_writer *w;
	struct log_end end;
	size_t n;

	if (log_writer_open(&w, m->dirfd, &end, NULL) < 0)
		_exit(1);
	for (size_t i = 0; i < m->count; i += n) {
		struct log_event ev[16];
		int rc;

		for (n = 0; n < 1 + i % 16 && i + n < m->count; n++) {
			const struct twin_event *t = &m->events[i + n];

			ev[n] = (struct log_event){ .type = t->type,
				.flags = t->flags,
				.seq = t->seq,
				.time_ns = t->time_ns,
				.p2 = t->p,
				.len2 = t->len,
				.offset = t->offset };
		}
		rc = log_writer_segment_size(w) > 300000 ?
		    log_writer_rotate(w, ev, n) :
		    log_writer_append(w, ev, n);
		if (rc < 0 || (i % 5 == 0 && log_writer_compress(w) < 0))
			_exit(1);
	}
	/* It ends as if it had been killed. */
	_exit(0);
}

static void
a_follower_sees_all_that_another_process_appends(void **state)
{
	struct gone_through g = { 0 };
	struct log_reader *r;
	struct pollfd pfd = { .events = POLLIN };
	int status, waits = 0;
	struct made m;
	pid_t pid;

	(void)state;
	made_init(&m);
	made_close(&m);
	plan(&m);
	r = made_reader(m.dirfd);
	pfd.fd = log_reader_watch(r);
	assert_true(pfd.fd >= 0);
	pid = fork();
	if (pid == 0)
		write_plan(&m);
	while (g.seq < m.seq) {
		made_read_on(&m, r, &g);
		if (g.seq == m.seq)
			break;
		if (waits++ > 20000)
			fail_msg("at seq %ju of %ju", (uintmax_t)g.seq,
			    (uintmax_t)m.seq);
		assert_true(poll(&pfd, 1, 1000) >= 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	made_read_on(&m, r, &g);
	assert_int_equal(g.end, LOG_END);
	assert_int_equal(g.damages, 0);
	assert_int_equal(g.events, m.count);
	assert_int_equal(g.offset, m.offset);
	log_reader_close(r);
	made_reads_back(&m, 1);
	made_finish(&m);
}

/* The watch wakes after each append, and only then. */
static void
the_watch_wakes_for_each_append(void **state)
{
	struct pollfd pfd = { .events = POLLIN };
	struct log_reader *r;
	struct record rec;
	struct made m;

	(void)state;
	made_init(&m);
	r = made_reader(m.dirfd);
	pfd.fd = log_reader_watch(r);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(log_reader_next(r, &rec), LOG_WAIT);
		assert_int_equal(poll(&pfd, 1, 0), 0);
		if (i % 5 == 4)
			made_rotate(&m, "key", 3);
		else
			made_put(&m, RECORD_MARK, 0, "a", 1);
		assert_int_equal(poll(&pfd, 1, 0), 1);
		assert_int_equal(log_reader_next(r, &rec), LOG_RECORD);
		assert_int_equal(rec.seq, m.seq);
	}
	assert_int_equal(log_reader_next(r, &rec), LOG_WAIT);
	made_close(&m);
	assert_int_equal(poll(&pfd, 1, 0), 1);
	assert_int_equal(log_reader_next(r, &rec), LOG_END);
	log_reader_close(r);
	made_finish(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_seek_agrees_with_a_search_from_the_beginning),
		cmocka_unit_test(a_seek_finds_the_last_keyframe),
		cmocka_unit_test(
		    a_seek_before_the_first_event_reports_the_trim),
		cmocka_unit_test(a_seek_into_damage_is_reported),
		cmocka_unit_test(a_reader_returns_to_a_mark),
		cmocka_unit_test(the_extent_gives_the_first_and_last_event),
		cmocka_unit_test(a_torn_end_is_unfinished_while_a_writer_runs),
		cmocka_unit_test(a_reader_waits_for_a_segment_being_created),
		cmocka_unit_test(
		    a_follower_sees_all_that_another_process_appends),
		cmocka_unit_test(the_watch_wakes_for_each_append),
	};

	return cmocka_run_group_tests_name("log_reader", tests, NULL, NULL);
}
