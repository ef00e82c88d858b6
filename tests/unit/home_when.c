#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "home/when.h"
#include "log_make.h"
#include "../rng.h"

static void
expect(const char *s, enum when_kind kind, uint64_t value)
{
	struct error err = { 0 };
	struct when w = { 0 };

	if (when_parse(s, &w, &err) < 0)
		fail_msg("%s: %s", s, err.msg);
	if (w.kind != kind || w.value != value)
		fail_msg("%s: kind %d, value %lu", s, (int)w.kind,
		    (unsigned long)w.value);
}

static void
when_reads_every_form(void **state)
{
	const uint64_t s = 1000000000;

	(void)state;
	expect("0", WHEN_SEQ, 0);
	expect("120", WHEN_SEQ, 120);
	expect("18446744073709551615", WHEN_SEQ, UINT64_MAX);
	expect("@0", WHEN_OFFSET, 0);
	expect("@4096", WHEN_OFFSET, 4096);
	expect("12.5s", WHEN_SINCE_START, 12 * s + s / 2);
	expect("250ms", WHEN_SINCE_START, s / 4);
	expect("-5m", WHEN_AGO, 300 * s);
	expect("-0s", WHEN_AGO, 0);
}

static void
when_reads_dates(void **state)
{
	const uint64_t s = 1000000000;

	(void)state;
	expect("1970-01-01T00:00:01Z", WHEN_WALL, s);
	expect("2026-11-15T23:51:55Z", WHEN_WALL, 1794786715 * s);
	expect("2026-11-15 23:51:55z", WHEN_WALL, 1794786715 * s);
	expect("2026-11-16T00:51:55+01:00", WHEN_WALL, 1794786715 * s);
	expect("2026-11-15T22:21:55-01:30", WHEN_WALL, 1794786715 * s);
	expect("2026-11-15T23:51:55.25Z", WHEN_WALL, 1794786715 * s + s / 4);
	expect("2024-02-29T12:00:00Z", WHEN_WALL, 1709208000 * s);
}

static void
when_takes_local_time_without_a_zone(void **state)
{
	const uint64_t s = 1000000000;

	(void)state;
	setenv("TZ", "EET-2", 1);
	expect("2026-11-16T01:51:55", WHEN_WALL, 1794786715 * s);
	expect("2026-11-16 01:51:55.25", WHEN_WALL, 1794786715 * s + s / 4);
	expect("2026-11-16 01:51", WHEN_WALL, 1794786660 * s);
	expect("2026-11-15T23:51Z", WHEN_WALL, 1794786660 * s);
}

/*
 * The time of day so many seconds from now, as local clocks show it, has
 * passed.
 */
