#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

static void
holds(const struct buf *b, const char *want)
{
	assert_int_equal(b->len, strlen(want));
	assert_memory_equal(b->data, want, b->len);
}

static void
buf_keeps_everything_in_order(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	assert_int_equal(buf_puts(&b, "one "), 0);
	assert_int_equal(buf_putc(&b, '2'), 0);
	assert_int_equal(buf_append(&b, " three", 6), 0);
	assert_int_equal(buf_printf(&b, " %d", 4), 0);
	holds(&b, "one 2 three 4");
	buf_finish(&b);
}

static void
buf_takes_all_of_an_addition_or_none(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 8);
	assert_int_equal(buf_puts(&b, "12345"), 0);
	assert_int_equal(buf_puts(&b, "6789"), -ENOBUFS);
	assert_true(b.full);
	holds(&b, "12345");
	buf_finish(&b);
}

static void
buf_stays_full_until_it_is_cleared(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4);
	assert_int_equal(buf_puts(&b, "12345"), -ENOBUFS);
	assert_int_equal(buf_putc(&b, '1'), -ENOBUFS);
	assert_null(buf_reserve(&b, 1));
	buf_clear(&b);
	assert_false(b.full);
	assert_int_equal(buf_puts(&b, "1234"), 0);
	holds(&b, "1234");
	buf_finish(&b);
}

static void
buf_takes_exactly_its_maximum(void **state)
{
	struct buf b;

	(void)state;
	for (size_t max = 0; max < 300; max++) {
		buf_init(&b, max);
		for (size_t i = 0; i < max; i++)
			assert_int_equal(buf_putc(&b, (char)i), 0);
		assert_int_equal(buf_putc(&b, 'x'), -ENOBUFS);
		assert_int_equal(b.len, max);
		assert_true(b.cap <= max);
		for (size_t i = 0; i < max; i++)
			assert_int_equal(b.data[i], (uint8_t)i);
		buf_finish(&b);
	}
}

static void
buf_refuses_lengths_that_would_overflow(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, SIZE_MAX);
	assert_int_equal(buf_puts(&b, "abc"), 0);
	assert_null(buf_reserve(&b, SIZE_MAX - 1));
	assert_true(b.full);
	buf_finish(&b);
}

static void
buf_counts_only_the_committed_part_of_a_reservation(void **state)
{
	struct buf b;
	uint8_t *room;

	(void)state;
	buf_init(&b, 100);
	buf_puts(&b, "ab");
	room = buf_reserve(&b, 98);
	assert_non_null(room);
	memcpy(room, "cdef", 4);
	buf_commit(&b, 2);
	holds(&b, "abcd");
	buf_finish(&b);
}

static void
buf_equals_looks_at_the_bytes_alone(void **state)
{
	struct buf a, b;

	(void)state;
	buf_init(&a, 10);
	buf_init(&b, 20);
	assert_true(buf_equals(&a, &b));
	buf_puts(&a, "one");
	assert_false(buf_equals(&a, &b));
	buf_puts(&b, "two");
	assert_false(buf_equals(&a, &b));
	buf_clear(&b);
	buf_puts(&b, "one");
	assert_true(buf_equals(&a, &b));
	buf_finish(&a);
	buf_finish(&b);
}

static void
buf_consume_drops_from_the_front(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	buf_puts(&b, "hello world");
	buf_consume(&b, 6);
	holds(&b, "world");
	buf_consume(&b, 5);
	assert_int_equal(b.len, 0);
	buf_finish(&b);
}

static void
buf_printf_prints_more_than_its_scratch_room(void **state)
{
	char want[1001];
	struct buf b;

	(void)state;
	memset(want, 'x', 1000);
	want[1000] = '\0';
	buf_init(&b, 1000);
	assert_int_equal(buf_printf(&b, "%s", want), 0);
	holds(&b, want);
	buf_finish(&b);
}

static void
buf_take_hands_over_a_terminated_string(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 5);
	buf_puts(&b, "12345");
	auto_free char *taken = buf_take(&b);
	assert_string_equal(taken, "12345");
	assert_int_equal(b.len, 0);
	assert_int_equal(buf_puts(&b, "again"), 0);
	holds(&b, "again");
	buf_finish(&b);
}

static void
buf_take_of_nothing_is_an_empty_string(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 5);
	auto_free char *taken = buf_take(&b);
	assert_string_equal(taken, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buf_keeps_everything_in_order),
		cmocka_unit_test(buf_takes_all_of_an_addition_or_none),
		cmocka_unit_test(buf_stays_full_until_it_is_cleared),
		cmocka_unit_test(buf_takes_exactly_its_maximum),
		cmocka_unit_test(buf_refuses_lengths_that_would_overflow),
		cmocka_unit_test(
		    buf_counts_only_the_committed_part_of_a_reservation),
		cmocka_unit_test(buf_equals_looks_at_the_bytes_alone),
		cmocka_unit_test(buf_consume_drops_from_the_front),
		cmocka_unit_test(buf_printf_prints_more_than_its_scratch_room),
		cmocka_unit_test(buf_take_hands_over_a_terminated_string),
		cmocka_unit_test(buf_take_of_nothing_is_an_empty_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
