#include "unit.h"

#include <unistd.h>

#include "base/loop.h"
#include "host/core/output_flow.h"
#include "keep/ring.h"

struct stage {
	struct loop *loop;
	struct ring ring;
	struct output_flow output_flow;
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
	output_flow_init(&st->output_flow, st->loop, &st->ring);
	st->settle = loop_settle(st->loop, on_settle, st);
	st->limit = loop_timer(st->loop, 10000, on_limit, st);
}

static void
stage_finish(struct stage *st)
{
	watch_remove(st->limit);
	watch_remove(st->settle);
	output_flow_finish(&st->output_flow);
	loop_destroy(st->loop);
	ring_unmap(&st->ring);
}

/*
 * Expect a turn that the output flow asked for, without a wakeup from the
 * keeper.
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
	output_flow_again(&st.output_flow, 0);
	expect_turn(&st);
	stage_finish(&st);
}

static void
the_end_of_a_hold_makes_a_turn(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	output_flow_hold(&st.output_flow, true);
	assert_true(st.output_flow.held);
	output_flow_hold(&st.output_flow, false);
	assert_false(st.output_flow.held);
	expect_turn(&st);
	stage_finish(&st);
}

static void
the_end_of_a_rest_makes_a_turn_during_a_hold(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	output_flow_hold(&st.output_flow, true);
	output_flow_rest(&st.output_flow, true);
	output_flow_rest(&st.output_flow, false);
	assert_true(st.output_flow.held);
	assert_false(st.output_flow.resting);
	expect_turn(&st);
	stage_finish(&st);
}

static void
a_keyframe_starts_the_count_over(void **state)
{
	struct stage st;

	(void)state;
	stage_init(&st);
	st.output_flow.since_keyframe = 1000;
	output_flow_keyframe_done(&st.output_flow);
	assert_int_equal(st.output_flow.since_keyframe, 0);
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

	return cmocka_run_group_tests_name("host_output_flow", tests, NULL,
	    NULL);
}
