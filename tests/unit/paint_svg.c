#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "paint/span.h"
#include "paint/svg.h"
#include "paint_make.h"
#include "vt/vt.h"

static void
has(const char *bytes, const char *want)
{
	picture_has(paint_svg, bytes, want);
}

static void
has_not(const char *bytes, const char *unwanted)
{
	picture_has_not(paint_svg, bytes, unwanted);
}

#define HIDE "\033[?25l"
#define FG "\033]10;#eeeeee\a\033]11;#111111\a"

static void
svg_is_as_large_as_the_screen(void **state)
{
	(void)state;
	has("", "width=\"196\" height=\"50\" viewBox=\"0 0 196 50\"");
	has(FG,
	    "<rect x=\"0\" y=\"0\" width=\"196\" height=\"50\" "
	    "fill=\"#111111\"/>");
}

static void
svg_text_never_becomes_markup(void **state)
{
	(void)state;
	has(HIDE "<b>&\"'", ">&lt;b&gt;&amp;&quot;&#39;</text>");
	has("\033]2;</title>\a", "<title>&lt;/title&gt;</title>");
	has("\033]8;;x:</title><script>\a.",
	    "<title>x:&lt;/title&gt;&lt;script&gt;</title>");
	has_not("\033]8;;https://x/\"><script>\a.", "<script>");
}

static void
svg_gives_text_its_place_and_length(void **state)
{
	(void)state;
	has(FG HIDE "\033[2;4Hhello  there  ",
	    "<text x=\"35\" y=\"38\" textLength=\"108\" "
	    "lengthAdjust=\"spacingAndGlyphs\" fill=\"#eeeeee\">"
	    "hello  there</text>");
	has(HIDE "a\xe6\xbc\xa2", "<text x=\"17\" y=\"21\" textLength=\"18\"");
	has(HIDE "\033[1;3mx", "font-weight=\"bold\" font-style=\"italic\">x<");
}

static void
svg_merges_the_background_of_neighbours(void **state)
{
	(void)state;
	has(HIDE "a\033[48;2;1;2;3mb\033[31mc\033[1md",
	    "<rect x=\"17\" y=\"8\" width=\"27\" height=\"17\" "
	    "fill=\"#010203\"/>");
}

static void
svg_draws_the_lines(void **state)
{
	(void)state;
	has(FG HIDE "\033[4mab", "stroke=\"#eeeeee\" d=\"M8 22.5h18\"/>");
	has(FG HIDE "\033[4;58:2::1:2:3mab",
	    "stroke=\"#010203\" d=\"M8 22.5h18\"/>");
	has(FG HIDE "\033[21ma", "d=\"M8 24.5h9\"/>");
	has(FG HIDE "\033[4:3mab", "d=\"M8 23q2.25 -3 4.5 0t4.5 0q2.25");
	has(FG HIDE "\033[4:4ma", "stroke-dasharray=\"1 2\" d=\"M8 22.5h9\"");
	has(FG HIDE "\033[4:5ma", "stroke-dasharray=\"6 3\" d=\"M8 22.5h9\"");
	has(FG HIDE "\033[9ma", "stroke=\"#eeeeee\" d=\"M8 16.5h9\"/>");
	has(FG HIDE "\033[53ma", "stroke=\"#eeeeee\" d=\"M8 8.5h9\"/>");
}

static void
svg_leaves_out_concealed_text(void **state)
{
	(void)state;
	has_not(HIDE "\033[8msecret", "secret");
	has(HIDE "\033[5mx", "<g class=\"l\">");
}

static void
svg_links_only_where_a_page_may_lead(void **state)
{
	(void)state;
	has("\033]8;;https://e.com/?a&b\ax",
	    "<a rel=\"noopener noreferrer\" "
	    "href=\"https://e.com/?a&amp;b\"><text");
	has_not("\033]8;;javascript:alert(1)\ax", "href=");
	has("\033]8;;javascript:alert(1)\ax",
	    "<g><title>javascript:alert(1)</title>");
}

