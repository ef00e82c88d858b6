#include "unit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "vt/render.h"
#include "vt_make.h"
#include "vt_show.h"

#define COLS 20
#define ROWS 4

/* A bit of everything that a rendering has. */
static const char everything[] =
    "\033]4;1;#123456\a\033]11;#101010\a"
    "\033]1;icon\a\033]2;first\a\033[22t\033]2;second\a\033]7;file:///tmp\a"
    "scrolled away\r\nand more of it, which is wrapped\r\n\r\n"
    "\033]133;A\a$ \033[1;4:3;58;5;9;38;2;1;2;3mstyled\033[m"
    "\033]8;id=a;http://a/\alink\033]8;;\a\r\n"
    "\u5b57\u5b57 e\u0301 \U0001f468\u200d\U0001f469\033[44m\033[K\033[m\r\n"
    "\033[1\"qprotected\033[\"q full to the end"
    "\033[3g\033[5G\033H\033[11G\033H"
    "\033[?1;2004;1002;1006h\033[>5u\033[4 q\033[>4;1m"
    "\033[?69h\033[3;15s\033[2;3r\033[2;5H\033[31m\033)0";

static struct vt *
make_full(void)
{
	struct vt *vt = make_vt(COLS, ROWS);

	feed(vt, everything);
	return vt;
}

static struct vt *
make_full_alternate(void)
{
	struct vt *vt = make_full();

	feed(vt,
	    "\033[r\033[?1049h\033[2J\033[H\033[7malternate\033[m\r\n"
	    "screen\0337\033[3;3H");
	return vt;
}

/* The rendering; the caller frees. */
static char *
render(const struct vt *vt, unsigned flags)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	assert_int_equal(vt_render(vt, flags, &out), 0);
	return buf_take(&out);
}

static void
count_history(const struct vt *vt, unsigned want)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct vt_row row;
	unsigned n = 0;

	while (vt_history_next(it, &row))
		n++;
	vt_history_end(it);
	assert_int_equal(n, want);
}

static void
a_fresh_terminal_renders_to_a_few_bytes(void **state)
{
	struct vt *vt = make_vt(COLS, ROWS);
	auto_free char *bytes = render(vt, 0);

	(void)state;
	assert_string_equal(bytes, "\033[1;1H");
	vt_destroy(vt);
}

/*
 * Render, feed the result to a fresh terminal, and check that it looks the
 * same.
 */
static void
makes_a_copy(struct vt *vt, unsigned flags)
{
	struct vt *copy = make_vt(COLS, ROWS);
	auto_free char *bytes = render(vt, flags);
	auto_free char *text = text_of(vt);
	struct vt_cursor a, b;

	feed(copy, bytes);
	shows(copy, text);
	assert_string_equal(vt_title(copy), vt_title(vt));
	assert_string_equal(vt_icon(copy), vt_icon(vt));
	assert_string_equal(vt_cwd(copy), vt_cwd(vt));
	vt_cursor(vt, &a);
	vt_cursor(copy, &b);
	assert_int_equal(a.row, b.row);
	assert_int_equal(a.col, b.col);
	assert_int_equal(a.shape, b.shape);
	auto_free char *again = render(copy, flags);
	assert_string_equal(again, bytes);
	vt_destroy(copy);
}

static void
a_copy_renders_to_the_same_bytes(void **state)
{
	struct vt *vt = make_full(), *alt = make_full_alternate();

	(void)state;
	makes_a_copy(vt, 0);
	makes_a_copy(vt, RENDER_HISTORY);
	makes_a_copy(alt, 0);
	makes_a_copy(alt, RENDER_HISTORY);
	vt_destroy(vt);
	vt_destroy(alt);
}

