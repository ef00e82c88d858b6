#include "unit.h"

#include "base/clock.h"
#include "base/loop.h"
#include "host/core/turn.h"

struct stage {
	struct loop *loop;
	struct turn turn;
	struct watch *settle;
	unsigned turns;
	unsigned stop_at; /* turns after which the loop stops */
};

static void
on_settle(void *arg)
{
	struct stage *st = arg;

	st->turns++;
	turn_look(&st->turn);
	if (st->turns == st->stop_at)
		loop_stop(st->loop);
}

static void
stage_init(struct stage *st)
{
	*st = (struct stage){ .loop = loop_create() };
	assert_non_null(st->loop);
	turn_init(&st->turn, st->loop);
	st->settle = loop_settle(st->loop, on_settle, st);
}

static void
stage_finish(struct stage *st)
{
	watch_remove(st->settle);
	turn_finish(&st->turn);
	loop_destroy(st->loop);
}

static void
run(struct stage *st, unsigned turns)
{
	st->turns = 0;
	st->stop_at = turns;
	loop_run(st->loop);
}

static void
a_turn_is_made_at_the_earliest_requested_time(void **state)
{
	struct stage st;
	int64_t began;

	(void)state;
	stage_init(&st);
	began = st.turn.now_ms;
	turn_wake_at(&st.turn, began + 60000);
	turn_wake_at(&st.turn, began + 20);
	turn_wake_at(&st.turn, began + 30000);
	assert_int_equal(st.turn.wake_at_ms, began + 20);
	run(&st, 1);
	assert_true(st.turn.now_ms >= began + 20);
	assert_true(st.turn.now_ms < began + 30000);
	stage_finish(&st);
}

static void
a_time_that_has_passed_makes_a_turn_at_once(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	turn_wake_at(&st.turn, 0);
	run(&st, 1);
	assert_int_equal(st.turns, 1);
	stage_finish(&st);
}

static void
a_turn_clears_the_requested_time(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	turn_wake_at(&st.turn, 0);
	run(&st, 1);
	assert_int_equal(st.turn.wake_at_ms, INT64_MAX);
	turn_wake_at(&st.turn, st.turn.now_ms + 5);
	run(&st, 1);
	assert_int_equal(st.turns, 1);
	stage_finish(&st);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_is_made_at_the_earliest_requested_time),
		cmocka_unit_test(a_time_that_has_passed_makes_a_turn_at_once),
		cmocka_unit_test(a_turn_clears_the_requested_time),
	};

	return cmocka_run_group_tests_name("host_turn", tests, NULL, NULL);
}
