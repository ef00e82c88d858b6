#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "log/payload.h"
#include "log/record.h"

#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ })
#define SAME(b, ...) same(b, BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)))

static void
same(struct buf *b, const uint8_t *want, size_t len)
{
	assert_int_equal(b->len, len);
	assert_memory_equal(b->data, want, len);
	buf_finish(b);
}

/*
 * The bytes of the format, written by hand: logs of older versions have them.
 */
static void
payloads_have_the_bytes_that_the_format_names(void **state)
{
	struct payload_text who = payload_text("me"), what = payload_text("x");
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	payload_input_encode(&(struct payload_input){ .kind = 3,
				 .by = who,
				 .count = 1,
				 .bytes = what },
	    &b);
	SAME(&b, 3, 0, 2, 'm', 'e', 1, 0, 0, 0, 'x');
	payload_resize_encode(&(struct payload_resize){ 300, 24, who }, &b);
	SAME(&b, 44, 1, 24, 0, 2, 'm', 'e');
	payload_signal_encode(&(struct payload_signal){ 15, who, what }, &b);
	SAME(&b, 15, 0, 0, 0, 2, 'm', 'e', 'x');
	payload_mark_encode(&(struct payload_mark){ who, what }, &b);
	SAME(&b, 2, 'm', 'e', 'x');
	payload_keyframe_encode(&(struct payload_keyframe){ 5, 80, 24, 9,
				    what },
	    &b);
	SAME(&b, 5, 0, 0, 0, 0, 0, 0, 0, 80, 0, 24, 0, 9, 0, 0, 0, 'x');
	payload_clock_encode(&(struct payload_clock){ 256, CLOCK_SET }, &b);
	SAME(&b, 0, 1, 0, 0, 0, 0, 0, 0, 2);
	payload_gap_encode(&(struct payload_gap){ 1, 2, GAP_HOST }, &b);
	SAME(&b, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2);
	payload_exit_encode(&(struct payload_exit){ 256, 7, 1 }, &b);
	SAME(&b, 0, 1, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1);
	payload_recovered_encode(&(struct payload_recovered){ 3 }, &b);
	SAME(&b, 3, 0, 0, 0, 0, 0, 0, 0);
}

static void
an_input_is_read_as_it_was_written(void **state)
{
	struct payload_input in = { .kind = 1,
		.by = payload_text("uid:1000"),
		.count = 2,
		.bytes = payload_text("hi") };
	struct payload_input out;
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	payload_input_encode(&in, &b);
	assert_true(payload_input_decode(&out, b.data, b.len));
	assert_true(payload_input_is_typed(&out));
	assert_true(payload_text_is(&out.by, "uid:1000"));
	assert_true(payload_text_is(&out.bytes, "hi"));
	assert_int_equal(out.flags, 0);
	assert_int_equal(out.key.len, 0);
	buf_finish(&b);
}

static void
an_input_has_a_key_only_with_its_flag(void **state)
{
	struct payload_input in = { .kind = 2,
		/* The flag of a key that is not there does not count. */
		.flags = PAYLOAD_WITHHELD | PAYLOAD_KEY,
		.count = 9 };
	struct payload_input out;
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	payload_input_encode(&in, &b);
	assert_true(payload_input_decode(&out, b.data, b.len));
	assert_int_equal(out.flags, PAYLOAD_WITHHELD);
	assert_int_equal(out.key.len + out.bytes.len, 0);
	buf_clear(&b);
	in.key = payload_text("k1");
	payload_input_encode(&in, &b);
	assert_true(payload_input_decode(&out, b.data, b.len));
	assert_true(payload_text_is(&out.key, "k1"));
	buf_finish(&b);
}

static void
a_text_longer_than_its_length_can_say_is_cut(void **state)
{
	char name[300];
	struct payload_mark out, in = { .name = payload_text("n") };
	struct buf b;

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	in.by = payload_text(name);
	buf_init(&b, 4096);
	payload_mark_encode(&in, &b);
	assert_true(payload_mark_decode(&out, b.data, b.len));
	assert_int_equal(out.by.len, PAYLOAD_TEXT_MAX);
	assert_true(payload_text_is(&out.name, "n"));
	buf_finish(&b);
}

static void
a_full_buffer_refuses_the_payload(void **state)
{
	struct payload_input in = { .key = payload_text("k") };
	struct buf b;

	(void)state;
	buf_init(&b, 1);
	payload_input_encode(&in, &b);
	assert_true(b.full);
	buf_finish(&b);
}

/*
 * Every prefix of a payload is decoded without a byte beyond its end, and is
 * complete exactly from `least` bytes on.
 */
#define ENDS_EARLY(name, least) \
	for (size_t len = 0; len <= sizeof(zeros); len++) { \
		auto_free uint8_t *p = xmemdup(zeros, len); \
		struct payload_##name out; \
		assert_int_equal(payload_##name##_decode(&out, p, len), \
		    len >= (least)); \
	}

