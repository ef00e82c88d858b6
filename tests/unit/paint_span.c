#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "paint/span.h"

/* The spans of a row of 12 columns, as col+cols:text, joined by "|". */
static char *
spans_of(const char *bytes)
{
	static const struct vt_ops quiet;
	struct vt_config config = { .cols = 12, .rows = 1, .ops = &quiet };
	struct vt *vt = vt_create(&config, NULL);
	struct vt_row row;
	struct spans spans;
	struct span s;
	struct buf out;

	vt_feed(vt, bytes, strlen(bytes));
	vt_screen_row(vt, 0, &row);
	buf_init(&out, 10000);
	spans_begin(&spans, vt, &row, 0);
	while (spans_next(&spans, &s))
		buf_printf(&out, "%s%u+%u%c%.*s", out.len > 0 ? "|" : "", s.col,
		    s.cols, s.cursor ? '!' : "tba"[s.kind], (int)s.len, s.text);
	spans_end(&spans);
	vt_destroy(vt);
	return buf_take(&out);
}

static void
are(const char *bytes, const char *want)
{
	auto_free char *got = spans_of(bytes);

	assert_string_equal(got, want);
}

#define HIDE "\033[?25l"

static void
spans_join_cells_that_look_alike(void **state)
{
	(void)state;
	are(HIDE, "");
	are(HIDE "abc", "0+3tabc");
	are(HIDE "ab  cd", "0+6tab  cd");
	are(HIDE "ab\033[1mcd\033[mef", "0+2tab|2+2tcd|4+2tef");
	are(HIDE "a\033[1;4HX", "0+4ta  X");
}

static void
spans_end_with_the_last_cell_that_shows(void **state)
{
	(void)state;
	are(HIDE "ab   ", "0+2tab");
	are(HIDE "ab\033[1m  ", "0+2tab");
	are(HIDE "ab\033[44m  ", "0+2tab|2+2t  ");
	are(HIDE "ab\033[4m  ", "0+2tab|2+2t  ");
	are(HIDE "ab\033[7m  ", "0+2tab|2+2t  ");
}

static void
spans_separate_characters_that_fonts_draw_differently(void **state)
{
	(void)state;
	are(HIDE "a\xe6\xbc\xa2\xe5\xad\x97"
		 "b",
	    "0+1ta|1+2a\xe6\xbc\xa2|3+2a\xe5\xad\x97|5+1tb");
	are(HIDE "\xce\xb1\xce\xb2", "0+1a\xce\xb1|1+1a\xce\xb2");
	are(HIDE "\xc3\xa9t\xc3\xa9", "0+3t\xc3\xa9t\xc3\xa9");
	are(HIDE "a\xe2\x94\x80\xe2\x94\x80"
		 "b",
	    "0+1ta|1+2b\xe2\x94\x80\xe2\x94\x80|3+1tb");
}

static void
spans_separate_the_cursor(void **state)
{
	(void)state;
	are("", "0+1! ");
	are("abc\b\b", "0+1ta|1+1!b|2+1tc");
	are("a\033[1;5H", "0+4ta   |4+1! ");
	are("\xe6\xbc\xa2\b", "0+2!\xe6\xbc\xa2");
	/* A pending wrap leaves the cursor on the last column. */
	are("abcdefghijkl", "0+11tabcdefghijk|11+1!l");
}

static void
links_are_safe_by_their_scheme(void **state)
{
	(void)state;
	assert_true(paint_link_is_safe("http://a"));
	assert_true(paint_link_is_safe("HTTPS://a"));
	assert_true(paint_link_is_safe("ftp://a"));
	assert_true(paint_link_is_safe("mailto:a@b"));
	assert_false(paint_link_is_safe(""));
	assert_false(paint_link_is_safe("http:"));
	assert_false(paint_link_is_safe("javascript:alert(1)"));
	assert_false(paint_link_is_safe(" https://a"));
	assert_false(paint_link_is_safe("file:///etc/passwd"));
	assert_false(paint_link_is_safe("//a"));
}

static void
escapes_to(const char *p, size_t len, const char *want)
{
	struct buf out;

	buf_init(&out, 1000);
	paint_escape(&out, p, len);
	auto_free char *got = buf_take(&out);
	assert_string_equal(got, want);
}

static void
escaped_text_is_valid_in_html_and_xml(void **state)
{
	(void)state;
	escapes_to("a<b>&\"'c", 8, "a&lt;b&gt;&amp;&quot;&#39;c");
	escapes_to("\xe6\xbc\xa2", 3, "\xe6\xbc\xa2");
	escapes_to("a\0b\033\x7f", 5,
	    "a\xef\xbf\xbd"
	    "b\xef\xbf\xbd\xef\xbf\xbd");
	escapes_to("\xc2\x85", 2, "\xef\xbf\xbd");
	escapes_to("\xef\xbf\xbe\xef\xbf\xbf", 6, "\xef\xbf\xbd\xef\xbf\xbd");
	escapes_to("\xff<", 2, "\xef\xbf\xbd&lt;");
	escapes_to("\xe2\x82<", 3, "\xef\xbf\xbd&lt;");
	escapes_to("\xe2\x82", 2, "\xef\xbf\xbd");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_join_cells_that_look_alike),
		cmocka_unit_test(spans_end_with_the_last_cell_that_shows),
		cmocka_unit_test(
		    spans_separate_characters_that_fonts_draw_differently),
		cmocka_unit_test(spans_separate_the_cursor),
		cmocka_unit_test(links_are_safe_by_their_scheme),
		cmocka_unit_test(escaped_text_is_valid_in_html_and_xml),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
