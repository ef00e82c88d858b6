#include "unit.h"

#include <stdlib.h>

#include "vt_make.h"
#include "vt_show.h"

#define COLS 20
#define ROWS 5
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Feed; returns the changed rows as a bit each, and whether a visible change
 * was made.
 */
static bool
changes(struct vt *vt, const char *s, unsigned *rows)
{
	uint64_t before = vt_generation(vt);

	feed(vt, s);
	*rows = 0;
	for (unsigned y = 0; y < vt_rows(vt); y++)
		if (vt_row_generation(vt, y) > before)
			*rows |= 1u << y;
	return vt_generation(vt) > before;
}

static struct vt *
make_filled(void)
{
	struct vt *vt = make_vt(COLS, ROWS);

	feed(vt, "one\r\ntwo\r\nthree\r\nfour\033[2;2H");
	return vt;
}

static void
changes_nothing(const char *s)
{
	struct vt *vt = make_filled();
	unsigned rows;

	if (changes(vt, s, &rows) || rows != 0)
		fail_msg("%s: rows %x", show_bytes(s, strlen(s)).s, rows);
	vt_destroy(vt);
}

/* These rows changed, and there was a visible change. */
static void
changes_rows(const char *s, unsigned want)
{
	struct vt *vt = make_filled();
	unsigned rows;
	bool visible = changes(vt, s, &rows);

	if (!visible || rows != want)
		fail_msg("%s: rows %x, not %x%s", show_bytes(s, strlen(s)).s,
		    rows, want, visible ? "" : ", nothing visible");
	vt_destroy(vt);
}

static void
invisible_changes_keep_the_generation(void **state)
{
	(void)state;
	changes_nothing("");
	changes_nothing("\033[31;1m");
	changes_nothing("\033[?2004h\033[?1h\033[?1000h\033[>1u");
	changes_nothing("\033[6n\033[c\033[?25$p");
	changes_nothing("\033[10m\033]52;c;?\a\a");
	changes_nothing("\033[2;2H");    /* where the cursor is */
	changes_nothing("\033[C\033[D"); /* there and back */
	changes_nothing("\0337\033[3;3H\0338");
	changes_nothing("\033]8;;http://a/\a");
	changes_nothing("\033]2;half a title");
	changes_nothing("\033[1;");
	changes_nothing("\xe5\xad");
}

static void
text_changes_its_row_alone(void **state)
{
	(void)state;
	changes_rows("x", 1 << 1);
	changes_rows("\u5b57", 1 << 1);
	changes_rows("\033[4;1Hx", 1 << 3);
	changes_rows("\033[1;1Hx\033[5;1Hx", 1 << 0 | 1 << 4);
}

static void
erasing_changes_its_rows(void **state)
{
	(void)state;
	changes_rows("\033[K", 1 << 1);
	changes_rows("\033[X", 1 << 1);
	changes_rows("\033[P", 1 << 1);
	changes_rows("\033[@", 1 << 1);
	changes_rows("\033[2J", 0x1f);
}

static void
a_joined_mark_changes_the_row_it_joins(void **state)
{
	struct vt *vt = make_filled();
	unsigned rows;

	(void)state;
	feed(vt, "e");
	assert_true(changes(vt, "\u0301", &rows));
	assert_int_equal(rows, 1 << 1);
	vt_destroy(vt);
}

static void
a_mark_that_takes_its_character_below_changes_both_rows(void **state)
{
	struct vt *vt = make_filled();
	unsigned rows;

	(void)state;
	feed(vt, "\033[2;20H\u2764");
	assert_true(changes(vt, "\ufe0f", &rows));
	assert_int_equal(rows, 1 << 1 | 1 << 2);
	vt_destroy(vt);
}

static void
a_scroll_changes_all_rows(void **state)
{
	(void)state;
	changes_rows("\033[5;1H\n", 0x1f);
	changes_rows("\033[S", 0x1f);
	changes_rows("\033[T", 0x1f);
}

static void
a_scroll_of_a_region_changes_its_rows(void **state)
{
	(void)state;
	changes_rows("\033[2;4r\033[S", 0x0e);
	changes_rows("\033[2;4r\033[4;1H\n", 0x0e);
	changes_rows("\033[L", 0x1e);
	changes_rows("\033[M", 0x1e);
}

static void
moving_the_cursor_is_visible_and_changes_no_row(void **state)
{
	(void)state;
	changes_rows("\033[C", 0);
	changes_rows("\n", 0);
	changes_rows("\r", 0);
	changes_rows("\033[H", 0);
}