/* The bytes for one thing, between those for any terminal. */
static void
each_state_is_rendered_in_its_expected_bytes(void **state)
{
	static const struct {
		const char *fed, *said;
	} cases[] = {
		{ "text", "text\033[1;5H" },
		{ "\033[2;3H", "\033[2;3H" },
		{ "\033[1mb\033[m", "\033[0;1mb\033[0m\033[1;2H" },
		{ "\033[31m", "\033[1;1H\033[0;31m" },
		{ "\033]2;title\a",
		    "\033]1;\033\\\033]2;title\033\\\033[1;1H" },
		{ "\033]7;file:///\a", "\033]7;file:///\033\\\033[1;1H" },
		{ "\033]4;1;#123456\a",
		    "\033]4;1;rgb:12/34/56\033\\\033[1;1H" },
		{ "\033]11;#123456\a", "\033]11;rgb:12/34/56\033\\\033[1;1H" },
		{ "\033]8;;http://a/\al\033]8;;\a",
		    "\033]8;;http://a/\033\\l\033]8;;\033\\\033[1;2H" },
		{ "\033[3g\033[5G\033H\r", "\033[3g\033[5G\033H\033[1;1H" },
		{ "\033[2;3r", "\033[2;3r\033[1;1H" },
		{ "\033[?69h\033[2;9s",
		    "\033[?69h\033[2;9s\033[?69h"
		    "\033[1;1H" },
		{ "\033[?1h", "\033[1;1H\033[?1h" },
		{ "\033[?2004h", "\033[1;1H\033[?2004h" },
		{ "\033[?25l", "\033[1;1H\033[?25l" },
		{ "\033[3 q", "\033[1;1H\033[3 q" },
		{ "\033[>4;1m", "\033[1;1H\033[>4;1m" },
		{ "\033[>5u", "\033[>5u\033[1;1H" },
		{ "\033(0", "\033[1;1H\033(0" },
		{ "\033[2;2H\0337\033[H", "\033[2;2H\0337\033[H\033[1;1H" },
		{ "\033V", "\033[1;1H\033[1\"q\033V" },
		{ "\033V\033W", "\033[1;1H\033V\033W" },
		{ "\033[?1047h", "\033[?1047h\033[H\033[1;1H" },
		{ "\033[?2026h", "\033[1;1H\033[?2026h" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct vt *vt = make_vt(COLS, ROWS);
		feed(vt, cases[i].fed);
		auto_free char *said = render(vt, 0);
		if (strcmp(said, cases[i].said) != 0)
			fail_msg("%s is said as %s, not %s",
			    show_bytes(cases[i].fed, strlen(cases[i].fed)).s,
			    show_bytes(said, strlen(said)).s,
			    show_bytes(cases[i].said, strlen(cases[i].said)).s);
		vt_destroy(vt);
	}
}

static void
rendering_changes_nothing_and_gives_the_same_twice(void **state)
{
	struct vt *vt = make_full_alternate(), *twin = make_full_alternate();

	(void)state;
	for (unsigned flags = 0; flags <= RENDER_HISTORY; flags++) {
		auto_free char *once = render(vt, flags);
		auto_free char *twice = render(vt, flags);
		assert_string_equal(once, twice);
		same_state(vt, twin);
	}
	vt_destroy(vt);
	vt_destroy(twin);
}

static void
a_reset_terminal_is_restored_by_its_rendering(void **state)
{
	struct vt *vt = make_full_alternate();
	auto_free char *bytes = render(vt, RENDER_HISTORY);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		feed(vt, "\033c");
		feed(vt, bytes);
		auto_free char *again = render(vt, RENDER_HISTORY);
		assert_string_equal(again, bytes);
	}
	vt_destroy(vt);
}

static void
history_comes_only_on_request(void **state)
{
	struct vt *vt = make_vt(COLS, ROWS);

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		feed(vt, "a line that is wrapped somewhere\r\n");
	count_history(vt, 17);
	for (unsigned flags = 0; flags <= RENDER_HISTORY; flags++) {
		struct vt *copy = make_vt(COLS, ROWS);
		auto_free char *bytes = render(vt, flags);
		feed(copy, bytes);
		count_history(copy, flags & RENDER_HISTORY ? 17 : 0);
		vt_destroy(copy);
	}
	vt_destroy(vt);
}

static void
a_buffer_that_is_too_small_is_reported(void **state)
{
	struct vt *vt = make_full_alternate();
	auto_free char *whole = render(vt, RENDER_HISTORY);
	struct buf out;

	(void)state;
	for (size_t max = 0; max < strlen(whole); max++) {
		buf_init(&out, max);
		assert_int_equal(vt_render(vt, RENDER_HISTORY, &out), -ENOBUFS);
		if (out.len > 0)
			assert_memory_equal(out.data, whole, out.len);
		buf_finish(&out);
	}
	buf_init(&out, strlen(whole));
	assert_int_equal(vt_render(vt, RENDER_HISTORY, &out), 0);
	buf_finish(&out);
	vt_destroy(vt);
}

static void
a_rendering_asks_nothing_and_rings_no_bell(void **state)
{
	struct replies replies;
	struct vt *vt = make_full_alternate();
	struct vt *copy = make_vt_that_replies(COLS, ROWS, &replies);
	auto_free char *bytes = render(vt, RENDER_HISTORY);

	(void)state;
	feed(copy, bytes);
	replied(&replies, "");
	assert_null(strchr(bytes, '\a'));
	vt_destroy(copy);
	vt_destroy(vt);
}

static void
on_request_only_the_shown_screen_is_rendered(void **state)
{
	struct vt *vt = make_full_alternate();
	struct vt *copy = make_vt(COLS, ROWS);
	auto_free char *bytes = render(vt, RENDER_SHOWN);
	auto_free char *text = text_of(vt);

	(void)state;
	feed(copy, bytes);
	assert_true(vt_alt_screen(vt));
	assert_false(vt_alt_screen(copy));
	shows(copy, text);
	vt_destroy(copy);
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fresh_terminal_renders_to_a_few_bytes),
		cmocka_unit_test(each_state_is_rendered_in_its_expected_bytes),
		cmocka_unit_test(a_copy_renders_to_the_same_bytes),
		cmocka_unit_test(
		    rendering_changes_nothing_and_gives_the_same_twice),
		cmocka_unit_test(a_reset_terminal_is_restored_by_its_rendering),
		cmocka_unit_test(history_comes_only_on_request),
		cmocka_unit_test(a_buffer_that_is_too_small_is_reported),
		cmocka_unit_test(a_rendering_asks_nothing_and_rings_no_bell),
		cmocka_unit_test(on_request_only_the_shown_screen_is_rendered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
