#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/serve/request_queue.h"

static void
add(struct request_queue *q, const char *text, bool observes)
{
	request_queue_add(q, text, strlen(text), observes);
}

/* Expect this as the next request that may begin; "": none. */
static void
expect_next(struct request_queue *q, const char *text)
{
	struct request_waiting *w = request_queue_next(q);

	if (text[0] == '\0') {
		assert_null(w);
		return;
	}
	assert_non_null(w);
	assert_int_equal(w->len, strlen(text));
	assert_memory_equal(w->text, text, w->len);
	free(w);
}

static void
ordered_requests_begin_one_after_the_other(void **state)
{
	struct request_queue q;

	(void)state;
	request_queue_init(&q);
	assert_true(request_queue_is_idle(&q));
	assert_int_equal(request_queue_begin(&q, 1, false), 0);
	assert_false(request_queue_is_idle(&q));
	add(&q, "a", false);
	add(&q, "b", false);
	expect_next(&q, "");
	request_queue_done(&q, 9);
	expect_next(&q, "");
	request_queue_done(&q, 1);
	expect_next(&q, "a");
	assert_int_equal(request_queue_begin(&q, 2, false), 0);
	expect_next(&q, "");
	request_queue_done(&q, 2);
	expect_next(&q, "b");
	assert_true(request_queue_is_empty(&q));
	request_queue_finish(&q);
}

static void
observing_requests_begin_beside_others(void **state)
{
	struct request_queue q;

	(void)state;
	request_queue_init(&q);
	assert_int_equal(request_queue_begin(&q, 1, true), 0);
	assert_true(request_queue_is_idle(&q));
	assert_int_equal(request_queue_begin(&q, 2, false), 0);
	add(&q, "look", true);
	expect_next(&q, "look");
	assert_int_equal(request_queue_begin(&q, 3, true), 0);
	assert_int_equal(request_queue_begin(&q, 3, true), -EEXIST);
	request_queue_done(&q, 2);
	assert_true(request_queue_is_idle(&q));
	assert_false(request_queue_is_empty(&q));
	request_queue_finish(&q);
}

static void
no_request_overtakes_a_waiting_one(void **state)
{
	struct request_queue q;

	(void)state;
	request_queue_init(&q);
	assert_int_equal(request_queue_begin(&q, 1, false), 0);
	add(&q, "type", false);
	add(&q, "look", true);
	expect_next(&q, "");
	request_queue_done(&q, 1);
	expect_next(&q, "type");
	assert_int_equal(request_queue_begin(&q, 2, false), 0);
	expect_next(&q, "look");
	request_queue_finish(&q);
}

static void
no_request_begins_while_one_is_held(void **state)
{
	struct request_queue q;

	(void)state;
	request_queue_init(&q);
	assert_int_equal(request_queue_begin(&q, 1, false), 0);
	request_queue_hold(&q, 1);
	request_queue_hold(&q, 1);
	request_queue_hold(&q, 9);
	add(&q, "look", true);
	expect_next(&q, "");
	request_queue_release(&q, 1);
	expect_next(&q, "look");
	request_queue_hold(&q, 1);
	request_queue_done(&q, 1);
	assert_true(request_queue_is_idle(&q));
	request_queue_finish(&q);
}

static void
the_number_and_the_bytes_are_limited(void **state)
{
	struct request_queue q;
	char *big = calloc(1, REQUEST_QUEUE_BYTES);

	(void)state;
	request_queue_init(&q);
	for (unsigned i = 0; i < REQUEST_QUEUE_MAX; i++) {
		assert_int_equal(request_queue_check(&q, 1), 0);
		if (i % 2 == 0)
			assert_int_equal(request_queue_begin(&q, i, true), 0);
		else
			add(&q, "x", true);
	}
	assert_int_equal(request_queue_check(&q, 0), -EBUSY);
	request_queue_done(&q, 0);
	assert_int_equal(request_queue_check(&q, 1), 0);
	request_queue_finish(&q);
	assert_true(request_queue_is_empty(&q));
	request_queue_add(&q, big, REQUEST_QUEUE_BYTES - 1, false);
	assert_int_equal(request_queue_check(&q, 1), 0);
	assert_int_equal(request_queue_check(&q, 2), -EBUSY);
	free(request_queue_take(&q));
	assert_null(request_queue_take(&q));
	assert_int_equal(request_queue_check(&q, 2), 0);
	request_queue_finish(&q);
	free(big);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordered_requests_begin_one_after_the_other),
		cmocka_unit_test(observing_requests_begin_beside_others),
		cmocka_unit_test(no_request_overtakes_a_waiting_one),
		cmocka_unit_test(no_request_begins_while_one_is_held),
		cmocka_unit_test(the_number_and_the_bytes_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
