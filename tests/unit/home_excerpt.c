#include "unit.h"

#include <string.h>

#include "home/excerpt.h"

static void
add(struct excerpt *e, const char *text)
{
	assert_int_equal(buf_puts(&e->text, text), 0);
	excerpt_trim(e);
}

static void
holds(const struct excerpt *e, const char *want, uint64_t left_out)
{
	size_t len;
	const char *got = excerpt_text(e, &len);

	if (len != strlen(want) || memcmp(got, want, len) != 0)
		fail_msg("'%.*s' instead of '%s'", (int)len, got, want);
	assert_int_equal(e->left_out, left_out);
}

static void
a_text_that_fits_stays_whole(void **state)
{
	struct excerpt e;

	(void)state;
	excerpt_init(&e, 0, 8);
	holds(&e, "", 0);
	add(&e, "");
	holds(&e, "", 0);
	add(&e, "1234");
	add(&e, "5678");
	holds(&e, "12345678", 0);
	excerpt_finish(&e);
}

static void
a_long_text_keeps_half_from_each_end(void **state)
{
	struct excerpt e;

	(void)state;
	excerpt_init(&e, 0, 8);
	add(&e, "123456789");
	holds(&e, "12346789", 1);
	add(&e, "abcdef");
	holds(&e, "1234cdef", 7);
	excerpt_finish(&e);
}

static void
pieces_give_the_same_text_as_the_whole(void **state)
{
	static const char text[] = "The quick brown fox jumps over the dog.";
	struct excerpt e;

	(void)state;
	for (size_t cut = 1; cut < sizeof(text); cut++) {
		excerpt_init(&e, 4, 10);
		for (size_t at = 0; at < sizeof(text) - 1; at += cut) {
			buf_append(&e.text, text + at, strnlen(text + at, cut));
			excerpt_trim(&e);
		}
		holds(&e, "quick dog.", sizeof(text) - 1 - 4 - 10);
		excerpt_finish(&e);
	}
}

static void
the_skipped_beginning_is_not_counted_as_left_out(void **state)
{
	struct excerpt e;

	(void)state;
	excerpt_init(&e, 5, 8);
	add(&e, "123");
	holds(&e, "", 0);
	add(&e, "4567");
	holds(&e, "67", 0);
	assert_int_equal(e.skip, 0);
	excerpt_finish(&e);
}

static void
the_text_begins_with_a_whole_character(void **state)
{
	struct excerpt e;

	(void)state;
	/* The end of é comes in another piece than its beginning. */
	excerpt_init(&e, 1, 8);
	add(&e, "\xc3");
	add(&e, "\xa9xy");
	holds(&e, "xy", 0);
	excerpt_finish(&e);
}

static void
the_ends_have_whole_characters_and_are_never_too_long(void **state)
{
	struct excerpt e;

	(void)state;
	excerpt_init(&e, 0, 10);
	add(&e, "aaaaaéééééééé");
	holds(&e, "aaaaaéé", 12);
	assert_true(e.text.len <= e.keep);
	excerpt_finish(&e);
	excerpt_init(&e, 0, 10);
	add(&e, "漢字漢字漢字");
	holds(&e, "漢漢字", 9);
	excerpt_finish(&e);
}

static void
later_text_never_joins_the_beginning(void **state)
{
	struct excerpt e;

	(void)state;
	/* The half ends inside the second character. */
	excerpt_init(&e, 0, 10);
	add(&e, "漢字12345");
	holds(&e, "漢12345", 3);
	add(&e, "abcdefghi");
	holds(&e, "漢cdefghi", 10);
	excerpt_finish(&e);
}

static void
bytes_that_are_no_characters_are_dropped_too(void **state)
{
	struct excerpt e;

	(void)state;
	excerpt_init(&e, 0, 10);
	add(&e, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80");
	assert_int_equal(e.text.len, 10);
	assert_int_equal(e.left_out, 5);
	excerpt_finish(&e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_that_fits_stays_whole),
		cmocka_unit_test(a_long_text_keeps_half_from_each_end),
		cmocka_unit_test(pieces_give_the_same_text_as_the_whole),
		cmocka_unit_test(
		    the_skipped_beginning_is_not_counted_as_left_out),
		cmocka_unit_test(the_text_begins_with_a_whole_character),
		cmocka_unit_test(
		    the_ends_have_whole_characters_and_are_never_too_long),
		cmocka_unit_test(later_text_never_joins_the_beginning),
		cmocka_unit_test(bytes_that_are_no_characters_are_dropped_too),
	};

	return cmocka_run_group_tests_name("home_excerpt", tests, NULL, NULL);
}
