#include "unit.h"

#include <string.h>

#include "base/crc32c.h"

/* Check both implementations. */
static void
check(const void *p, size_t len, uint32_t want)
{
	assert_int_equal(crc32c(0, p, len), want);
	assert_int_equal(crc32c_table(0, p, len), want);
}

/* From appendix B.4 of RFC 3720, and the usual check value. */
static void
crc32c_agrees_with_the_published_examples(void **state)
{
	uint8_t bytes[32];

	(void)state;
	check("", 0, 0);
	check("123456789", 9, 0xE3069283);
	memset(bytes, 0, sizeof(bytes));
	check(bytes, sizeof(bytes), 0x8A9136AA);
	memset(bytes, 0xFF, sizeof(bytes));
	check(bytes, sizeof(bytes), 0x62A8AB43);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	check(bytes, sizeof(bytes), 0x46DD794E);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(31 - i);
	check(bytes, sizeof(bytes), 0x113FDB5C);
}

static void
crc32c_by_instruction_equals_crc32c_by_table(void **state)
{
	uint8_t bytes[300];
	uint32_t seed = 12345;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		seed = seed * 1103515245 + 12345;
		bytes[i] = (uint8_t)(seed >> 16);
	}
	for (size_t start = 0; start < 16; start++) {
		for (size_t len = 0; start + len <= sizeof(bytes); len++)
			assert_int_equal(crc32c(seed, bytes + start, len),
			    crc32c_table(seed, bytes + start, len));
	}
}

static void
crc32c_continues_from_the_last_piece(void **state)
{
	const char text[] = "the quick brown fox jumps over the lazy dog";
	uint32_t whole = crc32c(0, text, sizeof(text));

	(void)state;
	for (size_t cut = 0; cut <= sizeof(text); cut++) {
		uint32_t crc = crc32c(0, text, cut);

		crc = crc32c(crc, text + cut, sizeof(text) - cut);
		assert_int_equal(crc, whole);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc32c_agrees_with_the_published_examples),
		cmocka_unit_test(crc32c_by_instruction_equals_crc32c_by_table),
		cmocka_unit_test(crc32c_continues_from_the_last_piece),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
