#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "paint/html.h"
#include "paint/span.h"
#include "paint_make.h"
#include "vt/vt.h"

static void
has(const char *bytes, const char *want)
{
	picture_has(paint_html, bytes, want);
}

static void
has_not(const char *bytes, const char *unwanted)
{
	picture_has_not(paint_html, bytes, unwanted);
}

#define HIDE "\033[?25l" /* a cursor would split the text */

static void
html_is_a_page_that_fetches_and_runs_nothing(void **state)
{
	(void)state;
	has("", "<!doctype html>\n");
	has("", "<meta charset=\"utf-8\">");
	has("", "content=\"default-src 'none'; style-src 'unsafe-inline'; ");
	has_not("", "<script");
	has_not("", "url(");
	has_not("", "src=");
}

static void
html_text_never_becomes_markup(void **state)
{
	(void)state;
	has(HIDE "<b>&amp;\"'</b>",
	    ">\n&lt;b&gt;&amp;amp;&quot;&#39;&lt;/b&gt;\n\n</pre>");
	has("\033]2;</title><script>\a",
	    "<title>&lt;/title&gt;&lt;script&gt;</title>");
	has(HIDE "\033[1m</pre>\033[m", ">&lt;/pre&gt;</span>\n");
	has_not("\033]8;;https://x/\"><script>\a.", "<script>");
	has_not("\033]8;;x:\"><script>\a.", "<script>");
}

static void
html_names_the_page_after_the_title(void **state)
{
	(void)state;
	has("\033]2;vim \xe2\x82\xac\a", "<title>vim \xe2\x82\xac</title>");
	has("", "<title>terminal</title>");
}

static void
html_links_only_where_a_page_may_lead(void **state)
{
	(void)state;
	has(HIDE "\033]8;;https://example.com/?a&b\ago\033]8;;\a",
	    "<span style=\"width:2ch\"><a rel=\"noopener noreferrer\" "
	    "href=\"https://example.com/?a&amp;b\">go</a></span>");
	has(HIDE "\033]8;;MailTo:a@b\ago", "href=\"MailTo:a@b\"");
	has(HIDE "\033]8;;ftp://h/\ago", "href=\"ftp://h/\"");
	has(HIDE "\033]8;;javascript:alert(1)\ago\033]8;;\a",
	    "<span style=\"width:2ch\" title=\"javascript:alert(1)\">"
	    "go</span>");
	has_not("\033]8;;javascript:alert(1)\ago", "href");
	has_not("\033]8;;data:text/html,x\ago", "href");
	has_not("\033]8;;file:///etc/passwd\ago", "href");
	has_not("\033]8;; https://x/\ago", "href");
	has_not("\033]8;;httpsx://x/\ago", "href");
}

static void
html_has_every_attribute(void **state)
{
	(void)state;
	has(HIDE "\033[1mx", "<span class=\"b\" style=\"width:1ch\">x</span>");
	has(HIDE "\033[3mx", "<span class=\"i\" style=\"width:1ch\">x</span>");
	has(HIDE "\033[5mx", "class=\"l\"");
	has(HIDE "\033[8mx", "class=\"h\"");
	has(HIDE "\033[4mx", "class=\"u1\"");
	has(HIDE "\033[21mx", "class=\"u2\"");
	has(HIDE "\033[4:3mx", "class=\"u3\"");
	has(HIDE "\033[4:4mx", "class=\"u4\"");
	has(HIDE "\033[4:5mx", "class=\"u5\"");
	has(HIDE "\033[4;58:2::1:2:3mx",
	    "style=\"width:1ch;text-decoration-color:#010203\"");
	has(HIDE "\033[9mx", "<s class=\"k\">x</s>");
	has(HIDE "\033[53mx", "<s class=\"o\">x</s>");
	has(HIDE "\033[9;53mx", "<s class=\"k o\">x</s>");
	has(HIDE "\033[1;3;4mx", "class=\"b i u1\"");
}

static void
html_has_the_colours(void **state)
{
	(void)state;
	has(HIDE "\033[38;2;1;2;3;48;2;4;5;6mxy",
	    "<span style=\"width:2ch;color:#010203;background:#040506\">"
	    "xy</span>");
	has(HIDE "\033[38;2;1;2;3;48;2;4;5;6;7mx",
	    "color:#040506;background:#010203");
	/* Faint is halfway to the background. */
	has(HIDE "\033[2;38;2;255;101;0;48;2;1;1;200mx", "color:#803364");
	has("\033]10;#112233\a\033]11;#445566\a",
	    "body{color:#112233;background:#445566}");
	/* Inverse of the default colours, and then of the whole screen. */
	has("\033]10;#112233\a\033]11;#445566\a" HIDE "\033[7mx",
	    "color:#445566;background:#112233");
	has("\033]10;#112233\a\033]11;#445566\a\033[?5h",
	    "body{color:#445566;background:#112233}");
}

static void
html_keeps_columns_of_characters_of_any_width(void **state)
{
	(void)state;
	has(HIDE "a\xe6\xbc\xa2"
		 "b",
	    ">\na<span class=\"w\" style=\"width:2ch\">\xe6\xbc\xa2</span>"
	    "b\n");
	has(HIDE "ae\xcc\x81"
		 "b",
	    ">\na<span style=\"width:1ch\">e\xcc\x81</span>b\n");
	has(HIDE "\xe2\x94\x80\xe2\x94\x80",
	    "<span style=\"width:2ch\">\xe2\x94\x80\xe2\x94\x80</span>");
}

static void
html_shows_the_cursor(void **state)
{
	(void)state;
	has("\033]12;#abcdef\a\033]11;#000001\aab\b",
	    ">\na<span id=\"cursor\" style=\"width:1ch;color:#000001;"
	    "background:#abcdef\">b</span>\n");
	has("a\033[1;4H", ">\na  <span id=\"cursor\"");
	has("\033]12;#abcdef\a\033[3 q",
	    "box-shadow:inset 0 -2px #abcdef\"> </span>");
	has("\033]12;#abcdef\a\033[5 q",
	    "box-shadow:inset 2px 0 #abcdef\"> </span>");
	has_not(HIDE, "id=\"cursor\"");
	/* On the second half of a wide character the cursor covers both. */
	has("\xe6\xbc\xa2\b",
	    "<span id=\"cursor\" class=\"w\" style=\"width:2ch;");
}

static void
html_shows_the_scrollback_on_request(void **state)
{
	auto_free char *page = picture_of(paint_html, "1\r\n2\r\n3\r\n4" HIDE,
	    PAINT_SCROLLBACK);

	(void)state;
	assert_non_null(strstr(page, "<pre id=\"scrollback\">\n1\n2\n</pre>"));
	assert_non_null(strstr(page, "\">\n3\n4\n</pre>"));
	has_not("1\r\n2\r\n3", "scrollback");
}

static void
html_stops_at_the_buffers_maximum(void **state)
{
	(void)state;
	picture_stops_at_maximum(paint_html, "hello");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(html_is_a_page_that_fetches_and_runs_nothing),
		cmocka_unit_test(html_text_never_becomes_markup),
		cmocka_unit_test(html_names_the_page_after_the_title),
		cmocka_unit_test(html_links_only_where_a_page_may_lead),
		cmocka_unit_test(html_has_every_attribute),
		cmocka_unit_test(html_has_the_colours),
		cmocka_unit_test(html_keeps_columns_of_characters_of_any_width),
		cmocka_unit_test(html_shows_the_cursor),
		cmocka_unit_test(html_shows_the_scrollback_on_request),
		cmocka_unit_test(html_stops_at_the_buffers_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
