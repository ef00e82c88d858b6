#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/mem.h"
#include "op/extract.h"
#include "vt/vt.h"

#include "vt_make.h"

#define MARK(c) "\033]133;" c "\007"

/* An extract of everything in a terminal of 10 x 4 after these bytes. */
static void
extract(struct extract *l, const char *bytes)
{
	struct vt *vt = make_vt(10, 4);

	feed(vt, bytes);
	extract_init(l, 1 << 16);
	extract_add_scrollback(l, vt);
	extract_add_screen(l, vt, NULL, NULL);
	vt_destroy(vt);
}

static void
joins_to(const struct extract *l, const char *want)
{
	auto_free char *got = NULL;
	struct buf out;

	buf_init(&out, 1 << 16);
	assert_int_equal(extract_join(l, &out), 0);
	got = buf_take(&out);
	assert_string_equal(got, want);
}

static void
rows_become_text_from_the_top(void **state)
{
	struct extract l;
	size_t len;

	(void)state;
	extract(&l, "one  \r\n漢字\r\nthree\r\n\r\nfive");
	assert_int_equal(l.n, 5);
	assert_int_equal(l.all[0].row, EXTRACT_SCROLLED);
	assert_int_equal(l.all[1].row, 0);
	assert_int_equal(l.all[4].row, 3);
	assert_memory_equal(extract_at(&l, 1, &len), "漢字", 6);
	assert_int_equal(len, 6);
	assert_string_equal(extract_at(&l, 3, &len), "");
	assert_int_equal(len, 0);
	joins_to(&l, "one\n漢字\nthree\n\nfive");
	extract_finish(&l);
}

static void
a_row_broken_by_the_margin_stays_two_rows(void **state)
{
	struct extract l;

	(void)state;
	extract(&l, "0123456789abc");
	joins_to(&l, "0123456789\nabc\n\n");
	extract_finish(&l);
}

static bool
is_odd(const void *arg, unsigned y)
{
	assert_string_equal(arg, "arg");
	return y % 2 == 1;
}

static void
only_wanted_rows_are_added(void **state)
{
	struct vt *vt = make_vt(10, 4);
	struct extract l;

	(void)state;
	feed(vt, "0\r\n1\r\n2\r\n3");
	extract_init(&l, 1 << 16);
	extract_add_screen(&l, vt, is_odd, "arg");
	joins_to(&l, "1\n3");
	assert_int_equal(l.all[1].row, 3);
	extract_finish(&l);
	vt_destroy(vt);
}

static void
a_limit_leaves_out_the_upper_rows(void **state)
{
	static const struct {
		size_t max;
		const char *want;
	} limits[] = { { 100, "a\nbb\n\nccc" }, { 10, "a\nbb\n\nccc" },
		{ 9, "bb\n\nccc" }, { 8, "bb\n\nccc" }, { 7, "\nccc" },
		{ 4, "ccc" }, { 3, "" }, { 0, "" } };
	struct extract l;

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		extract(&l, "a\r\nbb\r\n\r\nccc");
		extract_limit(&l, limits[i].max, false);
		joins_to(&l, limits[i].want);
		extract_finish(&l);
	}
}

static void
empty_rows_at_the_end_go_first(void **state)
{
	struct extract l;

	(void)state;
	extract(&l, "a\r\nbb");
	extract_limit(&l, 7, true);
	joins_to(&l, "a\nbb\n\n");
	extract_limit(&l, 6, true);
	joins_to(&l, "a\nbb");
	extract_limit(&l, 4, true);
	joins_to(&l, "bb");
	extract_finish(&l);
	extract(&l, "");
	extract_limit(&l, 1, true);
	joins_to(&l, "");
	extract_finish(&l);
}

