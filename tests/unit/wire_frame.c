#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "vt/key.h"
#include "vt/mouse.h"
#include "wire/frame.h"

#define PUT_MAX 4096

/* The frame in the buffer, as the other side reads it. */
static struct frame
only_frame(const struct buf *b)
{
	struct frame f = { 0 };

	assert_int_equal(frame_parse(b->data, b->len, FRAME_MAX_HOST, &f),
	    FRAME_WHOLE);
	assert_int_equal(b->len, FRAME_HEADER + f.len);
	return f;
}

/* The same frame with another length: every getter must refuse it. */
static struct frame
shortened(struct frame f, uint32_t len)
{
	f.len = len;
	return f;
}

static void
a_frame_is_type_length_and_payload(void **state)
{
	static const uint8_t bytes[] = "\x01\0\0\0\3abc";
	struct buf b;

	(void)state;
	buf_init(&b, PUT_MAX);
	assert_int_equal(frame_put(&b, FRAME_DATA, "abc", 3), 0);
	assert_int_equal(b.len, 8);
	assert_memory_equal(b.data, bytes, 8);
	buf_finish(&b);
}

static void
a_frame_is_whole_only_with_its_last_byte(void **state)
{
	static const uint8_t bytes[] = "\x19\0\0\0\3abc\x01";
	struct frame f = { 0 };

	(void)state;
	for (size_t len = 0; len < 8; len++)
		assert_int_equal(frame_parse(bytes, len, 100, &f), FRAME_PART);
	assert_null(f.payload);
	assert_int_equal(frame_parse(bytes, 9, 3, &f), FRAME_WHOLE);
	assert_int_equal(f.type, FRAME_DETACH);
	assert_int_equal(f.len, 3);
	assert_ptr_equal(f.payload, bytes + FRAME_HEADER);
}

static void
a_length_beyond_the_limit_is_known_from_the_header(void **state)
{
	static const uint8_t huge[] = "\x01\xff\xff\xff\xff";
	static const uint8_t over[] = "\x01\0\0\0\4";
	struct frame f;

	(void)state;
	assert_int_equal(frame_parse(huge, 5, FRAME_MAX_HOST, &f),
	    FRAME_TOO_LONG);
	assert_int_equal(frame_parse(over, 5, 3, &f), FRAME_TOO_LONG);
	assert_int_equal(frame_parse(over, 5, 4, &f), FRAME_PART);
}

/* B-12 .. B-17: the first four numbers and directions are Bureau's. */
static void
frames_have_their_numbers_names_and_directions(void **state)
{
	(void)state;
	assert_int_equal(FRAME_DATA, 1);
	assert_int_equal(FRAME_RESIZE, 2);
	assert_int_equal(FRAME_HISTORY, 3);
	assert_int_equal(FRAME_METADATA, 4);
	assert_string_equal(frame_name(FRAME_TAKEN), "taken");
	assert_null(frame_name(0));
	assert_null(frame_name(0x1ff));
	assert_true(
	    frame_from_client(FRAME_DATA) && frame_from_host(FRAME_DATA));
	assert_true(frame_from_client(FRAME_RESIZE));
	assert_false(frame_from_host(FRAME_RESIZE));
	assert_false(frame_from_client(FRAME_OUTPUT));
	assert_true(frame_from_host(FRAME_OUTPUT));
	assert_false(frame_from_client(0x05) || frame_from_host(0x05));
	assert_false(frame_from_client(256) || frame_from_host(1000));
}