static void
the_look_of_the_cursor_is_visible(void **state)
{
	(void)state;
	changes_rows("\033[?25l", 0);
	changes_rows("\033[?12h", 0);
	changes_rows("\033[5 q", 0);
}

static void
titles_and_colours_are_visible(void **state)
{
	(void)state;
	changes_rows("\033]2;title\a", 0);
	changes_rows("\033]0;title\033\\", 0);
	changes_rows("\033[22t\033]2;a\a\033[23t", 0);
	changes_rows("\033]4;1;#123456\a", 0);
	changes_rows("\033]11;#123456\a", 0);
	changes_rows("\033]111\a", 0);
	changes_rows("\033[?5h", 0);
}

static void
a_palette_that_is_reset_is_visible(void **state)
{
	static const char *const resets[] = { "\033]104;1\a", "\033]104\a" };

	(void)state;
	for (size_t i = 0; i < COUNT(resets); i++) {
		struct vt *vt = make_filled();
		unsigned rows;
		feed(vt, "\033]4;1;#123456\a");
		assert_true(changes(vt, resets[i], &rows));
		vt_destroy(vt);
	}
}

static void
switching_screens_changes_all_rows(void **state)
{
	struct vt *vt = make_filled();
	unsigned rows;

	(void)state;
	assert_true(changes(vt, "\033[?1049h", &rows));
	assert_int_equal(rows, 0x1f);
	assert_true(changes(vt, "\033[?1049l", &rows));
	assert_int_equal(rows, 0x1f);
	assert_true(changes(vt, "\033[?1049h\033[?1049l", &rows));
	vt_destroy(vt);
}

static void
resizing_and_resetting_change_all_rows(void **state)
{
	struct vt *vt = make_filled();
	uint64_t before = vt_generation(vt);
	unsigned rows;

	(void)state;
	assert_int_equal(vt_resize(vt, 10, ROWS, NULL), 0);
	assert_true(vt_generation(vt) > before);
	for (unsigned y = 0; y < ROWS; y++)
		assert_true(vt_row_generation(vt, y) > before);
	before = vt_generation(vt);
	assert_int_equal(vt_resize(vt, 10, ROWS, NULL), 0);
	assert_true(vt_generation(vt) == before);
	assert_true(changes(vt, "\033c", &rows));
	assert_int_equal(rows, 0x1f);
	vt_destroy(vt);
}

static void
a_generation_is_never_below_that_of_its_rows(void **state)
{
	static const char *const steps[] = { "a", "\033[31m", "\r\n\n\n\n\n",
		"\033[2;3r\033[S", "\033[?1049h", "x", "\033[?1049l", "\033[2J",
		"\033]2;t\a", "\033[?69h\033[3;9s\033[S", "\u5b57", "\033c" };
	struct vt *vt = make_filled();

	(void)state;
	for (size_t i = 0; i < COUNT(steps); i++) {
		feed(vt, steps[i]);
		for (unsigned y = 0; y < ROWS; y++)
			assert_true(
			    vt_row_generation(vt, y) <= vt_generation(vt));
	}
	vt_destroy(vt);
}

static void
during_an_update_the_generation_is_constant(void **state)
{
	struct vt *vt = make_filled();
	uint64_t before = vt_generation(vt);

	(void)state;
	feed(vt, "\033[?2026h");
	assert_true(vt_in_sync(vt));
	feed(vt, "text\r\n");
	feed(vt, "\033[2J");
	feed(vt, "\033]2;title\a");
	feed(vt, "\033[?1049h");
	assert_true(vt_generation(vt) == before);
	feed(vt, "\033[?2026l");
	assert_false(vt_in_sync(vt));
	assert_true(vt_generation(vt) > before);
	for (unsigned y = 0; y < ROWS; y++)
		assert_true(vt_row_generation(vt, y) > before);
	vt_destroy(vt);
}

static void
an_update_that_changes_nothing_is_not_seen(void **state)
{
	struct vt *vt = make_filled();
	uint64_t before = vt_generation(vt);

	(void)state;
	feed(vt, "\033[?2026h");
	feed(vt, "\033[31m");
	feed(vt, "\033[?2026l");
	assert_true(vt_generation(vt) == before);
	vt_destroy(vt);
}

