#include "unit.h"

#include <errno.h>

#include "home/dates.h"

#include "log_make.h"

#define SECOND MADE_SECOND
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define NOON (1800000000 * SECOND) /* the clock shows this at first */

/* Begin a segment; the clock shows this after so many seconds of the log. */
static void
segment(struct made *m, uint64_t seconds, uint64_t wall)
{
	uint8_t keyframe[20] = { 0 };

	m->time_ns = seconds * SECOND - 2000;
	if (m->count == 0)
		made_put(m, RECORD_START, 0, "{}", 2);
	else
		made_rotate(m, keyframe, sizeof(keyframe));
	made_clock(m, seconds, wall);
}

/* Segments of a minute each, with a clock that nobody sets. */
static void
steady(struct made *m, unsigned segments)
{
	made_init(m);
	for (unsigned i = 0; i < segments; i++)
		segment(m, 1 + i * 60, NOON + i * MINUTE);
}

static void
is_at_ns(const struct made *m, uint64_t wall, uint64_t want)
{
	struct log_reader *r = made_reader(m->dirfd);
	uint64_t got = 7;

	assert_int_equal(dates_find(r, wall, &got), 0);
	if (got != want)
		fail_msg("%jd s after noon is at %ju ns, not %ju",
		    (intmax_t)(wall - NOON) / (intmax_t)SECOND, (uintmax_t)got,
		    (uintmax_t)want);
	log_reader_close(r);
}

static void
is_at(const struct made *m, uint64_t wall, uint64_t seconds)
{
	is_at_ns(m, wall, seconds * SECOND);
}

static void
a_steady_clock_gives_the_same_distance_in_every_segment(void **state)
{
	struct made m;

	(void)state;
	for (unsigned n = 1; n <= 6; n++) {
		steady(&m, n);
		for (unsigned s = 0; s < 400; s += 7)
			is_at(&m, NOON + s * SECOND, 1 + s);
		is_at_ns(&m, NOON + 5, SECOND + 5);
		made_finish(&m);
	}
}

static void
a_time_outside_the_log_is_its_beginning_or_in_the_future(void **state)
{
	struct made m;

	(void)state;
	steady(&m, 3);
	is_at(&m, NOON - 1, 0);
	is_at(&m, 0, 0);
	is_at(&m, NOON + 120 * SECOND, 121);
	is_at(&m, NOON + HOUR, 3601);
	made_finish(&m);
}

static void
a_time_shown_twice_is_the_later_one(void **state)
{
	struct made m;

	(void)state;
	steady(&m, 3);
	/* An hour of the log later the clock shows the first minute again. */
	made_clock(&m, 3601, NOON);
	segment(&m, 3661, NOON + MINUTE);
	segment(&m, 3721, NOON + 2 * MINUTE);
	is_at(&m, NOON + 10 * SECOND, 3611);
	is_at(&m, NOON + 70 * SECOND, 3671);
	/* This was shown only before. */
	is_at(&m, NOON + 3000 * SECOND, 3001);
	made_finish(&m);
}

static void
a_skipped_time_is_the_moment_of_the_change(void **state)
{
	struct made m;

	(void)state;
	steady(&m, 3);
	made_clock(&m, 151, NOON + HOUR);
	segment(&m, 181, NOON + HOUR + 30 * SECOND);
	segment(&m, 241, NOON + HOUR + 90 * SECOND);
	is_at(&m, NOON + 149 * SECOND, 150);
	is_at(&m, NOON + 151 * SECOND, 151);
	is_at(&m, NOON + HOUR - 1, 151);
	is_at(&m, NOON + HOUR + SECOND, 152);
	is_at(&m, NOON + HOUR + 80 * SECOND, 231);
	made_finish(&m);
}

static void
a_clock_set_and_set_back_within_a_segment_is_taken_as_right(void **state)
{
	struct made m;

	(void)state;
	steady(&m, 2);
	made_clock(&m, 81, NOON + HOUR);
	made_clock(&m, 101, NOON + 100 * SECOND);
	segment(&m, 121, NOON + 2 * MINUTE);
	segment(&m, 181, NOON + 3 * MINUTE);
	is_at(&m, NOON + 130 * SECOND, 131);
	/* The segment is skipped: this is not found at second 91. */
	is_at(&m, NOON + HOUR + 10 * SECOND, 3611);
	made_finish(&m);
}

static void
a_drift_of_less_than_a_second_is_ignored(void **state)
{
	struct made m;

	(void)state;
	steady(&m, 2);
	segment(&m, 121, NOON + 2 * MINUTE + SECOND / 2);
	segment(&m, 181, NOON + 3 * MINUTE - SECOND / 2);
	is_at(&m, NOON + 30 * SECOND, 31);
	is_at_ns(&m, NOON + 121 * SECOND, 121 * SECOND + SECOND / 2);
	is_at_ns(&m, NOON + 190 * SECOND, 191 * SECOND + SECOND / 2);
	made_finish(&m);
}

static void
segments_without_a_clock_are_passed_over(void **state)
{
	uint8_t keyframe[20] = { 0 };
	struct made m;

	(void)state;
	steady(&m, 2);
	m.time_ns = 121 * SECOND;
	made_rotate(&m, keyframe, sizeof(keyframe));
	is_at(&m, NOON + 30 * SECOND, 31);
	is_at(&m, NOON + 90 * SECOND, 91);
	is_at(&m, NOON + HOUR, 3601);
	made_finish(&m);
}

static void
a_log_without_a_clock_has_no_dates(void **state)
{
	struct log_reader *r;
	uint64_t got = 7;
	struct made m;

	(void)state;
	made_init(&m);
	r = made_reader(m.dirfd);
	assert_int_equal(dates_find(r, NOON, &got), -ENOENT);
	log_reader_close(r);
	made_put(&m, RECORD_START, 0, "{}", 2);
	r = made_reader(m.dirfd);
	assert_int_equal(dates_find(r, NOON, &got), -ENOENT);
	log_reader_close(r);
	assert_int_equal(got, 7);
	made_finish(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_steady_clock_gives_the_same_distance_in_every_segment),
		cmocka_unit_test(
		    a_time_outside_the_log_is_its_beginning_or_in_the_future),
		cmocka_unit_test(a_time_shown_twice_is_the_later_one),
		cmocka_unit_test(a_skipped_time_is_the_moment_of_the_change),
		cmocka_unit_test(
		    a_clock_set_and_set_back_within_a_segment_is_taken_as_right),
		cmocka_unit_test(a_drift_of_less_than_a_second_is_ignored),
		cmocka_unit_test(segments_without_a_clock_are_passed_over),
		cmocka_unit_test(a_log_without_a_clock_has_no_dates),
	};

	return cmocka_run_group_tests_name("home_dates", tests, NULL, NULL);
}