static void
output_and_screen_are_read_back_unchanged(void **state)
{
	struct frame_screen s = { 1ull << 40, 77, 80, 24, FRAME_FORM_KEYFRAME };
	struct frame_screen s2;
	const uint8_t *p;
	struct frame f;
	uint64_t offset;
	struct buf b;
	size_t len;

	(void)state;
	buf_init(&b, PUT_MAX);
	assert_int_equal(frame_put_output(&b, 0x0102030405060708, "hi", 2), 0);
	f = only_frame(&b);
	assert_int_equal(f.payload[0], 1);
	assert_true(frame_output(&f, &offset, &p, &len));
	assert_true(offset == 0x0102030405060708 && len == 2);
	assert_memory_equal(p, "hi", 2);
	f = shortened(f, FRAME_OUTPUT_PREFIX - 1);
	assert_false(frame_output(&f, &offset, &p, &len));
	buf_clear(&b);
	assert_int_equal(frame_put_screen(&b, &s, "\033c", 2), 0);
	f = only_frame(&b);
	assert_true(frame_screen(&f, &s2, &p, &len));
	assert_true(s2.offset == s.offset && s2.seq == s.seq);
	assert_true(s2.cols == 80 && s2.rows == 24 && s2.form == s.form);
	assert_int_equal(len, 2);
	assert_false(frame_output(&f, &offset, &p, &len));
	f = shortened(f, FRAME_SCREEN_PREFIX - 1);
	assert_false(frame_screen(&f, &s2, &p, &len));
	buf_clear(&b);
	s.form = 2;
	frame_put_screen(&b, &s, NULL, 0);
	f = only_frame(&b);
	assert_false(frame_screen(&f, &s2, &p, &len));
	buf_finish(&b);
}

static void
gap_taken_resize_and_numbers_are_read_back(void **state)
{
	struct frame_gap g = { 10, 20, FRAME_GAP_TRIMMED }, g2;
	struct frame_taken t = { 5, 6, TAKEN_LEASED }, t2;
	unsigned cols, rows;
	struct frame f;
	struct buf b;
	uint64_t v;
	bool on;

	(void)state;
	buf_init(&b, PUT_MAX);
	frame_put_gap(&b, &g);
	f = only_frame(&b);
	assert_true(frame_gap(&f, &g2));
	assert_true(g2.from == 10 && g2.to == 20 && g2.why == g.why);
	f = shortened(f, 16);
	assert_false(frame_gap(&f, &g2));
	buf_clear(&b);
	g.to = 9;
	frame_put_gap(&b, &g);
	f = only_frame(&b);
	assert_false(frame_gap(&f, &g2));
	buf_clear(&b);
	frame_put_taken(&b, &t);
	f = only_frame(&b);
	assert_true(frame_taken(&f, &t2));
	assert_true(t2.id == 5 && t2.seq == 6 && t2.status == TAKEN_LEASED);
	f = shortened(f, 0);
	assert_false(frame_taken(&f, &t2));
	buf_clear(&b);
	frame_put_resize(&b, 300, 65535);
	f = only_frame(&b);
	assert_true(frame_resize(&f, &cols, &rows));
	assert_true(cols == 300 && rows == 65535);
	f = shortened(f, 3);
	assert_false(frame_resize(&f, &cols, &rows));
	buf_clear(&b);
	frame_put_u64(&b, FRAME_SEEN, 1ull << 63);
	f = only_frame(&b);
	assert_true(frame_u64(&f, &v) && v == 1ull << 63);
	f = shortened(f, 7);
	assert_false(frame_u64(&f, &v));
	f = (struct frame){ FRAME_VIEW, 1, (const uint8_t *)"\1" };
	assert_true(frame_view(&f, &on) && on);
	f = shortened(f, 0);
	assert_false(frame_view(&f, &on));
	buf_finish(&b);
}

static struct frame_input
put_key(struct buf *b, const struct key *k)
{
	struct frame_input in;
	struct frame f;

	buf_clear(b);
	assert_int_equal(frame_put_key(b, 9, k), 0);
	f = only_frame(b);
	assert_true(frame_input(&f, &in));
	assert_true(in.id == 9 && in.kind == INPUT_KEY && in.flags == 0);
	return in;
}

static void
a_key_is_read_back_unchanged(void **state)
{
	struct key k = { .code = 'a',
		.mods = KEY_MOD_CTRL,
		.event = KEY_REPEAT },
		   k2;
	struct key ime = { .code = KEY_NONE, .text = "\xe6\xbc\xa2" };
	struct frame_input in;
	struct buf b;

	(void)state;
	buf_init(&b, PUT_MAX);
	in = put_key(&b, &k);
	assert_true(input_key(&in, &k2) && key_equal(&k, &k2));
	in.len--;
	assert_false(input_key(&in, &k2));
	in = put_key(&b, &ime);
	assert_true(input_key(&in, &k2) && key_equal(&ime, &k2));
	buf_finish(&b);
}

