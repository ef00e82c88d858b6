/* The painter's output, read by another terminal. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/mem.h"
#include "client/paint.h"
#include "vt/vt.h"
#include "vt_make.h"
#include "vt_show.h"
#include "../rng.h"

/* A session, the terminal that shows it, and the painter between. */
struct rig {
	struct vt *session, *terminal;
	struct painter painter;
	struct buf out;
};

static void
set_up(struct rig *r, unsigned cols, unsigned rows, unsigned tcols,
    unsigned trows)
{
	r->session = make_vt(cols, rows);
	r->terminal = make_vt(tcols, trows);
	painter_init(&r->painter);
	painter_resize(&r->painter, tcols, trows);
	buf_init(&r->out, SIZE_MAX);
}

static void
tear_down(struct rig *r)
{
	vt_destroy(r->session);
	vt_destroy(r->terminal);
	painter_finish(&r->painter);
	buf_finish(&r->out);
}

static void
draw_scene(struct rig *r, const struct scene *s)
{
	buf_clear(&r->out);
	assert_int_equal(painter_draw(&r->painter, s, &r->out), 0);
	vt_feed(r->terminal, r->out.data, r->out.len);
}

static void
draw(struct rig *r)
{
	draw_scene(r, &(struct scene){ .vt = r->session });
}

/* A cell's look: text and style; blanks are spaces. */
struct look {
	char text[VT_TEXT_MAX];
	struct cell style;
	uint32_t underline;
	const char *link;
};

static struct look
look_at(const struct vt *vt, unsigned x, unsigned y)
{
	struct look l = { .text = " ", .link = "" };
	struct vt_row row;

	vt_screen_row(vt, y, &row);
	if (x >= row.used)
		return l;
	l.style.bg = row.cells[x].bg;
	if (cell_kind(&row.cells[x]) == CELL_PAD)
		return l;
	if (cell_kind(&row.cells[x]) == CELL_TAIL) {
		snprintf(l.text, sizeof(l.text), "<");
	} else {
		l.text[vt_cell_text(&row, x, l.text)] = '\0';
		if (l.text[0] == '\0')
			snprintf(l.text, sizeof(l.text), " ");
		if (row.cells[x].ch == 0)
			return l;
	}
	l.style.fg = row.cells[x].fg;
	l.style.attr = row.cells[x].attr & ATTR_SGR;
	l.underline = vt_cell_underline_colour(vt, &row.cells[x]);
	l.link = vt_cell_link(vt, &row.cells[x]);
	return l;
}

/* Halves of wide characters at the window's edge are blank. */
static struct look
expected(const struct rig *r, unsigned x, unsigned y)
{
	unsigned sx = r->painter.left + x, sy = r->painter.top + y;
	unsigned cols = vt_cols(r->session), rows = vt_rows(r->session);
	struct look blank = { .text = " ", .link = "" };
	struct look l;

	if (x < cols && y < rows) {
		struct vt_row row;
		bool cut;

		vt_screen_row(r->session, sy, &row);
		l = look_at(r->session, sx, sy);
		cut = sx < row.used &&
		    ((x == 0 && cell_kind(&row.cells[sx]) == CELL_TAIL) ||
			(x + 1 == vt_cols(r->terminal) &&
			    cell_kind(&row.cells[sx]) == CELL_WIDE));
		if (!cut)
			return l;
		blank.style.bg = l.style.bg;
		return blank;
	}
	if (x > cols || y > rows)
		return blank;
	blank.style.attr = ATTR_FAINT;
	snprintf(blank.text, sizeof(blank.text), "%s",
	    x < cols     ? "\u2500" :
		y < rows ? "\u2502" :
			   "\u2518");
	return blank;
}

static void
assert_shown(const struct rig *r, const char *when, unsigned round)
{
	for (unsigned y = 0; y < vt_rows(r->terminal); y++)
		for (unsigned x = 0; x < vt_cols(r->terminal); x++) {
			struct look want = expected(r, x, y);
			struct look got = look_at(r->terminal, x, y);

			if (strcmp(want.text, got.text) == 0 &&
			    memcmp(&want.style, &got.style,
				sizeof(want.style)) == 0 &&
			    want.underline == got.underline &&
			    strcmp(want.link, got.link) == 0)
				continue;
			fail_msg("%s, round %u: %ux%u on %ux%u, row %u column "
				 "%u is '%s' %x %x %x %s, not '%s' %x %x %x %s"
				 "\nsent: %s",
			    when, round, vt_cols(r->session),
			    vt_rows(r->session), vt_cols(r->terminal),
			    vt_rows(r->terminal), y, x, got.text, got.style.fg,
			    got.style.bg, got.style.attr, got.link, want.text,
			    want.style.fg, want.style.bg, want.style.attr,
			    want.link, show_bytes(r->out.data, r->out.len).s);
		}
}