static void
rows_are_put_as_strings(void **state)
{
	auto_free char *got = NULL;
	struct json_out j;
	struct extract l;
	struct buf out;

	(void)state;
	extract(&l, "a\r\n\"b\"\r\n漢");
	buf_init(&out, 1 << 16);
	json_out_init(&j, &out);
	json_out_open(&j, '[');
	extract_put(&l, 1, 3, &j);
	extract_put(&l, 4, 4, &j);
	json_out_close(&j, ']');
	got = buf_take(&out);
	assert_string_equal(got, "[\"\\\"b\\\"\",\"漢\"]");
	extract_finish(&l);
}

static void
a_lack_of_room_is_reported(void **state)
{
	struct vt *vt = make_vt(10, 4);
	struct extract l;
	struct buf out;

	(void)state;
	feed(vt, "12345\r\n67890");
	extract_init(&l, 7);
	extract_add_screen(&l, vt, NULL, NULL);
	buf_init(&out, 1 << 16);
	assert_int_equal(extract_join(&l, &out), -1);
	buf_finish(&out);
	extract_finish(&l);
	extract_init(&l, 1 << 16);
	extract_add_screen(&l, vt, NULL, NULL);
	buf_init(&out, 7);
	assert_int_equal(extract_join(&l, &out), -1);
	buf_finish(&out);
	extract_finish(&l);
	vt_destroy(vt);
}

/* The output of the last command in these bytes. */
static void
command_is(const char *bytes, const char *want, bool is_running)
{
	struct vt *vt = make_vt(10, 4);
	bool running = !is_running;
	struct extract l;

	feed(vt, bytes);
	extract_init(&l, 1 << 16);
	if (!extract_add_command(&l, vt, &running))
		fail_msg("no command in '%s'", bytes);
	joins_to(&l, want);
	assert_int_equal(running, is_running);
	extract_finish(&l);
	vt_destroy(vt);
}

#define PROMPT MARK("A") "$ " MARK("B")

static void
the_last_command_ends_at_the_prompt_or_the_cursor(void **state)
{
	(void)state;
	command_is(PROMPT "ls\r\n" MARK("C") "a\r\nb\r\n" MARK("D") PROMPT,
	    "a\nb", false);
	command_is(PROMPT "ls\r\n" MARK("C") "a\r\nb", "a\nb", true);
	command_is(PROMPT "ls\r\n" MARK("C") "a\r\n", "a", true);
	command_is(PROMPT "ls\r\n" MARK("C"), "", true);
	/* It began in the scrollback. */
	command_is(PROMPT
	    "ls\r\n" MARK("C") "a\r\nb\r\nc\r\nd\r\ne\r\n" MARK("D") PROMPT,
	    "a\nb\nc\nd\ne", false);
	/* The second of two. */
	command_is(PROMPT "x\r\n" MARK("C") "1\r\n" MARK("D") PROMPT
	    "y\r\n" MARK("C") "2\r\n" MARK("D") PROMPT,
	    "2", false);
}

static void
a_screen_without_marks_has_no_command(void **state)
{
	static const char *const without[] = { "", "$ ls\r\na\r\n$ ",
		PROMPT "ls", PROMPT "vi\r\n" MARK("C") "\033[?1049hfile" };
	struct extract l;
	bool running;

	(void)state;
	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++) {
		struct vt *vt = make_vt(10, 4);

		feed(vt, without[i]);
		extract_init(&l, 1 << 16);
		assert_false(extract_add_command(&l, vt, &running));
		assert_int_equal(l.n, 0);
		extract_finish(&l);
		vt_destroy(vt);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_become_text_from_the_top),
		cmocka_unit_test(a_row_broken_by_the_margin_stays_two_rows),
		cmocka_unit_test(only_wanted_rows_are_added),
		cmocka_unit_test(a_limit_leaves_out_the_upper_rows),
		cmocka_unit_test(empty_rows_at_the_end_go_first),
		cmocka_unit_test(rows_are_put_as_strings),
		cmocka_unit_test(a_lack_of_room_is_reported),
		cmocka_unit_test(
		    the_last_command_ends_at_the_prompt_or_the_cursor),
		cmocka_unit_test(a_screen_without_marks_has_no_command),
	};

	return cmocka_run_group_tests_name("op_extract", tests, NULL, NULL);
}
