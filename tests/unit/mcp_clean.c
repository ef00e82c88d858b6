#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "mcp/clean.h"

static void
cleans(const char *text, size_t len, const char *want, int why)
{
	struct clean_found found = { 0 };
	struct buf b;
	char *got;

	buf_init(&b, 1 << 20);
	clean_text(text, len, &b, &found);
	got = buf_take(&b);
	if (strcmp(got, want) != 0)
		fail_msg("'%s' instead of '%s'", got, want);
	for (int i = 0; i < CLEAN_WHYS; i++)
		if ((found.n[i] > 0) != (i == why))
			fail_msg("'%s': %s %zu times", want,
			    clean_why_name((enum clean_why)i), found.n[i]);
	free(got);
	buf_finish(&b);
}

#define NOTHING (-1)
#define CLEANS(text, want, why) cleans(text, sizeof(text) - 1, want, why)

static void
invisible_characters_are_written_out(void **state)
{
	(void)state;
	CLEANS("a\033[8mb", "a\\u{1b}[8mb", CLEAN_CONTROL);
	CLEANS("a\0b", "a\\u{0}b", CLEAN_CONTROL);
	CLEANS("a\rb", "a\\u{d}b", CLEAN_CONTROL);
	CLEANS("\xc2\x9b", "\\u{9b}", CLEAN_CONTROL);
	CLEANS("a\u2028b", "a\\u{2028}b", CLEAN_CONTROL);
	CLEANS("rm \u202etxt", "rm \\u{202e}txt", CLEAN_BIDI);
	CLEANS("\u2066x\u2069", "\\u{2066}x\\u{2069}", CLEAN_BIDI);
	CLEANS("a\u200fb", "a\\u{200f}b", CLEAN_BIDI);
	CLEANS("pass\u200bword", "pass\\u{200b}word", CLEAN_ZERO_WIDTH);
	CLEANS("pass\u200dword", "pass\\u{200d}word", CLEAN_ZERO_WIDTH);
	CLEANS("\u0434\u200d\u0435", "\u0434\\u{200d}\u0435", CLEAN_ZERO_WIDTH);
	CLEANS("\ufeffx", "\\u{feff}x", CLEAN_ZERO_WIDTH);
	CLEANS("soft\u00adhyphen", "soft\\u{ad}hyphen", CLEAN_ZERO_WIDTH);
	CLEANS("\u3164", "\\u{3164}", CLEAN_ZERO_WIDTH);
	CLEANS("x\U000e0041\U000e0042", "x\\u{e0041}\\u{e0042}", CLEAN_TAG);
	CLEANS("x\ufe0f", "x\\u{fe0f}", CLEAN_VARIATION);
	CLEANS("☺\ufe0f\ufe0e", "☺\ufe0f\\u{fe0e}", CLEAN_VARIATION);
	CLEANS("☺\U000e0101", "☺\\u{e0101}", CLEAN_VARIATION);
}

static void
visible_characters_stay(void **state)
{
	(void)state;
	CLEANS("", "", NOTHING);
	CLEANS("a\tb\nc ~\n", "a\tb\nc ~\n", NOTHING);
	CLEANS("漢字 é ñ │┌─┐ █▀ ⣿", "漢字 é ñ │┌─┐ █▀ ⣿", NOTHING);
	CLEANS("👩‍👩‍👧 ❤️‍🔥 1️⃣ ©️",
	    "👩‍👩‍👧 ❤️‍🔥 1️⃣ ©️", NOTHING);
	CLEANS("می\u200cخواهم", "می\u200cخواهم", NOTHING);
	CLEANS("", "", NOTHING);
}

static void
invalid_text_is_replaced(void **state)
{
	(void)state;
	CLEANS("a\xff"
	       "b",
	    "a\ufffdb", NOTHING);
	CLEANS("a\xe2\x82", "a\ufffd", NOTHING);
}

static void
each_kind_has_its_number_and_first_line_reported(void **state)
{
	static const char text[] = "one\ntwo\u200b\nthree\u200b\u202e";
	struct clean_found found = { 0 };
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	clean_text(text, sizeof(text) - 1, &b, &found);
	assert_int_equal(found.n[CLEAN_ZERO_WIDTH], 2);
	assert_int_equal(found.line[CLEAN_ZERO_WIDTH], 1);
	assert_int_equal(found.n[CLEAN_BIDI], 1);
	assert_int_equal(found.line[CLEAN_BIDI], 2);
	buf_finish(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invisible_characters_are_written_out),
		cmocka_unit_test(visible_characters_stay),
		cmocka_unit_test(invalid_text_is_replaced),
		cmocka_unit_test(
		    each_kind_has_its_number_and_first_line_reported),
	};

	return cmocka_run_group_tests_name("mcp_clean", tests, NULL, NULL);
}