static void
assert_cursor(const struct rig *r)
{
	struct vt_cursor want, got;

	vt_cursor(r->session, &want);
	vt_cursor(r->terminal, &got);
	assert_int_equal(got.visible, want.visible);
	assert_int_equal(got.shape, want.shape);
	assert_int_equal(got.blink, want.blink);
	if (!want.visible)
		return;
	assert_int_equal(got.row, want.row - r->painter.top);
	assert_int_equal(got.col, want.col - r->painter.left);
}

static void
random_output(struct rng *rng, struct vt *vt)
{
	static const char *const words[] = { "word ", "\u5b57\u5b57", "e\u0301",
		"\U0001f469\u200d\U0001f680", "\u2764\ufe0f", "\u00fc", "\r\n",
		"\n", "\033[2K", "\033[1J", "\033[41m", "\033[0m",
		"\033[1;4:3m", "\033[38;5;200m", "\033[58;2;1;2;3;4m",
		"\033[7m", "\033[K", "\033]8;;http://a/\033\\",
		"\033]8;id=x;http://b/\033\\", "\033]8;;\033\\", "\033[5X",
		"\033[L", "\033[M", "\033[2S", "\033[3P", "\033[2@", "\t",
		"\U0001f1e9", "\u0301", "\033[?5h", "\033[?5l", "\033[4 q",
		"\033[2 q", "\033[?25l", "\033[?25h", "\033]2;title\a",
		"\033[?1049h", "\033[?1049l", "\u1100\u1161", "\u200d",
		"\033[44m\033[2J", "\033M" };
	char move[32];

	for (unsigned n = rng_between(rng, 1, 30); n > 0; n--) {
		feed(vt, words[rng_below(rng, sizeof(words) / sizeof(*words))]);
		if (rng_below(rng, 4) != 0)
			continue;
		snprintf(move, sizeof(move), "\033[%u;%uH",
		    rng_between(rng, 1, vt_rows(vt)),
		    rng_between(rng, 1, vt_cols(vt)));
		feed(vt, move);
	}
}

static void
any_screen_is_shown_on_any_terminal(void **state)
{
	struct rng rng = { 42 };

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		struct rig r;

		set_up(&r, rng_between(&rng, 2, 30), rng_between(&rng, 1, 12),
		    rng_between(&rng, 2, 30), rng_between(&rng, 1, 12));
		r.painter.sync = rng_below(&rng, 2);
		r.painter.widths_differ = rng_below(&rng, 2);
		for (unsigned i = 0; i < 20; i++) {
			random_output(&rng, r.session);
			if (rng_below(&rng, 10) == 0)
				assert_int_equal(vt_resize(r.session,
						     rng_between(&rng, 2, 30),
						     rng_between(&rng, 1, 12),
						     NULL),
				    0);
			draw(&r);
			assert_shown(&r, "after an update", round);
			assert_cursor(&r);
			assert_int_equal(vt_reverse_video(r.terminal),
			    vt_reverse_video(r.session));
			assert_string_equal(vt_title(r.terminal),
			    vt_title(r.session));
			draw(&r);
			assert_int_equal(r.out.len, 0);
		}
		tear_down(&r);
	}
}

/* A session that was restored is another struct vt that looks the same. */
static void
another_terminal_that_looks_the_same_costs_nothing(void **state)
{
	struct rng rng = { 3 };
	struct rig r;
	struct buf key;

	(void)state;
	set_up(&r, 20, 8, 20, 8);
	for (unsigned i = 0; i < 10; i++)
		random_output(&rng, r.session);
	draw(&r);
	key = keyframe_of(r.session);
	vt_destroy(r.session);
	r.session = keyframe_restore(key.data, key.len, NULL, NULL, NULL);
	assert_non_null(r.session);
	painter_look_again(&r.painter);
	draw(&r);
	assert_int_equal(r.out.len, 0);
	buf_finish(&key);
	tear_down(&r);
}

static void
a_terminal_that_was_drawn_over_is_redrawn(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, 20, 5, 20, 5);
	feed(r.session, "one\r\ntwo");
	draw(&r);
	feed(r.terminal, "\033[31mgarbage\033[H more\033[?25l");
	painter_forget(&r.painter);
	draw(&r);
	assert_shown(&r, "after garbage", 0);
	assert_cursor(&r);
	tear_down(&r);
}

/* True if the terminal has the colours that the program set. */
static void
assert_coloured(const struct rig *r, const char *when)
{
	for (unsigned i = 0; i < 256 + 3; i++) {
		uint32_t c = i < 256 ? COLOUR_PALETTE | i : 0;
		enum vt_colour_role role = i < 256 ? 0 : i - 256;
		uint32_t want = vt_colour(r->session, c, role);
		uint32_t got = vt_colour(r->terminal, c, role);

		if (want != got)
			fail_msg("%s, colour %u: %06x, not %06x", when, i, got,
			    want);
	}
}