static void
an_invalid_key_is_refused(void **state)
{
	struct key k = { .code = KEY_NONE }, k2;
	uint8_t p[64] = { [3] = 'a' };
	struct frame_input in = { 1, INPUT_KEY, 0, p, 14 };
	struct buf b;

	(void)state;
	assert_true(input_key(&in, &k2));
	p[13] = KEY_RELEASE + 1;
	assert_false(input_key(&in, &k2));
	p[13] = 0;
	in.len = 15; /* a NUL in its text */
	assert_false(input_key(&in, &k2));
	p[14] = 0xff; /* not UTF-8 */
	assert_false(input_key(&in, &k2));
	memset(p + 14, 'x', 50);
	in.len = 14 + KEY_TEXT_MAX;
	assert_false(input_key(&in, &k2));
	in.len = 14;
	p[0] = 0x7f; /* beyond Unicode and key.def */
	assert_false(input_key(&in, &k2));
	buf_init(&b, PUT_MAX);
	in = put_key(&b, &k);
	assert_false(input_key(&in, &k2));
	buf_finish(&b);
}

static void
mouse_and_focus_are_read_back(void **state)
{
	struct mouse_event ev = { MOUSE_SCROLL, MOUSE_WHEEL_UP, KEY_MOD_ALT,
		70000, 3, 1, 2 },
			   ev2;
	uint8_t p[19] = { MOUSE_SCROLL + 1 };
	struct frame_input in;
	struct frame f;
	struct buf b;
	bool on;

	(void)state;
	buf_init(&b, PUT_MAX);
	frame_put_mouse(&b, 0, &ev);
	f = only_frame(&b);
	assert_true(frame_input(&f, &in) && input_mouse(&in, &ev2));
	assert_true(ev2.type == ev.type && ev2.button == ev.button);
	assert_true(ev2.mods == ev.mods && ev2.row == 70000 && ev2.col == 3);
	assert_true(ev2.px == 1 && ev2.py == 2);
	in.len--;
	assert_false(input_mouse(&in, &ev2));
	in = (struct frame_input){ 0, INPUT_MOUSE, 0, p, 19 };
	assert_false(input_mouse(&in, &ev2));
	p[0] = 0;
	p[1] = MOUSE_BUTTONS;
	assert_false(input_mouse(&in, &ev2));
	in = (struct frame_input){ 0, INPUT_FOCUS, 0, p, 1 };
	assert_true(input_focus(&in, &on) && !on);
	in.len = 2;
	assert_false(input_focus(&in, &on));
	buf_finish(&b);
}

static void
a_full_buffer_takes_no_part_of_a_frame(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 16);
	assert_int_equal(frame_put_output(&b, 1, "abcd", 4), -ENOBUFS);
	assert_int_equal(b.len, 0);
	buf_clear(&b);
	assert_int_equal(frame_put_output(&b, 1, "abc", 3), 0);
	assert_int_equal(b.len, 16);
	buf_finish(&b);
	buf_init(&b, SIZE_MAX);
	assert_int_equal(frame_put_output(&b, 1, "", FRAME_MAX_HOST), -ENOBUFS);
	buf_finish(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_type_length_and_payload),
		cmocka_unit_test(a_frame_is_whole_only_with_its_last_byte),
		cmocka_unit_test(
		    a_length_beyond_the_limit_is_known_from_the_header),
		cmocka_unit_test(
		    frames_have_their_numbers_names_and_directions),
		cmocka_unit_test(output_and_screen_are_read_back_unchanged),
		cmocka_unit_test(gap_taken_resize_and_numbers_are_read_back),
		cmocka_unit_test(a_key_is_read_back_unchanged),
		cmocka_unit_test(an_invalid_key_is_refused),
		cmocka_unit_test(mouse_and_focus_are_read_back),
		cmocka_unit_test(a_full_buffer_takes_no_part_of_a_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
