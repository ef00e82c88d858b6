#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Decode as a stream does; an unfinished rest becomes U+FFFD. */
static size_t
decode(const char *p, size_t len, uint32_t *out)
{
	struct utf8 u = { 0 };
	enum utf8_step step;
	size_t n = 0;

	for (size_t i = 0; i < len; i += step != UTF8_BAD_AGAIN) {
		step = utf8_step(&u, (uint8_t)p[i], &out[n]);
		n += step != UTF8_MORE;
	}
	if (u.need > 0)
		out[n++] = UTF8_REPLACEMENT;
	return n;
}

static size_t
bytes_of(uint32_t cp)
{
	if (cp < 0x800)
		return cp < 0x80 ? 1 : 2;
	return cp < 0x10000 ? 3 : 4;
}

static void
every_character_survives_encoding_and_decoding(void **state)
{
	(void)state;
	for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
		uint32_t got[4];
		char bytes[4];
		size_t len;

		if (cp == 0xD800)
			cp = 0xE000;
		len = utf8_encode(bytes, cp);
		assert_int_equal(len, bytes_of(cp));
		assert_true(utf8_valid(bytes, len));
		assert_int_equal(decode(bytes, len, got), 1);
		assert_int_equal(got[0], cp);
	}
}

static void
an_invalid_code_point_is_encoded_as_the_replacement(void **state)
{
	const uint32_t bad[] = { 0xD800, 0xDFFF, 0x110000, UINT32_MAX };
	char bytes[4];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(utf8_encode(bytes, bad[i]), 3);
		assert_memory_equal(bytes, "\xEF\xBF\xBD", 3);
	}
}

#define R UTF8_REPLACEMENT

/* The results of a browser's TextDecoder. */
/* clang-format off */
static const struct {
	const char *bytes;
	size_t n;
	uint32_t want[8];
} broken[] = {
	{ "\x80", 1, { R } },
	{ "\xC0\xAF", 2, { R, R } },
	{ "\xC1\xBF", 2, { R, R } },
	{ "\xC3", 1, { R } },
	{ "\xC3" "A", 2, { R, 'A' } },
	{ "\xC3\xC3\xA9", 2, { R, 0xE9 } },
	{ "\xE0\x80\xAF", 3, { R, R, R } },
	{ "\xE2\x82", 1, { R } },
	{ "\xE2\x82" "A", 2, { R, 'A' } },
	{ "\xE2\x82\xE2\x82\xAC", 2, { R, 0x20AC } },
	{ "\xED\xA0\x80", 3, { R, R, R } },
	{ "\xF0\x80\x80\x80", 4, { R, R, R, R } },
	{ "\xF0\x9F\x98", 1, { R } },
	{ "\xF0\x9F\x98" "A", 2, { R, 'A' } },
	{ "\xF4\x90\x80\x80", 4, { R, R, R, R } },
	{ "\xF5\x80", 2, { R, R } },
	{ "\xFE\xFF", 2, { R, R } },
	{ "a\xF1\x80\x80\xE1\x80\xC2" "b", 5, { 'a', R, R, R, 'b' } },
};
/* clang-format on */

static void
each_maximal_broken_part_becomes_one_replacement(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		size_t len = strlen(broken[i].bytes), n;
		uint32_t got[16];

		n = decode(broken[i].bytes, len, got);
		if (n != broken[i].n)
			print_error("case %zu gave %zu characters\n", i, n);
		assert_int_equal(n, broken[i].n);
		assert_memory_equal(got, broken[i].want, n * sizeof(*got));
		assert_false(utf8_valid(broken[i].bytes, len));
	}
}

static void
utf8_valid_wants_whole_characters(void **state)
{
	(void)state;
	assert_true(utf8_valid(NULL, 0));
	assert_true(utf8_valid("a\0b", 3));
	assert_true(utf8_valid("\xE2\x82\xAC", 3));
	assert_false(utf8_valid("\xE2\x82\xAC", 2));
}

static void
characters_that_act_on_a_terminal_are_recognised(void **state)
{
	static const uint32_t acts[] = { 0, '\t', '\n', 0x1B, 0x1F, 0x7F, 0x80,
		0x9B, 0x9F, 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A,
		0x202E, 0x2066, 0x2069 };
	static const uint32_t shows[] = { ' ', '~', 0xA0, 0xE9, 0x200D, 0x2010,
		0x202F, 0x2065, 0x206A, 0x754C, 0x1F600, 0xFFFD };

	(void)state;
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (!utf8_acts(acts[i]))
			fail_msg("U+%04X does not act", acts[i]);
	for (size_t i = 0; i < sizeof(shows) / sizeof(*shows); i++)
		if (utf8_acts(shows[i]))
			fail_msg("U+%04X acts", shows[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    every_character_survives_encoding_and_decoding),
		cmocka_unit_test(
		    an_invalid_code_point_is_encoded_as_the_replacement),
		cmocka_unit_test(
		    each_maximal_broken_part_becomes_one_replacement),
		cmocka_unit_test(utf8_valid_wants_whole_characters),
		cmocka_unit_test(
		    characters_that_act_on_a_terminal_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