static void
a_programs_palette_is_shown(void **state)
{
	static const char *const steps[] = {
		"\033]4;1;#123456;200;rgb:aa/bb/cc\033\\",
		"\033]10;#111111;#222222;#333333\033\\x",
		"\033]104;1\033\\\033]111\033\\y",
		"\033]104\033\\",
		"\033]11;#abcdef\033\\",
		"\033c",
	};
	struct rig r;

	(void)state;
	set_up(&r, 10, 3, 20, 5);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		feed(r.session, steps[i]);
		draw(&r);
		assert_coloured(&r, show_bytes(steps[i], strlen(steps[i])).s);
		if (i % 2)
			painter_forget(&r.painter);
		draw(&r);
		assert_coloured(&r, "drawn anew");
		draw(&r);
		assert_int_equal(r.out.len, 0);
	}
	tear_down(&r);
}

static void
a_key_costs_a_few_bytes(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, 80, 24, 100, 30);
	feed(r.session, "$ ");
	draw(&r);
	feed(r.session, "l");
	draw(&r);
	if (r.out.len > 20)
		fail_msg("%zu bytes: %s", r.out.len,
		    show_bytes(r.out.data, r.out.len).s);
	tear_down(&r);
}

static void
the_window_follows_the_cursor(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, 40, 20, 10, 5);
	feed(r.session, "top");
	draw(&r);
	shows(r.terminal, "top\n\n\n\n");
	feed(r.session, "\033[20;38Hend");
	draw(&r);
	shows(r.terminal, "\n\n\n\n       end");
	feed(r.session, "\033[H");
	draw(&r);
	shows(r.terminal, "top\n\n\n\n");
	tear_down(&r);
}

static void
a_notice_covers_the_last_row_and_leaves_no_trace(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, 20, 3, 20, 3);
	feed(r.session, "a\r\nb\r\nc");
	draw(&r);
	draw_scene(&r,
	    &(struct scene){ .vt = r.session, .notice = "lost \u2026" });
	shows(r.terminal, "a\nb\nlost \u2026");
	draw(&r);
	shows(r.terminal, "a\nb\nc");
	assert_shown(&r, "after the notice", 0);
	assert_cursor(&r);
	tear_down(&r);
}

static void
marks_are_highlighted_in_the_visible_part(void **state)
{
	const struct paint_mark marks[] = { { .y = 1, .from = 8, .to = 11 },
		{ .y = 0, .from = 0, .to = 2, .found = true } };
	struct vt_row row;
	struct rig r;

	(void)state;
	set_up(&r, 20, 3, 10, 3);
	feed(r.session, "0123456789abcdef\r\n0123456789abcdef\033[2;10H");
	draw_scene(&r,
	    &(struct scene){ .vt = r.session, .marks = marks, .n_marks = 2 });
	shows(r.terminal, "0123456789\n0123456789\n");
	vt_screen_row(r.terminal, 1, &row);
	assert_false(row.cells[7].attr & ATTR_INVERSE);
	assert_true(row.cells[8].attr & ATTR_INVERSE);
	assert_true(row.cells[9].attr & ATTR_INVERSE);
	vt_screen_row(r.terminal, 0, &row);
	assert_int_equal(row.cells[1].bg, COLOUR_PALETTE | 3);
	assert_int_equal(row.cells[2].bg, COLOUR_DEFAULT);
	tear_down(&r);
}

static void
a_notice_may_be_wide_and_have_the_cursor(void **state)
{
	struct vt_cursor c;
	struct rig r;

	(void)state;
	set_up(&r, 10, 3, 10, 3);
	feed(r.session, "a\r\nb\r\nc");
	draw_scene(&r,
	    &(struct scene){ .vt = r.session,
		.notice = "\u754ce\u0301\u754cabcde\u754c",
		.asking = true,
		.ask_column = 5 });
	shows(r.terminal, "a\nb\n\u754ce\u754cabcde");
	vt_cursor(r.terminal, &c);
	assert_int_equal(c.row, 2);
	assert_int_equal(c.col, 5);
	assert_true(c.visible);
	tear_down(&r);
}

static void
a_buffer_that_is_too_small_is_reported(void **state)
{
	struct rig r;
	struct buf small;

	(void)state;
	set_up(&r, 20, 3, 20, 3);
	buf_init(&small, 16);
	feed(r.session, "some text");
	assert_int_equal(painter_draw(&r.painter,
			     &(struct scene){ .vt = r.session }, &small),
	    -ENOBUFS);
	draw(&r);
	shows(r.terminal, "some text\n\n");
	buf_finish(&small);
	tear_down(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_screen_is_shown_on_any_terminal),
		cmocka_unit_test(
		    another_terminal_that_looks_the_same_costs_nothing),
		cmocka_unit_test(a_terminal_that_was_drawn_over_is_redrawn),
		cmocka_unit_test(a_programs_palette_is_shown),
		cmocka_unit_test(a_key_costs_a_few_bytes),
		cmocka_unit_test(the_window_follows_the_cursor),
		cmocka_unit_test(
		    a_notice_covers_the_last_row_and_leaves_no_trace),
		cmocka_unit_test(marks_are_highlighted_in_the_visible_part),
		cmocka_unit_test(a_notice_may_be_wide_and_have_the_cursor),
		cmocka_unit_test(a_buffer_that_is_too_small_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
