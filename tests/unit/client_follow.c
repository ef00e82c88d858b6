/* The modes of the user's terminal follow the program's. */
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "client/follow.h"
#include "vt/vt.h"
#include "vt_make.h"
#include "../rng.h"

static struct input_modes
random_modes(struct rng *rng)
{
	return (struct input_modes){
		.bracketed_paste = rng_below(rng, 2),
		.focus_events = rng_below(rng, 2),
		.alt_scroll = rng_below(rng, 2),
		.app_keypad = rng_below(rng, 2),
		.app_cursor = rng_below(rng, 2),
		.modify_other_keys = (uint8_t)rng_below(rng, 3),
		.kitty_flags = (uint8_t)rng_below(rng, 32),
		.mouse = (enum mouse_mode)rng_below(rng, MOUSE_ANY + 1),
		.mouse_format = (enum mouse_format)rng_below(rng,
		    MOUSE_SGR_PIXELS + 1),
	};
}

/* From any modes to any other, on a terminal of our engine. */
static void
the_terminal_gets_the_modes_that_the_program_set(void **state)
{
	struct rng rng = { 7 };
	struct vt *vt = make_vt(10, 5);
	struct follow f = { .kitty = true };
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	for (unsigned i = 0; i < 2000; i++) {
		struct input_modes want = random_modes(&rng), got;
		bool pixels = want.mouse_format == MOUSE_SGR_PIXELS;

		buf_clear(&out);
		follow_modes(&f, &want, &out);
		vt_feed(vt, out.data, out.len);
		vt_input_modes(vt, &got);
		assert_int_equal(got.mouse, want.mouse);
		assert_int_equal(got.mouse_format,
		    pixels ? MOUSE_SGR_PIXELS : MOUSE_SGR);
		assert_int_equal(got.bracketed_paste, want.bracketed_paste);
		assert_int_equal(got.focus_events, want.focus_events);
		assert_int_equal(got.alt_scroll, want.alt_scroll);
		assert_int_equal(got.app_keypad, want.app_keypad);
		assert_int_equal(got.modify_other_keys, want.modify_other_keys);
		assert_int_equal(got.kitty_flags, want.kitty_flags);
		buf_clear(&out);
		follow_modes(&f, &want, &out);
		assert_int_equal(out.len, 0);
	}
	buf_finish(&out);
	vt_destroy(vt);
}

static void
a_terminal_without_kittys_keyboard_is_not_asked(void **state)
{
	struct follow f = { .known = true };
	struct input_modes m = { .kitty_flags = 1 };
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	follow_modes(&f, &m, &out);
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    the_terminal_gets_the_modes_that_the_program_set),
		cmocka_unit_test(
		    a_terminal_without_kittys_keyboard_is_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