static void
has_passed(int64_t seconds, bool exact)
{
	int64_t asked = (int64_t)time(NULL) + seconds, got;
	struct error err;
	struct when w;
	struct tm tm;
	char text[16];

	localtime_r(&(time_t){ asked }, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	if (!exact)
		text[5] = '\0';
	assert_int_equal(when_parse(text, &w, &err), 0);
	assert_int_equal(w.kind, WHEN_WALL);
	got = (int64_t)(w.value / 1000000000);
	asked -= exact ? 0 : tm.tm_sec;
	assert_int_equal(got, asked - (seconds > 0 ? 86400 : 0));
}

static void
when_takes_the_most_recent_such_time_of_day(void **state)
{
	(void)state;
	setenv("TZ", "EET-2", 1);
	has_passed(0, false);
	has_passed(-5, true);
	has_passed(-23 * 3600, true);
	has_passed(3600, false);
	has_passed(3600, true);
}

static void
when_reads_marks(void **state)
{
	struct error err;
	struct when w;

	(void)state;
	assert_int_equal(when_parse("mark:before the fix", &w, &err), 0);
	assert_int_equal(w.kind, WHEN_MARK);
	assert_string_equal(w.mark, "before the fix");
}

static void
when_lists_the_valid_forms(void **state)
{
	static const char *const wrong[] = { "", "-", "-5", "@", "@x", "@-1",
		"mark:", "mark", "5x", "1.5", "now", "18446744073709551616",
		"2026-11-15", "2026-11-15T", "2026-13-15T23:51:55Z", "24:00",
		"6:22", "06:60", "06:22:5", "06:22.5", "06:22Z",
		"06:", "2026-11-15T24:00:00Z", "2026-11-15T23:51:55+1:00",
		"1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z",
		"2026-11-15T23:51:55Zz", "1970-01-01T00:00:00+23:59", "--5m",
		" 5" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct error err = { 0 };
		struct when w = { .value = 7 };

		if (when_parse(wrong[i], &w, &err) != -EINVAL)
			fail_msg("%s was taken as kind %d, value %lu", wrong[i],
			    (int)w.kind, (unsigned long)w.value);
		assert_int_equal(w.value, 7);
		assert_non_null(strstr(err.msg, "mark:NAME"));
	}
}

#define SECOND MADE_SECOND
#define YEAR (365 * 86400 * SECOND)
#define NOON (1800000000 * SECOND) /* what the clock shows at first */

/* A time on the clock is at so many seconds of the log. */
static void
is_at(const struct made *m, uint64_t wall, uint64_t seconds)
{
	struct when w = { .kind = WHEN_WALL, .value = wall };
	struct log_reader *r = made_reader(m->dirfd);
	struct log_place place = { 0 };
	struct error err = { 0 };

	if (when_resolve(&w, r, 0, &place, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(place.by, LOG_BY_TIME);
	assert_int_equal(place.value, seconds * SECOND);
	log_reader_close(r);
}

static void
dates_are_found_though_the_clock_jumps(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	made_clock(&m, 1, NOON);
	is_at(&m, NOON - SECOND, 0);
	is_at(&m, NOON + 9 * SECOND, 10); /* after the log's end */
	made_clock(&m, 100, NOON + 99 * SECOND);
	/* A year forward: times in the skipped year map to this moment. */
	made_clock(&m, 200, NOON + YEAR);
	is_at(&m, NOON + 50 * SECOND, 51);
	is_at(&m, NOON + 198 * SECOND, 199);
	is_at(&m, NOON + 300 * SECOND, 200);
	is_at(&m, NOON + YEAR - SECOND, 200);
	/* Two minutes more than that back: those minutes came twice. */
	made_clock(&m, 300, NOON + 180 * SECOND);
	made_clock(&m, 400, NOON + 280 * SECOND);
	is_at(&m, NOON + 50 * SECOND, 51);
	is_at(&m, NOON + 170 * SECOND, 171);
	is_at(&m, NOON + 190 * SECOND, 310);
	is_at(&m, NOON + YEAR + 30 * SECOND, 230);
	is_at(&m, NOON + 281 * SECOND, 401);
	made_finish(&m);
}

static void
a_log_without_a_clock_has_no_dates(void **state)
{
	struct when w = { .kind = WHEN_WALL, .value = NOON };
	struct log_reader *r;
	struct log_place place;
	struct error err = { 0 };
	struct made m;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	r = made_reader(m.dirfd);
	assert_int_equal(when_resolve(&w, r, 0, &place, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "no wall-clock times"));
	log_reader_close(r);
	made_finish(&m);
}

/* So many seconds ago is `seconds` when the log's clock shows `now`. */
static void
ago_is(const struct made *m, uint64_t ago, uint64_t now, uint64_t seconds)
{
	struct when w = { .kind = WHEN_AGO, .value = ago * SECOND };
	struct log_reader *r = made_reader(m->dirfd);
	struct log_place place = { 0 };
	struct error err = { 0 };

	if (when_resolve(&w, r, now * SECOND, &place, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(place.by, LOG_BY_TIME);
	assert_int_equal(place.value, seconds * SECOND);
	log_reader_close(r);
}

static void
ago_counts_from_now_while_the_session_runs(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	/* The wall clock is set back by a year; this must not matter. */
	made_clock(&m, 1, NOON);
	made_clock(&m, 10, NOON - YEAR);
	ago_is(&m, 300, 1000, 700);
	ago_is(&m, 995, 1000, 5);
	ago_is(&m, 0, 1000, 1000);
	/* Before the start is the start. */
	ago_is(&m, 1000, 1000, 0);
	ago_is(&m, 9999, 1000, 0);
	/* Another clock than the one that wrote the log. */
	ago_is(&m, 3, 5, 7);
	made_finish(&m);
}

static void
ago_counts_from_the_exit_of_a_session_that_has_ended(void **state)
{
	uint8_t exit[13] = { 0 };
	struct made m;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	made_clock(&m, 10, NOON);
	ago_is(&m, 4, 0, 6); /* lost: only the last event is known */
	m.time_ns = 20 * SECOND - 1000;
	made_put(&m, RECORD_EXIT, 0, exit, sizeof(exit));
	m.time_ns = 30 * SECOND - 1000;
	made_put(&m, RECORD_META, 0, "{}", 2);
	ago_is(&m, 0, 0, 20);
	ago_is(&m, 5, 0, 15);
	ago_is(&m, 21, 0, 0);
	made_finish(&m);
}

static void
the_exit_is_found_after_the_last_output(void **state)
{
	uint8_t exit[13] = { 0 };
	struct made m;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	made_put(&m, RECORD_OUTPUT, RECORD_FRAME, "out", 3);
	m.time_ns = 20 * SECOND - 1000;
	made_put(&m, RECORD_EXIT, 0, exit, sizeof(exit));
	m.time_ns = 30 * SECOND - 1000;
	made_put(&m, RECORD_META, 0, "{}", 2);
	ago_is(&m, 5, 0, 15);
	made_finish(&m);
}

/* ------------------------------------------------ beside a full reading */

/* Some minutes of a session; its clock is set at random, and never right. */
struct day {
	struct made m;
	struct rng rng;
	uint64_t set; /* the clock is this far ahead of the log's time */
};

static void
pass_minutes(struct day *d, unsigned minutes)
{
	for (unsigned i = 0; i < minutes; i++) {
		char mark[] = "\0mark0";

		if (rng_below(&d->rng, 12) == 0)
			d->set += (rng_below(&d->rng, 10000) - 5000ull) *
			    SECOND;
		made_clock(&d->m, d->m.time_ns / SECOND + 60,
		    d->set + (d->m.time_ns / SECOND + 60) * SECOND);
		mark[5] = (char)('0' + rng_below(&d->rng, 8));
		if (rng_below(&d->rng, 3) == 0)
			made_put(&d->m, RECORD_MARK, 0, mark, 6);
	}
}

static void
make_day(struct day *d, unsigned seed)
{
	uint8_t keyframe[20] = { 0 };
	unsigned segments;

	*d = (struct day){ .rng = { seed }, .set = NOON };
	made_init(&d->m);
	made_put(&d->m, RECORD_START, 0, "{}", 2);
	made_put(&d->m, RECORD_KEYFRAME, RECORD_FULL, keyframe, 20);
	segments = 1 + rng_below(&d->rng, 20);
	for (unsigned i = 0; i < segments; i++) {
		if (i > 0)
			made_rotate(&d->m, keyframe, 20);
		pass_minutes(d, 1 + rng_below(&d->rng, 10));
	}
	for (unsigned i = 0; i < segments / 2; i++)
		assert_int_equal(log_writer_compress(d->m.w), 1);
}

/* By all records of the clock; each is valid until the next. */
static uint64_t
naive_date(const struct made *m, uint64_t wall)
{
	const struct twin_event *clock = NULL;
	uint64_t found = 0, shown = 0;
	bool exact = false;

	for (size_t i = 0; i <= m->count; i++) {
		const struct twin_event *t = &m->events[i];
		uint64_t end = i < m->count ? t->time_ns : m->time_ns + 1;

		if (i < m->count && t->type != RECORD_CLOCK)
			continue;
		if (clock != NULL && shown <= wall) {
			if (wall - shown < end - clock->time_ns) {
				exact = true;
				found = clock->time_ns + (wall - shown);
			} else if (!exact) {
				found = end;
			}
		}
		if (i < m->count) {
			clock = t;
			shown = get_u64le(t->p);
		}
	}
	return exact || shown > wall ? found : clock->time_ns + (wall - shown);
}

static uint64_t
naive_mark(const struct made *m, const char *name)
{
	uint64_t seq = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->events[i].type == RECORD_MARK &&
		    memcmp(m->events[i].p + 1, name, 5) == 0)
			seq = m->events[i].seq;
	return seq;
}

static void
check_date(struct day *d, struct log_reader *r, unsigned seed)
{
	uint64_t wall = NOON + d->m.time_ns / 2 +
	    (rng_below(&d->rng, 40000) - 20000ull) * SECOND;
	struct when w = { .kind = WHEN_WALL, .value = wall };
	struct log_place place = { 0 };

	assert_int_equal(when_resolve(&w, r, 0, &place, NULL), 0);
	if (place.value != naive_date(&d->m, wall))
		fail_msg("seed %u: %ju s is at %ju s, not at %ju", seed,
		    (uintmax_t)((wall - NOON) / SECOND),
		    (uintmax_t)(naive_date(&d->m, wall) / SECOND),
		    (uintmax_t)(place.value / SECOND));
}

static void
check_mark(const struct day *d, struct log_reader *r, char digit)
{
	char name[] = { 'm', 'a', 'r', 'k', digit, '\0' };
	struct when w = { .kind = WHEN_MARK, .mark = name };
	struct log_place place = { 0 };
	uint64_t seq = naive_mark(&d->m, name);
	int rc = when_resolve(&w, r, 0, &place, NULL);

	assert_int_equal(rc, seq == 0 ? -ENOKEY : 0);
	assert_int_equal(place.value, seq);
}

static void
moments_agree_with_a_full_reading_of_the_log(void **state)
{
	unsigned logs = dose(20, 100);

	(void)state;
	for (unsigned seed = 0; seed < logs; seed++) {
		struct log_reader *r;
		struct day d;

		make_day(&d, seed);
		r = made_reader(d.m.dirfd);
		for (int i = 0; i < 50; i++)
			check_date(&d, r, seed);
		for (char digit = '0'; digit <= '9'; digit++)
			check_mark(&d, r, digit);
		log_reader_close(r);
		made_finish(&d.m);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(when_reads_every_form),
		cmocka_unit_test(when_reads_dates),
		cmocka_unit_test(when_takes_local_time_without_a_zone),
		cmocka_unit_test(when_takes_the_most_recent_such_time_of_day),
		cmocka_unit_test(when_reads_marks),
		cmocka_unit_test(when_lists_the_valid_forms),
		cmocka_unit_test(dates_are_found_though_the_clock_jumps),
		cmocka_unit_test(a_log_without_a_clock_has_no_dates),
		cmocka_unit_test(ago_counts_from_now_while_the_session_runs),
		cmocka_unit_test(
		    ago_counts_from_the_exit_of_a_session_that_has_ended),
		cmocka_unit_test(the_exit_is_found_after_the_last_output),
		cmocka_unit_test(moments_agree_with_a_full_reading_of_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
