#include "unit.h"

#include <errno.h>
#include <stdlib.h>

#include "../rng.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "vt_make.h"

/* sha256sum of 23 newlines: 24 empty rows. */
#define EMPTY_80X24 \
	"6e0ce65031e802f83e9c1e92b66a459ada9f1f5f6522ba6c8d8198228fd219c3"

static void
has_hash(const struct vt *vt, const char *want)
{
	char got[65];

	vt_hash(vt, got);
	assert_string_equal(got, want);
}

/* The hash of the present text. */
static void
has_hash_of(const struct vt *vt, const char *text)
{
	uint8_t digest[32];
	struct sha256 s;
	char want[65];

	sha256_init(&s);
	sha256_update(&s, text, strlen(text));
	sha256_final(&s, digest);
	sha256_hex(digest, want);
	has_hash(vt, want);
}

static void
text_has_a_line_for_each_row(void **state)
{
	struct vt *vt = make_vt(5, 3);

	(void)state;
	shows(vt, "\n\n");
	feed(vt, "ab\r\n\r\ncd");
	shows(vt, "ab\n\ncd");
	vt_destroy(vt);
}

static void
trailing_blanks_are_trimmed_and_no_others(void **state)
{
	struct vt *vt = make_vt(6, 4);

	(void)state;
	feed(vt, "  a   \r\n");
	feed(vt, "\033[44m\033[2K\033[mb\r\n"); /* erased in blue */
	feed(vt, "\033[3Cc\r\n");               /* never written */
	feed(vt, "d\u00a0\u3000");              /* blank, but not ASCII */
	shows(vt, "  a\nb\n   c\nd\u00a0\u3000");
	vt_destroy(vt);
}

static void
a_wide_character_appears_once(void **state)
{
	struct vt *vt = make_vt(5, 2);

	(void)state;
	feed(vt, "ab\u5b57\u5b57c"); /* the second leaves a pad */
	shows(vt, "ab\u5b57\n\u5b57c");
	vt_destroy(vt);
}

static void
a_cluster_is_all_of_its_code_points(void **state)
{
	struct vt *vt = make_vt(8, 1);

	(void)state;
	feed(vt,
	    "e\u0301\u0302\U0001f468\u200d\U0001f469\U0001f1e9\U0001f1eax");
	shows(vt,
	    "e\u0301\u0302\U0001f468\u200d\U0001f469\U0001f1e9\U0001f1eax");
	vt_destroy(vt);
}

/* The rows of history and screen are these lines. */
static void
has_lines(const struct vt *vt, const char *want)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct vt_lines lines;
	struct vt_row row;
	struct buf out;
	char *got;

	buf_init(&out, SIZE_MAX);
	vt_lines_begin(&lines, vt, &out);
	while (vt_history_next(it, &row))
		vt_lines_add(&lines, &row);
	vt_history_end(it);
	for (unsigned y = 0; y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		vt_lines_add(&lines, &row);
	}
	got = buf_take(&out);
	assert_string_equal(got, want);
	free(got);
}