static void
svg_shows_the_cursor(void **state)
{
	(void)state;
	has("\033]12;#abcdef\aab",
	    "<rect x=\"26\" y=\"8\" width=\"9\" "
	    "height=\"17\" fill=\"#abcdef\"/>");
	has("\033]12;#abcdef\a\033[3 qab",
	    "<rect x=\"26\" y=\"23\" "
	    "width=\"9\" height=\"2\" fill=\"#abcdef\"/>");
	has("\033]12;#abcdef\a\033[5 qab",
	    "<rect x=\"26\" y=\"8\" "
	    "width=\"2\" height=\"17\" fill=\"#abcdef\"/>");
	has_not("\033]12;#abcdef\a" HIDE, "#abcdef");
}

static void
svg_draws_boxes_as_shapes(void **state)
{
	(void)state;
	/* A light corner: from the middle to the right and down. */
	has(FG HIDE "\xe2\x94\x8c",
	    "<path fill=\"#eeeeee\" "
	    "d=\"M12 16h5v1h-5zM12 16h1v9h-1z\"/>");
	/* A full block fills its cell, a shade only by half. */
	has(FG HIDE "\xe2\x96\x88", "d=\"M8 8h9v17h-9z\"/>");
	has(FG HIDE "\xe2\x96\x92",
	    "<path fill-opacity=\".5\" "
	    "fill=\"#eeeeee\" d=\"M8 8h9v17h-9z\"/>");
	/* A round corner is a line. */
	has(FG HIDE "\xe2\x95\xad",
	    "<path fill=\"none\" stroke=\"#eeeeee\" "
	    "d=\"M12.5 25V21Q12.5 16.5 17 16.5\"/>");
	has_not(HIDE "\xe2\x94\x8c\xe2\x96\x88", "<text");
}

static void
svg_has_a_shape_for_every_box_character(void **state)
{
	(void)state;
	for (unsigned cp = 0x2500; cp <= 0x259F; cp++) {
		char text[] = { (char)(0xE0 | cp >> 12),
			(char)(0x80 | (cp >> 6 & 63)), (char)(0x80 | (cp & 63)),
			'\0' };
		auto_free char *picture = picture_of(paint_svg, text, 0);

		if (strstr(picture, " d=\"M") == NULL)
			fail_msg("U+%X has no shape in\n%s", cp, picture);
	}
}

static void
svg_shows_the_scrollback_on_request(void **state)
{
	auto_free char *picture = picture_of(paint_svg, "1\r\n2\r\n3\r\n4",
	    PAINT_SCROLLBACK);

	(void)state;
	assert_non_null(strstr(picture, "height=\"84\""));
	assert_non_null(strstr(picture, "y=\"21\""));
	assert_non_null(strstr(picture, ">1</text>"));
	assert_non_null(strstr(picture, ">4</text>"));
	has_not("1\r\n2\r\n3", ">1</text>");
}

static void
svg_stops_at_the_buffers_maximum(void **state)
{
	(void)state;
	picture_stops_at_maximum(paint_svg,
	    "hello \xe2\x94\x8c \033[4:3mcurly");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(svg_is_as_large_as_the_screen),
		cmocka_unit_test(svg_text_never_becomes_markup),
		cmocka_unit_test(svg_gives_text_its_place_and_length),
		cmocka_unit_test(svg_merges_the_background_of_neighbours),
		cmocka_unit_test(svg_draws_the_lines),
		cmocka_unit_test(svg_leaves_out_concealed_text),
		cmocka_unit_test(svg_links_only_where_a_page_may_lead),
		cmocka_unit_test(svg_shows_the_cursor),
		cmocka_unit_test(svg_draws_boxes_as_shapes),
		cmocka_unit_test(svg_has_a_shape_for_every_box_character),
		cmocka_unit_test(svg_shows_the_scrollback_on_request),
		cmocka_unit_test(svg_stops_at_the_buffers_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
