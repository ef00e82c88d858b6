#include "unit.h"

#include "base/clock.h"
#include "base/loop.h"
#include "host/store/notice_board.h"

struct seen {
	struct loop *loop;
	struct notice_board *board;
	int writes, last; /* so far, and when the loop ends */
	int64_t at[4];    /* CLOCK_MONOTONIC */
};

static void
on_write(void *arg)
{
	struct seen *s = arg;

	s->at[s->writes++] = clock_ms(CLOCK_MONOTONIC);
	if (s->writes == s->last)
		loop_stop(s->loop);
	else
		notice_board_changed(s->board);
}

static void
on_stop(void *arg)
{
	struct seen *s = arg;

	loop_stop(s->loop);
}

static void
begin(struct seen *s, int last)
{
	*s = (struct seen){ .loop = loop_create(), .last = last };
	s->board = notice_board_create(s->loop, on_write, s);
}

static void
end(struct seen *s)
{
	notice_board_destroy(s->board);
	loop_destroy(s->loop);
}

static void
changes_after_a_quiet_second_share_one_write(void **state)
{
	int64_t before = clock_ms(CLOCK_MONOTONIC);
	struct seen s;

	(void)state;
	begin(&s, 1);
	for (int i = 0; i < 1000; i++)
		notice_board_changed(s.board);
	loop_run(s.loop);
	assert_int_equal(s.writes, 1);
	assert_true(s.at[0] - before >= NOTICE_BOARD_SOON_MS - 1);
	end(&s);
}

static void
a_second_passes_between_two_writes(void **state)
{
	struct seen s;

	(void)state;
	begin(&s, 2);
	notice_board_changed(s.board);
	loop_run(s.loop);
	assert_int_equal(s.writes, 2);
	assert_true(s.at[1] - s.at[0] >= NOTICE_BOARD_EVERY_MS - 1);
	end(&s);
}

static void
a_write_for_another_reason_includes_the_changes(void **state)
{
	struct seen s;

	(void)state;
	begin(&s, 1);
	notice_board_changed(s.board);
	notice_board_written(s.board);
	loop_timer(s.loop, 3 * NOTICE_BOARD_SOON_MS, on_stop, &s);
	loop_run(s.loop);
	assert_int_equal(s.writes, 0);
	end(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_after_a_quiet_second_share_one_write),
		cmocka_unit_test(a_second_passes_between_two_writes),
		cmocka_unit_test(
		    a_write_for_another_reason_includes_the_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
