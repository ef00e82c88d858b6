#include "unit.h"

#include <stdlib.h>

#include "vt_make.h"
#include "vt_show.h"

static struct input_modes
modes_of(const struct vt *vt)
{
	struct input_modes m;

	vt_input_modes(vt, &m);
	return m;
}

static bool
same(const struct input_modes *a, const struct input_modes *b)
{
	return a->app_cursor == b->app_cursor &&
	    a->app_keypad == b->app_keypad &&
	    a->backarrow_bs == b->backarrow_bs && a->newline == b->newline &&
	    a->bracketed_paste == b->bracketed_paste &&
	    a->focus_events == b->focus_events &&
	    a->alt_scroll == b->alt_scroll && a->alt_screen == b->alt_screen &&
	    a->modify_other_keys == b->modify_other_keys &&
	    a->format_other_keys == b->format_other_keys &&
	    a->kitty_flags == b->kitty_flags && a->mouse == b->mouse &&
	    a->mouse_format == b->mouse_format;
}

static void
has_modes(const struct vt *vt, struct input_modes want, const char *after)
{
	struct input_modes got = modes_of(vt);

	if (!same(&got, &want))
		fail_msg("after %s: %s paste %d focus %d, not %s paste %d "
			 "focus %d",
		    show_bytes(after, strlen(after)).s, show_modes(&got).s,
		    got.bracketed_paste, got.focus_events, show_modes(&want).s,
		    want.bracketed_paste, want.focus_events);
}

/* The bytes give these modes, wherever they are cut in two. */
static void
give(const char *s, struct input_modes want)
{
	for (size_t cut = 0; cut <= strlen(s); cut++) {
		struct vt *vt = make_vt(20, 4);
		feed_cut(vt, s, cut);
		has_modes(vt, want, s);
		vt_destroy(vt);
	}
}

#define MODES(...) ((struct input_modes){ __VA_ARGS__ })

static void
a_reset_clears_every_input_mode(void **state)
{
	(void)state;
	give("", MODES(0));
	give("\033[?1;66;67;1004;1007;1003;1006;2004h\033[>1u\033[>4;2m\033c",
	    MODES(0));
}

/* O-08. */
static void
application_cursor_keys_follow_mode_1(void **state)
{
	(void)state;
	give("\033[?1h", MODES(.app_cursor = true));
	give("\033[?1h\033[?1l", MODES(0));
	give("\033[1h", MODES(0)); /* not private */
	give("\033[?1$h", MODES(0));
	give("\033[?1", MODES(0)); /* not complete */
	give("\033[?1\033[?2004h", MODES(.bracketed_paste = true));
}

/* O-08. */
static void
bracketed_paste_follows_mode_2004(void **state)
{
	(void)state;
	give("\033[?2004h", MODES(.bracketed_paste = true));
	give("text\033[?2004hmore\033[?2004ltext", MODES(0));
	give("\033[?20040h", MODES(0));
}

/* O-08. */
static void
one_sequence_may_set_several_modes(void **state)
{
	(void)state;
	give("\033[?1;2004h",
	    MODES(.app_cursor = true, .bracketed_paste = true));
	give("\033[?2004;25;1h",
	    MODES(.app_cursor = true, .bracketed_paste = true));
	give("\033[?1;2004h\033[?2004;7l", MODES(.app_cursor = true));
}

static void
keys_follow_their_modes(void **state)
{
	(void)state;
	give("\033[?66h", MODES(.app_keypad = true));
	give("\033=", MODES(.app_keypad = true));
	give("\033=\033>", MODES(0));
	give("\033[?67h", MODES(.backarrow_bs = true));
	give("\033[20h", MODES(.newline = true));
	give("\033[>4;1m", MODES(.modify_other_keys = 1));
	give("\033[>4;2m\033[>4;1f",
	    MODES(.modify_other_keys = 2, .format_other_keys = 1));
	give("\033[>4;2m\033[>4m", MODES(0));
}

static void
focus_and_the_wheel_follow_their_modes(void **state)
{
	(void)state;
	give("\033[?1004h", MODES(.focus_events = true));
	give("\033[?1007h", MODES(.alt_scroll = true));
	give("\033[?1007h\033[?1049h",
	    MODES(.alt_scroll = true, .alt_screen = true));
	give("\033[?1047h", MODES(.alt_screen = true));
	give("\033[?1049h\033[?1049l", MODES(0));
}

static void
the_mouse_follows_the_mode_set_last(void **state)
{
	(void)state;
	give("\033[?9h", MODES(.mouse = MOUSE_X10));
	give("\033[?1000h", MODES(.mouse = MOUSE_NORMAL));
	give("\033[?1002h", MODES(.mouse = MOUSE_BUTTON));
	give("\033[?1003h", MODES(.mouse = MOUSE_ANY));
	give("\033[?1003h\033[?1000h", MODES(.mouse = MOUSE_NORMAL));
	give("\033[?1000;1002;1003h\033[?1003l", MODES(0));
	give("\033[?1005h", MODES(.mouse_format = MOUSE_UTF8));
	give("\033[?1006h", MODES(.mouse_format = MOUSE_SGR));
	give("\033[?1015h", MODES(.mouse_format = MOUSE_URXVT));
	give("\033[?1016h", MODES(.mouse_format = MOUSE_SGR_PIXELS));
	give("\033[?1002;1006h\033[?1002l", MODES(.mouse_format = MOUSE_SGR));
}

static void
kitty_flags_are_a_stack(void **state)
{
	(void)state;
	give("\033[>1u", MODES(.kitty_flags = 1));
	give("\033[>1u\033[>5u", MODES(.kitty_flags = 5));
	give("\033[>1u\033[>5u\033[<u", MODES(.kitty_flags = 1));
	give("\033[>1u\033[>5u\033[<2u", MODES(0));
	give("\033[<9u", MODES(0));
	give("\033[=5u\033[=2;2u\033[=1;3u", MODES(.kitty_flags = 6));
	give("\033[>255u", MODES(.kitty_flags = 31));
}

static void
each_screen_has_its_own_kitty_flags(void **state)
{
	struct vt *vt = make_vt(20, 4);

	(void)state;
	feed(vt, "\033[>1u\033[?1049h");
	assert_int_equal(modes_of(vt).kitty_flags, 0);
	feed(vt, "\033[>3u");
	assert_int_equal(modes_of(vt).kitty_flags, 3);
	feed(vt, "\033[?1049l");
	assert_int_equal(modes_of(vt).kitty_flags, 1);
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reset_clears_every_input_mode),
		cmocka_unit_test(application_cursor_keys_follow_mode_1),
		cmocka_unit_test(bracketed_paste_follows_mode_2004),
		cmocka_unit_test(one_sequence_may_set_several_modes),
		cmocka_unit_test(keys_follow_their_modes),
		cmocka_unit_test(focus_and_the_wheel_follow_their_modes),
		cmocka_unit_test(the_mouse_follows_the_mode_set_last),
		cmocka_unit_test(kitty_flags_are_a_stack),
		cmocka_unit_test(each_screen_has_its_own_kitty_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
