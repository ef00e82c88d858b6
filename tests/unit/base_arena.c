#include "unit.h"

#include <stdalign.h>
#include <string.h>

#include "base/arena.h"

static void
arena_gives_zeroed_aligned_pieces_that_do_not_overlap(void **state)
{
	uint8_t *pieces[200], zero[300] = { 0 };
	struct arena a;

	(void)state;
	arena_init(&a, 1 << 20);
	for (size_t i = 0; i < 200; i++) {
		pieces[i] = arena_alloc(&a, i + 1);
		assert_non_null(pieces[i]);
		assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t),
		    0);
		assert_memory_equal(pieces[i], zero, i + 1);
		memset(pieces[i], (int)i, i + 1);
	}
	for (size_t i = 0; i < 200; i++) {
		assert_int_equal(pieces[i][0], i);
		assert_int_equal(pieces[i][i], i);
	}
	arena_finish(&a);
}

static void
arena_never_holds_more_than_its_maximum(void **state)
{
	struct arena a;
	size_t given = 0;

	(void)state;
	for (size_t max = 0; max < 20000; max += 997) {
		arena_init(&a, max);
		for (given = 0; arena_alloc(&a, 100) != NULL; given += 100)
			assert_true(a.held <= max);
		assert_true(given <= max);
		assert_true(a.held <= max);
		arena_finish(&a);
	}
}

static void
arena_refuses_a_large_piece_and_still_gives_small_ones(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, 1000);
	assert_null(arena_alloc(&a, 1001));
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_strndup(&a, "", SIZE_MAX));
	assert_non_null(arena_alloc(&a, 1000));
	assert_null(arena_alloc(&a, 1));
	arena_finish(&a);
}

static void
arena_may_be_used_again_after_it_was_finished(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, 10);
	for (int i = 0; i < 3; i++) {
		assert_non_null(arena_alloc(&a, 10));
		assert_null(arena_alloc(&a, 1));
		arena_finish(&a);
		assert_int_equal(a.held, 0);
	}
}

static void
arena_strndup_copies_and_terminates(void **state)
{
	struct arena a;
	char text[] = "hello";
	char *copy, *empty;

	(void)state;
	arena_init(&a, 100);
	copy = arena_strndup(&a, text, 4);
	empty = arena_strndup(&a, NULL, 0);
	text[0] = 'x';
	assert_string_equal(copy, "hell");
	assert_string_equal(empty, "");
	arena_finish(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    arena_gives_zeroed_aligned_pieces_that_do_not_overlap),
		cmocka_unit_test(arena_never_holds_more_than_its_maximum),
		cmocka_unit_test(
		    arena_refuses_a_large_piece_and_still_gives_small_ones),
		cmocka_unit_test(arena_may_be_used_again_after_it_was_finished),
		cmocka_unit_test(arena_strndup_copies_and_terminates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