static void
payloads_that_end_too_early_are_reported(void **state)
{
	static const uint8_t zeros[24];

	(void)state;
	ENDS_EARLY(output, 8)
	ENDS_EARLY(input, 7)
	ENDS_EARLY(resize, 5)
	ENDS_EARLY(signal, 5)
	ENDS_EARLY(mark, 1)
	ENDS_EARLY(keyframe, 16)
	ENDS_EARLY(clock, 8)
	ENDS_EARLY(gap, 16)
	ENDS_EARLY(engine_gap, 16)
	ENDS_EARLY(recovered, 8)
	ENDS_EARLY(exit, 12)
	ENDS_EARLY(sync, 8)
	ENDS_EARLY(trimmed, 16)
}

static void
a_cut_text_has_the_remaining_bytes(void **state)
{
	struct payload_mark out;

	(void)state;
	assert_false(payload_mark_decode(&out, BYTES(9, 'a', 'b'), 3));
	assert_true(payload_text_is(&out.by, "ab"));
	assert_int_equal(out.name.len, 0);
}

static void
output_gap_and_sync_give_the_next_offset(void **state)
{
	static const uint8_t p[17] = { [0] = 5, [8] = 7 };
	struct record r = { .type = RECORD_OUTPUT, .len = 11, .payload = p };
	uint64_t next = 0;

	(void)state;
	assert_true(payload_next_offset(&r, &next));
	assert_int_equal(next, 5 + 3);
	r = (struct record){ .type = RECORD_GAP, .len = 17, .payload = p };
	assert_true(payload_next_offset(&r, &next));
	assert_int_equal(next, 5 + 7);
	r = (struct record){ .type = RECORD_SYNC, .len = 8, .payload = p };
	assert_true(payload_next_offset(&r, &next));
	assert_int_equal(next, 5);
	r.len = 7;
	assert_false(payload_next_offset(&r, &next));
	r = (struct record){ .type = RECORD_MARK, .len = 17, .payload = p };
	assert_false(payload_next_offset(&r, &next));
}

static void
a_record_of_another_type_is_refused(void **state)
{
	static const uint8_t p[17] = { 0 };
	struct record r = { .type = RECORD_GAP, .len = 17, .payload = p };
	struct payload_engine_gap engine_gap;
	struct payload_gap gap;

	(void)state;
	assert_true(payload_gap_of(&gap, &r));
	assert_false(payload_engine_gap_of(&engine_gap, &r));
}

static void
codes_of_a_later_version_are_unknown(void **state)
{
	(void)state;
	assert_string_equal(payload_input_kind(6), "focus");
	assert_string_equal(payload_input_kind(0), "unknown");
	assert_string_equal(payload_input_kind(7), "unknown");
	assert_string_equal(payload_clock_why(CLOCK_SET), "set");
	assert_string_equal(payload_clock_why(3), "unknown");
	assert_string_equal(payload_gap_why(GAP_HOST), "host died");
	assert_string_equal(payload_gap_why(0), "unknown");
	assert_string_equal(payload_exit_outcome(4), "lost");
	assert_string_equal(payload_exit_outcome(5), "unknown");
}

/* Only `pad` and types that are reserved have no fields. */
static void
every_record_type_declares_its_payload(void **state)
{
	bool bytes[256] = { false }, json[256] = { false };

	(void)state;
#define RECORD(number, title, name, NAME, flags, summary) \
	bytes[RECORD_##NAME] = true;
#define JSON_RECORD(number, title, name, NAME, summary) \
	json[RECORD_##NAME] = true;
#include "log/records.def"
	for (unsigned type = 0; type < 256; type++) {
		bool plain = type == RECORD_PAD || type == RECORD_REQUEST ||
		    type == RECORD_ANSWER || type == RECORD_AGENT;

		assert_int_equal(bytes[type] + json[type] + plain,
		    record_name(type) != NULL);
		if (!plain)
			assert_int_equal(json[type], record_is_json(type));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(payloads_have_the_bytes_that_the_format_names),
		cmocka_unit_test(an_input_is_read_as_it_was_written),
		cmocka_unit_test(an_input_has_a_key_only_with_its_flag),
		cmocka_unit_test(a_text_longer_than_its_length_can_say_is_cut),
		cmocka_unit_test(a_full_buffer_refuses_the_payload),
		cmocka_unit_test(payloads_that_end_too_early_are_reported),
		cmocka_unit_test(a_cut_text_has_the_remaining_bytes),
		cmocka_unit_test(output_gap_and_sync_give_the_next_offset),
		cmocka_unit_test(a_record_of_another_type_is_refused),
		cmocka_unit_test(codes_of_a_later_version_are_unknown),
		cmocka_unit_test(every_record_type_declares_its_payload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
