#include "unit.h"

#include <string.h>

#include "base/json_out.h"
#include "base/json_tree.h"
#include "op/screen.h"
#include "vt/text.h"
#include "vt/vt.h"

#include "vt_make.h"

static json_t *
look_at(const struct vt *vt, const struct screen_look *look)
{
	struct error err = { 0 };
	struct json_out j;
	struct buf out;
	json_t *screen;

	buf_init(&out, 1 << 20);
	json_out_init(&j, &out);
	screen_put(vt, look, &j);
	screen = json_tree_object((char *)out.data, out.len, &err);
	if (screen == NULL)
		fail_msg("%.*s: %s", (int)out.len, (char *)out.data, err.msg);
	buf_finish(&out);
	return screen;
}

/* The screen object of a terminal of 10 x 3 after these bytes. */
static json_t *
screen_of(const char *bytes, unsigned flags)
{
	const struct screen_look look = { .flags = flags };
	struct vt *vt = make_vt(10, 3);
	json_t *screen;

	feed(vt, bytes);
	screen = look_at(vt, &look);
	vt_destroy(vt);
	return screen;
}

/* The member has this value, written as compact JSON with sorted keys. */
static void
has(const json_t *screen, const char *key, const char *want)
{
	char *got = json_dumps(json_object_get(screen, key),
	    JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);

	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

static void
has_after(const char *bytes, const char *key, const char *want)
{
	auto_json json_t *screen = screen_of(bytes, SCREEN_CELLS);

	has(screen, key, want);
}

static void
a_screen_has_its_size_cursor_title_and_rows(void **state)
{
	auto_json json_t
	    *screen = screen_of("\033]2;a \"title\"\007one  \r\n漢\033[4 q", 0);

	(void)state;
	has(screen, "cols", "10");
	has(screen, "rows", "3");
	has(screen, "title", "\"a \\\"title\\\"\"");
	has(screen, "alt_screen", "false");
	has(screen, "lines", "[\"one\",\"漢\",\"\"]");
	has(screen, "cursor",
	    "{\"col\":2,\"row\":1,\"shape\":\"underline\","
	    "\"visible\":true}");
}

static void
the_moment_and_the_hash_are_given(void **state)
{
	const struct screen_look look = { .seq = UINT32_MAX + 1ull,
		.offset = 7 };
	struct vt *vt = make_vt(10, 3);
	auto_json json_t *screen = NULL;
	char hash[65];

	(void)state;
	feed(vt, "text");
	screen = look_at(vt, &look);
	vt_hash(vt, hash);
	has(screen, "seq", "4294967296");
	has(screen, "offset", "7");
	assert_string_equal(json_string_value(json_object_get(screen, "hash")),
	    hash);
	vt_destroy(vt);
}

static void
further_members_need_their_flag(void **state)
{
	static const char bytes[] = "1\r\n2\r\n3\r\n\033[8m4";
	static const struct {
		unsigned flags;
		size_t members;
	} counts[] = { { 0, 9 }, { SCREEN_SCROLLBACK, 10 },
		{ SCREEN_HIDDEN, 10 }, { SCREEN_CELLS, 13 },
		{ SCREEN_SCROLLBACK | SCREEN_HIDDEN | SCREEN_CELLS, 15 } };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		auto_json json_t *screen = screen_of(bytes, counts[i].flags);

		assert_int_equal(json_object_size(screen), counts[i].members);
		if (counts[i].flags & SCREEN_SCROLLBACK)
			has(screen, "scrollback", "[\"1\"]");
		if (counts[i].flags & SCREEN_HIDDEN)
			has(screen, "hidden",
			    "[{\"col\":0,\"row\":2,\"text\":\"4\","
			    "\"why\":\"concealed\",\"width\":1}]");
	}
}

static void
put_two(const void *arg, const struct vt *vt, struct json_out *j)
{
	assert_int_equal(vt_cols(vt), 10);
	json_put_text(j, "since", arg);
	json_put_bool(j, "all", false);
}

static void
a_function_may_replace_the_rows(void **state)
{
	const struct screen_look look = { .lines = put_two, .arg = "then" };
	struct vt *vt = make_vt(10, 3);
	auto_json json_t *screen = look_at(vt, &look);

	(void)state;
	has(screen, "since", "\"then\"");
	has(screen, "all", "false");
	assert_null(json_object_get(screen, "lines"));
	vt_destroy(vt);
}