static void
changes_before_an_update_are_seen(void **state)
{
	struct vt *vt = make_filled();
	unsigned rows;

	(void)state;
	assert_true(changes(vt, "x", &rows));
	assert_false(changes(vt, "\033[?2026h", &rows));
	assert_false(changes(vt, "y", &rows));
	assert_true(changes(vt, "\033[?2026l", &rows));
	assert_int_equal(rows, 1 << 1);
	vt_destroy(vt);
}

static void
an_update_that_never_ends_is_given_up(void **state)
{
	struct vt *vt = make_filled();
	uint64_t before = vt_generation(vt);

	(void)state;
	feed(vt, "\033[?2026hx");
	assert_true(vt_generation(vt) == before);
	vt_end_sync(vt);
	assert_false(vt_in_sync(vt));
	assert_true(vt_generation(vt) > before);
	before = vt_generation(vt);
	vt_end_sync(vt);
	feed(vt, "\033[?2026l");
	assert_true(vt_generation(vt) == before);
	feed(vt, "y");
	assert_true(vt_generation(vt) > before);
	vt_destroy(vt);
}

static void
resets_end_an_update(void **state)
{
	static const char *const resets[] = { "\033c", "\033[!p" };

	(void)state;
	for (size_t i = 0; i < COUNT(resets); i++) {
		struct vt *vt = make_filled();
		uint64_t before = vt_generation(vt);
		feed(vt, "\033[?2026hx");
		feed(vt, resets[i]);
		assert_false(vt_in_sync(vt));
		assert_true(vt_generation(vt) > before);
		vt_destroy(vt);
	}
}

static void
feed_frame_returns_after_each_update(void **state)
{
	static const char bytes[] = "a\033[?2026hb\033[?2026l"
				    "\033[?2026hc\033[?2026ld";
	static const struct {
		size_t taken;
		const char *shown;
	} frames[] = { { 1 + 8 + 1 + 8, "ab" }, { 8 + 1 + 8, "abc" },
		{ 1, "abcd" } };
	struct vt *vt = make_vt(4, 1);
	size_t at = 0;
	uint64_t before = vt_generation(vt);

	(void)state;
	for (size_t i = 0; i < COUNT(frames); i++) {
		size_t n = vt_feed_frame(vt, bytes + at, strlen(bytes) - at);
		assert_int_equal(n, frames[i].taken);
		shows(vt, frames[i].shown);
		assert_false(vt_in_sync(vt));
		assert_true(vt_generation(vt) > before);
		before = vt_generation(vt);
		at += n;
	}
	assert_int_equal(at, strlen(bytes));
	vt_destroy(vt);
}

static void
feed_frame_takes_all_when_no_update_ends(void **state)
{
	static const char *const whole[] = { "abc", "\033[?2026habc",
		"\033[?2026labc", "\033[?2026;25labc" };

	(void)state;
	for (size_t i = 0; i < COUNT(whole); i++) {
		struct vt *vt = make_vt(4, 1);
		assert_int_equal(vt_feed_frame(vt, whole[i], strlen(whole[i])),
		    strlen(whole[i]));
		shows(vt, "abc");
		assert_int_equal(vt_in_sync(vt), i == 1);
		vt_destroy(vt);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invisible_changes_keep_the_generation),
		cmocka_unit_test(text_changes_its_row_alone),
		cmocka_unit_test(erasing_changes_its_rows),
		cmocka_unit_test(a_joined_mark_changes_the_row_it_joins),
		cmocka_unit_test(
		    a_mark_that_takes_its_character_below_changes_both_rows),
		cmocka_unit_test(a_scroll_changes_all_rows),
		cmocka_unit_test(a_scroll_of_a_region_changes_its_rows),
		cmocka_unit_test(
		    moving_the_cursor_is_visible_and_changes_no_row),
		cmocka_unit_test(the_look_of_the_cursor_is_visible),
		cmocka_unit_test(titles_and_colours_are_visible),
		cmocka_unit_test(a_palette_that_is_reset_is_visible),
		cmocka_unit_test(switching_screens_changes_all_rows),
		cmocka_unit_test(resizing_and_resetting_change_all_rows),
		cmocka_unit_test(a_generation_is_never_below_that_of_its_rows),
		cmocka_unit_test(during_an_update_the_generation_is_constant),
		cmocka_unit_test(an_update_that_changes_nothing_is_not_seen),
		cmocka_unit_test(changes_before_an_update_are_seen),
		cmocka_unit_test(an_update_that_never_ends_is_given_up),
		cmocka_unit_test(resets_end_an_update),
		cmocka_unit_test(feed_frame_returns_after_each_update),
		cmocka_unit_test(feed_frame_takes_all_when_no_update_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
