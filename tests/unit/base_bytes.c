#include "unit.h"

#include "base/bytes.h"

static void
numbers_are_stored_lowest_byte_first(void **state)
{
	uint8_t bytes[14];

	(void)state;
	put_u16le(bytes, 0x0201);
	put_u32le(bytes + 2, 0x06050403);
	put_u64le(bytes + 6, 0x0e0d0c0b0a090807);
	for (uint8_t i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], i + 1);
}

static void
numbers_of_the_wire_are_stored_highest_byte_first(void **state)
{
	uint8_t bytes[14];

	(void)state;
	put_u16be(bytes, 0x0102);
	put_u32be(bytes + 2, 0x03040506);
	put_u64be(bytes + 6, 0x0708090a0b0c0d0e);
	for (uint8_t i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], i + 1);
}

static void
numbers_come_back_from_any_place(void **state)
{
	uint8_t bytes[16];

	(void)state;
	for (size_t at = 0; at < 8; at++) {
		put_u16le(bytes + at, 0xFEDC);
		assert_int_equal(get_u16le(bytes + at), 0xFEDC);
		put_u32le(bytes + at, 0xFEDCBA98);
		assert_int_equal(get_u32le(bytes + at), 0xFEDCBA98);
		put_u64le(bytes + at, 0xFEDCBA9876543210);
		assert_true(get_u64le(bytes + at) == 0xFEDCBA9876543210);
		assert_int_equal(get_u16be(bytes + at), 0x1032);
		assert_int_equal(get_u32be(bytes + at), 0x10325476);
		assert_true(get_u64be(bytes + at) == 0x1032547698BADCFE);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_stored_lowest_byte_first),
		cmocka_unit_test(
		    numbers_of_the_wire_are_stored_highest_byte_first),
		cmocka_unit_test(numbers_come_back_from_any_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