static void
cells_of_one_style_are_one_run(void **state)
{
	(void)state;
	has_after("", "cells", "[[],[],[]]");
	has_after("a b\033[31mc\033[m  ", "cells",
	    "[[{\"col\":0,\"text\":\"a b\",\"width\":3},"
	    "{\"col\":3,\"fg\":1,\"text\":\"c\",\"width\":1},"
	    "{\"col\":4,\"text\":\"  \",\"width\":2}],[],[]]");
	/* A wide character and a cluster have runs of their own. */
	has_after("a漢e\xcc\x81z", "cells",
	    "[[{\"col\":0,\"text\":\"a\",\"width\":1},"
	    "{\"col\":1,\"text\":\"漢\",\"width\":2},"
	    "{\"col\":3,\"text\":\"e\xcc\x81\",\"width\":1},"
	    "{\"col\":4,\"text\":\"z\",\"width\":1}],[],[]]");
}

static void
a_run_has_its_colours_and_attributes(void **state)
{
	(void)state;
	has_after("\033[1;9;38;2;1;2;255;48;5;200mx", "cells",
	    "[[{\"attrs\":[\"bold\",\"strike\"],\"bg\":200,\"col\":0,"
	    "\"fg\":\"#0102ff\",\"text\":\"x\",\"width\":1}],[],[]]");
	has_after("\033[4:3;58;5;9mx", "cells",
	    "[[{\"col\":0,\"text\":\"x\",\"underline\":\"curly\","
	    "\"underline_colour\":9,\"width\":1}],[],[]]");
	/* A coloured blank is no blank. */
	has_after("\033[44m\033[K", "cells",
	    "[[{\"bg\":4,\"col\":0,\"text\":\"          \",\"width\":10}],"
	    "[],[]]");
}

static void
rows_that_continue_a_line_are_wrapped(void **state)
{
	(void)state;
	has_after("0123456789", "wrapped", "[false,false,false]");
	has_after("0123456789a\r\nb", "wrapped", "[false,true,false]");
	has_after("012345678漢", "wrapped", "[false,true,false]");
}

#define LINK(id, uri, text) "\033]8;id=" id ";" uri "\007" text "\033]8;;\007"

static void
links_are_listed_with_their_cells(void **state)
{
	(void)state;
	has_after("none", "links", "[]");
	/* A change of style does not end a link; another id does. */
	has_after("a" LINK("x", "http://e", "b\033[4;58;5;1mc\033[m")
		      LINK("y", "http://e", "漢"),
	    "links",
	    "[{\"col\":1,\"id\":\"x\",\"row\":0,\"uri\":\"http://e\","
	    "\"width\":2},"
	    "{\"col\":3,\"id\":\"y\",\"row\":0,\"uri\":\"http://e\","
	    "\"width\":2}]");
}

static void
modes_are_those_of_the_terminal(void **state)
{
	auto_json json_t *screen =
	    screen_of("\033[?1h\033[?2004h\033[?1002h\033[?1006h\033[>5u",
		SCREEN_CELLS);

	(void)state;
	has(screen, "modes",
	    "{\"app_cursor\":true,\"app_keypad\":false,"
	    "\"bracketed_paste\":true,\"focus_events\":false,"
	    "\"kitty_flags\":5,\"modify_other_keys\":0,"
	    "\"mouse\":\"button\",\"mouse_format\":\"sgr\","
	    "\"reverse_video\":false,\"synchronized\":false}");
}

static void
a_lack_of_room_is_reported(void **state)
{
	struct vt *vt = make_vt(10, 3);
	struct json_out j;
	struct buf out;

	(void)state;
	feed(vt, "a\033[31mb");
	for (size_t max = 0; max < 600; max += 50) {
		buf_init(&out, max);
		json_out_init(&j, &out);
		screen_json(vt, SCREEN_CELLS, 1, 2, &j);
		assert_true(out.full);
		assert_true(out.len <= max);
		buf_finish(&out);
	}
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_screen_has_its_size_cursor_title_and_rows),
		cmocka_unit_test(the_moment_and_the_hash_are_given),
		cmocka_unit_test(further_members_need_their_flag),
		cmocka_unit_test(a_function_may_replace_the_rows),
		cmocka_unit_test(cells_of_one_style_are_one_run),
		cmocka_unit_test(a_run_has_its_colours_and_attributes),
		cmocka_unit_test(rows_that_continue_a_line_are_wrapped),
		cmocka_unit_test(links_are_listed_with_their_cells),
		cmocka_unit_test(modes_are_those_of_the_terminal),
		cmocka_unit_test(a_lack_of_room_is_reported),
	};

	return cmocka_run_group_tests_name("op_screen", tests, NULL, NULL);
}
