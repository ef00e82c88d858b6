#include "unit.h"

#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "log/record.h"

#define NONCE 0x0123456789abcdefu
#define AT 4096

/* A record with 100 bytes of payload; the first 30 are a separate part. */
enum {
	LAST_TYPE = 0
#define TAG(number, name, ID, flags, summary) +1
#include "log/records.def"
};

/* The bytes of the format, once by hand, so that a change is noticed. */
static void
make_record(uint8_t out[RECORD_HEADER + 100])
{
	struct record r = { .type = RECORD_OUTPUT,
		.flags = RECORD_FRAME,
		.seq = 77,
		.time_ns = 123456789 };
	uint8_t *p = out + RECORD_HEADER;

	for (int i = 0; i < 100; i++)
		p[i] = (uint8_t)(i * 7);
	record_header(out, &r, NONCE, AT, p, 30, p + 30, 70);
}

/* The bytes of the format, once by hand: it must not change unnoticed. */
static void
the_header_has_the_documented_bytes(void **state)
{
	static const uint8_t want[RECORD_HEADER] = { 0x74, 0x64, 18, 1, 0, 0, 0,
		0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0xe6, 0x0f,
		0xf8, 0x5e };
	struct record r = { .type = RECORD_PAD,
		.flags = RECORD_MORE,
		.seq = 2,
		.time_ns = 3 };
	uint8_t head[RECORD_HEADER];

	(void)state;
	record_header(head, &r, 1, 128, NULL, 0, NULL, 0);
	assert_memory_equal(head, want, sizeof(want));
}

static void
a_record_is_read_as_it_was_made(void **state)
{
	uint8_t p[RECORD_HEADER + 100];
	struct record r;

	(void)state;
	make_record(p);
	assert_int_equal(record_parse(p, sizeof(p), NONCE, AT, &r),
	    RECORD_VALID);
	assert_int_equal(r.type, RECORD_OUTPUT);
	assert_int_equal(r.flags, RECORD_FRAME);
	assert_int_equal(r.len, 100);
	assert_int_equal(r.seq, 77);
	assert_int_equal(r.time_ns, 123456789);
	assert_ptr_equal(r.payload, p + RECORD_HEADER);
}

static void
a_partial_record_is_short_and_never_valid(void **state)
{
	uint8_t p[RECORD_HEADER + 100];
	struct record r;

	(void)state;
	make_record(p);
	for (size_t len = 0; len < sizeof(p); len++) {
		/* A copy of its own: the sanitizer sees reads beyond it. */
		auto_free uint8_t *part = xmemdup(p, len);

		assert_int_equal(record_parse(part, len, NONCE, AT, &r),
		    RECORD_SHORT);
	}
}

static void
a_record_with_another_bit_place_or_nonce_is_bad(void **state)
{
	uint8_t p[RECORD_HEADER + 100];
	struct record r;

	(void)state;
	make_record(p);
	for (size_t bit = 0; bit < 8 * sizeof(p); bit++) {
		p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_not_equal(record_parse(p, sizeof(p), NONCE, AT, &r),
		    RECORD_VALID);
		p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (uint64_t at = 0; at < 3 * AT; at++)
		if (at != AT)
			assert_int_equal(record_parse(p, sizeof(p), NONCE, at,
					     &r),
			    RECORD_BAD);
	assert_int_equal(record_parse(p, sizeof(p), NONCE ^ 1, AT, &r),
	    RECORD_BAD);
}

static void
zeros_and_overlong_records_are_bad(void **state)
{
	uint8_t p[RECORD_MAX + 1] = { 0 };
	struct record r;

	(void)state;
	assert_int_equal(record_parse(p, 1, 0, 0, &r), RECORD_BAD);
	assert_int_equal(record_parse(p, sizeof(p), 0, 0, &r), RECORD_BAD);
	record_header(p, &(struct record){ .type = 1 }, 0, 0, p + RECORD_HEADER,
	    RECORD_PAYLOAD_MAX, NULL, 0);
	assert_int_equal(record_parse(p, sizeof(p), 0, 0, &r), RECORD_VALID);
	record_header(p, &(struct record){ .type = 1 }, 0, 0, p + RECORD_HEADER,
	    RECORD_PAYLOAD_MAX + 1, NULL, 0);
	assert_int_equal(record_parse(p, sizeof(p), 0, 0, &r), RECORD_BAD);
}

static void
types_have_names_and_unknown_ones_are_events(void **state)
{
	(void)state;
	assert_string_equal(record_name(RECORD_OUTPUT), "output");
	assert_string_equal(record_name(RECORD_TROUBLE), "trouble");
	assert_null(record_name(0));
	assert_null(record_name(LAST_TYPE + 1));
	assert_null(record_name(255));
	assert_true(record_is_event(RECORD_OUTPUT));
	assert_true(record_is_event(255));
	assert_false(record_is_event(RECORD_SYNC));
	assert_false(record_is_event(RECORD_PAD));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_has_the_documented_bytes),
		cmocka_unit_test(a_record_is_read_as_it_was_made),
		cmocka_unit_test(a_partial_record_is_short_and_never_valid),
		cmocka_unit_test(
		    a_record_with_another_bit_place_or_nonce_is_bad),
		cmocka_unit_test(zeros_and_overlong_records_are_bad),
		cmocka_unit_test(types_have_names_and_unknown_ones_are_events),
	};

	return cmocka_run_group_tests_name("log_record", tests, NULL, NULL);
}
