#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "host/input/encode.h"
#include "vt/input_modes.h"
#include "vt/key.h"
#include "vt/mouse.h"
#include "wire/frame.h"

static const struct input_modes plain;

static void
expect(uint8_t kind, const void *p, size_t len, const struct input_modes *m,
    int status, const char *typed)
{
	const struct frame_input in = { 1, kind, 0, p, len };
	struct buf b;

	buf_init(&b, 4096);
	assert_int_equal(encode_input(&in, m, &b), status);
	assert_int_equal(b.len, strlen(typed));
	if (b.len > 0)
		assert_memory_equal(b.data, typed, b.len);
	buf_finish(&b);
}

static void
text_is_typed_unchanged(void **state)
{
	(void)state;
	expect(INPUT_TEXT, "ls\r", 3, &plain, TAKEN_WRITTEN, "ls\r");
	expect(INPUT_TEXT, "\303\274", 2, &plain, TAKEN_WRITTEN, "\303\274");
	expect(INPUT_TEXT, "\303", 1, &plain, TAKEN_MALFORMED, "");
	expect(INPUT_TEXT, "", 0, &plain, TAKEN_NOTHING, "");
	expect(INPUT_BYTES, "\377\303", 2, &plain, TAKEN_WRITTEN, "\377\303");
}

/* The payload of a key as on the wire, without the frame. */
static void
expect_key(const struct key *k, const struct input_modes *m, int status,
    const char *typed)
{
	struct frame f;
	struct frame_input in;
	struct buf b;

	buf_init(&b, 4096);
	assert_int_equal(frame_put_key(&b, 1, k), 0);
	assert_int_equal(frame_parse(b.data, b.len, 4096, &f), FRAME_WHOLE);
	assert_true(frame_input(&f, &in));
	expect(INPUT_KEY, in.p, in.len, m, status, typed);
	buf_finish(&b);
}

/* O-05, O-09: keys have one path, and follow the present modes. */
static void
keys_follow_the_modes(void **state)
{
	const struct input_modes app = { .app_cursor = true };
	const struct input_modes kitty = { .kitty_flags = KITTY_DISAMBIGUATE };
	const struct key up = { .code = KEY_UP };
	const struct key c = { .code = 'c', .mods = KEY_MOD_CTRL };
	const struct key release = { .code = 'c', .event = KEY_RELEASE };

	(void)state;
	expect_key(&up, &plain, TAKEN_WRITTEN, "\033[A");
	expect_key(&up, &app, TAKEN_WRITTEN, "\033OA");
	expect_key(&c, &plain, TAKEN_WRITTEN, "\003");
	expect_key(&c, &kitty, TAKEN_WRITTEN, "\033[99;5u");
	expect_key(&release, &plain, TAKEN_NOTHING, "");
	expect(INPUT_KEY, "short", 5, &plain, TAKEN_MALFORMED, "");
}

/* a paste cannot end its own brackets. */
static void
pastes_are_bracketed_if_the_program_asks(void **state)
{
	const struct input_modes bracketed = { .bracketed_paste = true };

	(void)state;
	expect(INPUT_PASTE, "a\nb", 3, &plain, TAKEN_WRITTEN, "a\rb");
	expect(INPUT_PASTE, "a\033[201~b", 8, &bracketed, TAKEN_WRITTEN,
	    "\033[200~a\342\220\233[201~b\033[201~");
}

static void
focus_is_reported_if_the_program_asks(void **state)
{
	const struct input_modes focus = { .focus_events = true };

	(void)state;
	expect(INPUT_FOCUS, "\1", 1, &focus, TAKEN_WRITTEN, "\033[I");
	expect(INPUT_FOCUS, "\0", 1, &focus, TAKEN_WRITTEN, "\033[O");
	expect(INPUT_FOCUS, "\1", 1, &plain, TAKEN_NOTHING, "");
	expect(INPUT_FOCUS, "", 0, &focus, TAKEN_MALFORMED, "");
}

static void
the_mouse_is_reported_if_the_program_asks(void **state)
{
	const struct input_modes sgr = { .mouse = MOUSE_NORMAL,
		.mouse_format = MOUSE_SGR };
	const struct mouse_event press = { .type = MOUSE_PRESS,
		.button = MOUSE_LEFT,
		.row = 4,
		.col = 9 };
	struct frame f;
	struct frame_input in;
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	assert_int_equal(frame_put_mouse(&b, 1, &press), 0);
	assert_int_equal(frame_parse(b.data, b.len, 4096, &f), FRAME_WHOLE);
	assert_true(frame_input(&f, &in));
	expect(INPUT_MOUSE, in.p, in.len, &sgr, TAKEN_WRITTEN, "\033[<0;10;5M");
	expect(INPUT_MOUSE, in.p, in.len, &plain, TAKEN_NOTHING, "");
	expect(INPUT_MOUSE, in.p, 3, &sgr, TAKEN_MALFORMED, "");
	buf_finish(&b);
}

static void
unknown_kinds_of_input_are_malformed(void **state)
{
	(void)state;
	expect(0, "x", 1, &plain, TAKEN_MALFORMED, "");
	expect(7, "x", 1, &plain, TAKEN_MALFORMED, "");
	expect(255, "x", 1, &plain, TAKEN_MALFORMED, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_typed_unchanged),
		cmocka_unit_test(keys_follow_the_modes),
		cmocka_unit_test(pastes_are_bracketed_if_the_program_asks),
		cmocka_unit_test(focus_is_reported_if_the_program_asks),
		cmocka_unit_test(the_mouse_is_reported_if_the_program_asks),
		cmocka_unit_test(unknown_kinds_of_input_are_malformed),
	};

	return cmocka_run_group_tests_name("host_encode", tests, NULL, NULL);
}
