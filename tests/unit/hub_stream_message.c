#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "hub/stream_message.h"
#include "vt/key.h"
#include "wire/frame.h"
#include "wire/hello.h"

static int
read_text(struct stream_message *m, const char *text)
{
	struct error err;

	return stream_message_read(m, text, strlen(text), &err);
}

static void
a_subscription_has_its_defaults(void **state)
{
	struct stream_message m;

	(void)state;
	assert_int_equal(read_text(&m,
			     "{\"type\":\"subscribe\",\"id\":7,\"sub\":3,"
			     "\"session\":\"x\",\"want\":\"output\"}"),
	    0);
	assert_int_equal(m.type, STREAM_SUBSCRIBE);
	assert_int_equal(m.id, 7);
	assert_int_equal(m.sub, 3);
	assert_int_equal(m.want, STREAM_OUTPUT);
	assert_int_equal(m.replay, HELLO_SCREEN);
	assert_int_equal(m.behind, HELLO_BEHIND_SCREEN);
	assert_int_equal(m.history, 1 << 20);
	assert_false(m.readwrite || m.has_from || m.has_credit || m.steal);
	assert_true(m.visible);
	stream_message_finish(&m);
}

static void
an_offset_means_no_replay_unless_it_says_so(void **state)
{
	struct stream_message m;

	(void)state;
	assert_int_equal(
	    read_text(&m,
		"{\"type\":\"subscribe\",\"sub\":1,\"session\":\"x\","
		"\"want\":\"output\",\"from\":0}"),
	    0);
	assert_true(m.has_from && m.replay == HELLO_NONE);
	stream_message_finish(&m);
	assert_int_equal(
	    read_text(&m,
		"{\"type\":\"subscribe\",\"sub\":1,\"session\":\"x\","
		"\"want\":\"output\",\"from\":5,\"replay\":\"raw\"}"),
	    0);
	assert_true(m.has_from && m.from == 5 && m.replay == HELLO_RAW);
	stream_message_finish(&m);
}

static void
a_wrong_message_keeps_its_id_for_the_answer(void **state)
{
	struct stream_message m;

	(void)state;
	assert_int_equal(read_text(&m, "{\"type\":\"no\",\"id\":9}"), -EINVAL);
	assert_int_equal(m.id, 9);
	stream_message_finish(&m);
	assert_int_equal(read_text(&m,
			     "{\"type\":\"resize\",\"id\":9,\"sub\":1}"),
	    -EINVAL);
	assert_true(m.type == STREAM_RESIZE && m.id == 9);
	stream_message_finish(&m);
	assert_int_equal(read_text(&m, "[]"), -EPROTO);
	stream_message_finish(&m);
}

static void
inputs_become_frames_for_a_host(void **state)
{
	static const struct {
		const char *text;
		uint8_t kind;
		const char *bytes;
	} inputs[] = {
		{ "\"kind\":\"text\",\"text\":\"ls\"", INPUT_TEXT, "ls" },
		{ "\"kind\":\"paste\",\"text\":\"ls\"", INPUT_PASTE, "ls" },
		{ "\"kind\":\"bytes\",\"base64\":\"bHM=\"", INPUT_BYTES, "ls" },
		{ "\"kind\":\"key\",\"key\":\"C-c\"", INPUT_KEY, NULL },
		{ "\"kind\":\"mouse\",\"action\":\"press\",\"button\":\"left\"",
		    INPUT_MOUSE, NULL },
		{ "\"kind\":\"focus\",\"focused\":true", INPUT_FOCUS, "\1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
		struct stream_message m;
		struct frame_input in;
		struct frame f;
		struct error err;
		struct buf b;
		char text[200];

		snprintf(text, sizeof(text),
		    "{\"type\":\"input\",\"sub\":1,%s}", inputs[i].text);
		assert_int_equal(read_text(&m, text), 0);
		buf_init(&b, 4096);
		assert_int_equal(stream_message_frame(&m, &b, &err), 0);
		assert_int_equal(frame_parse(b.data, b.len, 4096, &f),
		    FRAME_WHOLE);
		assert_true(frame_input(&f, &in));
		assert_int_equal(in.kind, inputs[i].kind);
		if (inputs[i].bytes != NULL) {
			assert_int_equal(in.len, strlen(inputs[i].bytes));
			assert_memory_equal(in.p, inputs[i].bytes, in.len);
		}
		buf_finish(&b);
		stream_message_finish(&m);
	}
}

static void
a_binary_input_has_a_subscription_an_id_and_bytes(void **state)
{
	const uint8_t p[] = { 3, 1, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 1, 2,
		'l', 's' };
	struct stream_message m;
	struct error err;

	(void)state;
	assert_int_equal(stream_message_read_binary(&m, p, sizeof(p), &err), 0);
	assert_int_equal(m.sub, 5);
	assert_int_equal(m.id, 258);
	assert_int_equal(m.kind, INPUT_TEXT);
	assert_int_equal(m.len, 2);
	assert_memory_equal(m.p, "ls", 2);
	stream_message_finish(&m);
	assert_int_equal(stream_message_read_binary(&m, p, 15, &err), -EPROTO);
	stream_message_finish(&m);
}

static void
heads_are_drawn_as_in_the_document(void **state)
{
	static const uint8_t output[STREAM_HEAD] = { 1, 0, 0, 0, 0, 0, 1, 2, 0,
		0, 0, 0, 0, 0, 3, 4 };
	static const uint8_t picture[STREAM_PICTURE_HEAD] = { 2, 0, 0, 0, 0, 0,
		0, 9, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 5, 0, 80, 0,
		24 };
	const struct frame_screen screen = { .offset = 7,
		.seq = 5,
		.cols = 80,
		.rows = 24 };
	uint8_t head[STREAM_PICTURE_HEAD];

	(void)state;
	stream_head_output(head, 258, 772);
	assert_memory_equal(head, output, sizeof(output));
	stream_head_picture(head, 9, &screen);
	assert_memory_equal(head, picture, sizeof(picture));
}

static void
characters_that_act_on_a_terminal_are_removed(void **state)
{
	json_t *v = json_pack("{s:s,s:[s,{s:s}],s:i}", "a", "x\x1b[31my\x7f",
	    "b", "\xc2\x9bz\xc3\xa9", "c", "plain", "d", 5);

	(void)state;
	stream_clean(v);
	assert_string_equal(json_string_value(json_object_get(v, "a")),
	    "x[31my");
	assert_string_equal(json_string_value(
				json_array_get(json_object_get(v, "b"), 0)),
	    "z\xc3\xa9");
	assert_int_equal(json_integer_value(json_object_get(v, "d")), 5);
	json_decref(v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_subscription_has_its_defaults),
		cmocka_unit_test(an_offset_means_no_replay_unless_it_says_so),
		cmocka_unit_test(a_wrong_message_keeps_its_id_for_the_answer),
		cmocka_unit_test(inputs_become_frames_for_a_host),
		cmocka_unit_test(
		    a_binary_input_has_a_subscription_an_id_and_bytes),
		cmocka_unit_test(heads_are_drawn_as_in_the_document),
		cmocka_unit_test(characters_that_act_on_a_terminal_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