static void
lines_are_whole_where_the_margin_broke_them(void **state)
{
	static const struct {
		const char *bytes, *lines;
	} all[] = {
		{ "abcdefghij\r\nk", "abcdefghij\nk" },
		{ "abcdef\r\nghi", "abcdef\nghi\n" },
		{ "word  more", "word  more\n" },
		{ "abcde f", "abcde f\n" },        /* a blank at the margin */
		{ "abc\033[2Cxyz", "abc  xyz\n" }, /* never written */
		{ "abcde\u5b57\u5b57", "abcde\u5b57\u5b57\n" }, /* a pad */
		{ "abcde\u5b57\033[2Hxy", "abcde xy\n" },       /* no longer */
		{ "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct vt *vt = make_vt(6, 3);

		feed(vt, all[i].bytes);
		has_lines(vt, all[i].lines);
		vt_destroy(vt);
	}
}

static void
the_text_comes_from_the_shown_screen(void **state)
{
	struct vt *vt = make_vt(8, 2);

	(void)state;
	feed(vt, "primary\033[?1049h\033[Halter\r\nnate");
	shows(vt, "alter\nnate");
	feed(vt, "\033[?1049l");
	shows(vt, "primary\n");
	vt_destroy(vt);
}

static void
a_buffer_that_is_too_small_is_reported(void **state)
{
	struct vt *vt = make_vt(8, 2);
	struct buf out;

	(void)state;
	feed(vt, "12345\r\n678");
	for (size_t max = 0; max < 9; max++) {
		buf_init(&out, max);
		assert_int_equal(vt_text(vt, &out), -ENOBUFS);
		buf_finish(&out);
	}
	buf_init(&out, 9);
	assert_int_equal(vt_text(vt, &out), 0);
	buf_finish(&out);
	vt_destroy(vt);
}

/* K-14. */
static void
the_hash_of_an_empty_screen_is_that_of_its_newlines(void **state)
{
	struct vt *vt = make_vt(80, 24);

	(void)state;
	has_hash(vt, EMPTY_80X24);
	vt_destroy(vt);
}

/* K-14. */
static void
the_hash_is_that_of_the_text(void **state)
{
	struct vt *vt = make_vt(8, 3);

	(void)state;
	feed(vt, "hello\r\n\u5b57  ");
	has_hash_of(vt, "hello\n\u5b57\n");
	vt_destroy(vt);
}

/* K-14: no scrollback, cursor, styles, title, modes. */
static void
the_hash_depends_on_the_visible_text_alone(void **state)
{
	static const char *const same[] = { "\033[H", "\033[3;3H",
		"\033]2;title\a", "\033[?25l\033[?5h",
		"\033[44m\033[2;4H\033[K", "\033[H\033[1;31mhello\033[m",
		"\033[?2004h", "\033[2;3H ", "\033]4;1;#123456\a" };
	struct vt *vt = make_vt(8, 3);

	(void)state;
	feed(vt, "hello\r\nw");
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		feed(vt, same[i]);
		has_hash_of(vt, "hello\nw\n");
	}
	feed(vt, "\033[?5l\033[3;1H\n\n\n\033[Hhello\r\nw");
	has_hash_of(vt, "hello\nw\n"); /* and three rows of scrollback */
	feed(vt, "x");
	has_hash_of(vt, "hello\nwx\n");
	vt_destroy(vt);
}

/* O-13. */
static void
bytes_that_are_not_utf8_do_not_break_the_stream(void **state)
{
	static const char *const bad[] = { "\x80", "\xff", "\xc3", "\xe5\xad",
		"\xf0\x9f\x98", "\xc0", "\xfe" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct vt *vt = make_vt(20, 2);
		feed(vt, "before ");
		feed(vt, bad[i]);
		feed(vt, "\033[2;1Hafter \u5b57");
		shows(vt, "before \ufffd\nafter \u5b57");
		vt_destroy(vt);
	}
}

/* O-13: a screen of any bytes gives valid text, and keeps working. */
static void
any_bytes_leave_valid_text_and_a_working_terminal(void **state)
{
	struct rng rng = { 22 };

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		struct vt *vt = make_vt(20, 3);
		uint8_t bytes[300];
		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)rng_below(&rng, 256);
		vt_feed(vt, bytes, sizeof(bytes));
		char *text = text_of(vt);
		assert_true(utf8_valid(text, strlen(text)));
		free(text);
		feed(vt, "\x18\033cstill here");
		shows(vt, "still here\n\n");
		vt_destroy(vt);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_a_line_for_each_row),
		cmocka_unit_test(trailing_blanks_are_trimmed_and_no_others),
		cmocka_unit_test(a_wide_character_appears_once),
		cmocka_unit_test(a_cluster_is_all_of_its_code_points),
		cmocka_unit_test(lines_are_whole_where_the_margin_broke_them),
		cmocka_unit_test(the_text_comes_from_the_shown_screen),
		cmocka_unit_test(a_buffer_that_is_too_small_is_reported),
		cmocka_unit_test(
		    the_hash_of_an_empty_screen_is_that_of_its_newlines),
		cmocka_unit_test(the_hash_is_that_of_the_text),
		cmocka_unit_test(the_hash_depends_on_the_visible_text_alone),
		cmocka_unit_test(
		    bytes_that_are_not_utf8_do_not_break_the_stream),
		cmocka_unit_test(
		    any_bytes_leave_valid_text_and_a_working_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
