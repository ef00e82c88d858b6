#include "unit.h"

#include <unistd.h>

#include "base/loop.h"
#include "host/core/intake.h"
#include "keep/ring.h"

struct stage {
	struct loop *loop;
	struct ring ring;
	struct intake intake;
	struct watch *settle;
	struct watch *limit;
	unsigned turns;
};

static void
on_settle(void *arg)
{
	struct stage *st = arg;

	st->turns++;
	loop_stop(st->loop);
}

static void
on_limit(void *arg)
{
	(void)arg;
}

static void
stage_init(struct stage *st)
{
	int fd = ring_create();

	*st = (struct stage){ .loop = loop_create() };
	assert_non_null(st->loop);
	assert_true(fd >= 0);
	assert_int_equal(ring_map(&st->ring, fd), 0);
	close(fd);
	intake_init(&st->intake, st->loop, &st->ring);
	st->settle = loop_settle(st->loop, on_settle, st);
	st->limit = loop_timer(st->loop, 10000, on_limit, st);
}

static void
stage_finish(struct stage *st)
{
	watch_remove(st->limit);
	watch_remove(st->settle);
	intake_finish(&st->intake);
	loop_destroy(st->loop);
	ring_unmap(&st->ring);
}

/*
 * Expect a turn that the intake asked for, without a wakeup from the keeper.
 */
static void
expect_turn(struct stage *st)
{
	assert_true(ring_host_sleeps(&st->ring, 1));
	loop_run(st->loop);
	assert_int_equal(st->turns, 1);
	assert_false(ring_produced(&st->ring, 1));
	st->turns = 0;
}

static void
a_request_to_look_again_makes_a_turn(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	intake_again(&st.intake, 0);
	expect_turn(&st);
	stage_finish(&st);
}

static void
the_end_of_a_hold_makes_a_turn(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	intake_hold(&st.intake, true);
	assert_true(st.intake.held);
	intake_hold(&st.intake, false);
	assert_false(st.intake.held);
	expect_turn(&st);
	stage_finish(&st);
}

static void
the_end_of_a_rest_makes_a_turn_during_a_hold(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	intake_hold(&st.intake, true);
	intake_rest(&st.intake, true);
	intake_rest(&st.intake, false);
	assert_true(st.intake.held);
	assert_false(st.intake.resting);
	expect_turn(&st);
	stage_finish(&st);
}

static void
a_keyframe_starts_the_count_over(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	st.intake.since_keyframe = 1000;
	intake_keyframe_done(&st.intake);
	assert_int_equal(st.intake.since_keyframe, 0);
	stage_finish(&st);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_to_look_again_makes_a_turn),
		cmocka_unit_test(the_end_of_a_hold_makes_a_turn),
		cmocka_unit_test(the_end_of_a_rest_makes_a_turn_during_a_hold),
		cmocka_unit_test(a_keyframe_starts_the_count_over),
	};

	return cmocka_run_group_tests_name("host_intake", tests, NULL, NULL);
}
