#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "host/serve/held_answers.h"
#include "wire/frame.h"

static void
hold(struct held_answers *h, uint64_t id, uint64_t seq)
{
	struct buf b;

	buf_init(&b, 100);
	buf_puts(&b, "answer");
	held_answers_add(h, id, seq, &b);
	buf_finish(&b);
}

static void
expect_answer(struct held_answers *h, uint64_t seq, uint64_t id)
{
	struct held_answer *a = held_answers_take(h, seq);

	assert_non_null(a);
	assert_int_equal(a->type, FRAME_RESPONSE);
	assert_int_equal(a->id, id);
	assert_int_equal(a->len, 6);
	assert_memory_equal(a->data, "answer", 6);
	held_answer_destroy(a);
}

static void
expect_pong(struct held_answers *h, uint64_t seq, const char *text)
{
	struct held_answer *a = held_answers_take(h, seq);

	assert_non_null(a);
	assert_int_equal(a->type, FRAME_PONG);
	assert_int_equal(a->len, strlen(text));
	assert_memory_equal(a->data, text, a->len);
	held_answer_destroy(a);
}

static void
an_answer_waits_for_its_event(void **state)
{
	struct held_answers h;

	(void)state;
	held_answers_init(&h);
	assert_true(held_answers_is_empty(&h));
	hold(&h, 1, 10);
	hold(&h, 2, 5);
	hold(&h, 3, 10);
	assert_int_equal(h.bytes, 18);
	assert_null(held_answers_take(&h, 4));
	expect_answer(&h, 9, 2);
	assert_null(held_answers_take(&h, 9));
	expect_answer(&h, 10, 1);
	expect_answer(&h, 10, 3);
	assert_true(held_answers_is_empty(&h));
	assert_int_equal(h.bytes, 0);
	held_answers_finish(&h);
}

static void
a_pong_overtakes_no_answer_held_before_it(void **state)
{
	struct held_answers h;

	(void)state;
	held_answers_init(&h);
	hold(&h, 1, 10);
	hold(&h, 2, 5);
	assert_int_equal(held_answers_add_pong(&h, "a", 1), 0);
	hold(&h, 3, 20);
	assert_int_equal(held_answers_add_pong(&h, "", 0), 0);
	expect_answer(&h, 5, 2);
	assert_null(held_answers_take(&h, 5));
	expect_answer(&h, 10, 1);
	expect_pong(&h, 10, "a");
	assert_null(held_answers_take(&h, 10));
	expect_answer(&h, UINT64_MAX, 3);
	expect_pong(&h, UINT64_MAX, "");
	assert_int_equal(h.pongs, 0);
	held_answers_finish(&h);
}

static void
pongs_are_limited(void **state)
{
	struct held_answers h;
	char text[64] = { 0 };
	int n = 0;

	(void)state;
	held_answers_init(&h);
	hold(&h, 1, 10);
	while (held_answers_add_pong(&h, text, sizeof(text)) == 0)
		n++;
	assert_int_equal(n, HELD_PONGS_MAX / (FRAME_HEADER + sizeof(text)));
	assert_int_equal(held_answers_add_pong(&h, text, sizeof(text)),
	    -ENOBUFS);
	held_answers_finish(&h);
	assert_true(held_answers_is_empty(&h));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_waits_for_its_event),
		cmocka_unit_test(a_pong_overtakes_no_answer_held_before_it),
		cmocka_unit_test(pongs_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
