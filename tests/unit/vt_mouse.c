#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "vt/input_modes.h"
#include "vt/key.h"
#include "vt/key_decode.h"
#include "vt/mouse.h"
#include "vt_show.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define E "\033"
#define PRESS MOUSE_PRESS
#define RELEASE MOUSE_RELEASE
#define MOVE MOUSE_MOVE
#define SCROLL MOUSE_SCROLL

static void
reports(const struct mouse_event *ev, const struct input_modes *m,
    const char *want)
{
	struct buf out;

	buf_init(&out, 1000);
	assert_int_equal(mouse_encode(ev, m, &out), 0);
	if (out.len != strlen(want) ||
	    (out.len > 0 && memcmp(out.data, want, out.len) != 0))
		fail_msg("type %d button %d at %u,%u is \"%s\", not \"%s\", in "
			 "%s",
		    (int)ev->type, (int)ev->button, ev->row, ev->col,
		    show_bytes(out.data, out.len).s,
		    show_bytes(want, strlen(want)).s, show_modes(m).s);
	buf_finish(&out);
}

/* The same event in the four formats that use cells. */
static void
every_format_has_its_encoding(void **state)
{
	static const struct {
		struct mouse_event ev;
		const char *legacy, *sgr, *urxvt;
	} e[] = {
		{ { PRESS, MOUSE_LEFT, 0, 0, 0, 0, 0 }, E "[M !!", E "[<0;1;1M",
		    E "[32;1;1M" },
		{ { RELEASE, MOUSE_LEFT, 0, 0, 0, 0, 0 }, E "[M#!!",
		    E "[<0;1;1m", E "[35;1;1M" },
		{ { PRESS, MOUSE_RIGHT, 0, 4, 9, 0, 0 }, E "[M\"*%",
		    E "[<2;10;5M", E "[34;10;5M" },
		{ { RELEASE, MOUSE_MIDDLE, 0, 4, 9, 0, 0 }, E "[M#*%",
		    E "[<1;10;5m", E "[35;10;5M" },
		{ { PRESS, MOUSE_LEFT, KEY_MOD_SHIFT, 0, 0, 0, 0 }, E "[M$!!",
		    E "[<4;1;1M", E "[36;1;1M" },
		{ { PRESS, MOUSE_LEFT, KEY_MOD_ALT | KEY_MOD_CTRL, 0, 0, 0, 0 },
		    E "[M8!!", E "[<24;1;1M", E "[56;1;1M" },
		{ { PRESS, MOUSE_LEFT, KEY_MOD_SUPER | KEY_MOD_NUM, 0, 0, 0,
		      0 },
		    E "[M !!", E "[<0;1;1M", E "[32;1;1M" },
		{ { MOVE, MOUSE_LEFT, 0, 0, 0, 0, 0 }, E "[M@!!", E "[<32;1;1M",
		    E "[64;1;1M" },
		{ { MOVE, MOUSE_NONE, 0, 0, 0, 0, 0 }, E "[MC!!", E "[<35;1;1M",
		    E "[67;1;1M" },
		{ { SCROLL, MOUSE_WHEEL_UP, 0, 0, 0, 0, 0 }, E "[M`!!",
		    E "[<64;1;1M", E "[96;1;1M" },
		{ { SCROLL, MOUSE_WHEEL_DOWN, 0, 0, 0, 0, 0 }, E "[Ma!!",
		    E "[<65;1;1M", E "[97;1;1M" },
		{ { SCROLL, MOUSE_WHEEL_LEFT, 0, 0, 0, 0, 0 }, E "[Mb!!",
		    E "[<66;1;1M", E "[98;1;1M" },
		{ { SCROLL, MOUSE_WHEEL_RIGHT, KEY_MOD_CTRL, 0, 0, 0, 0 },
		    E "[Ms!!", E "[<83;1;1M", E "[115;1;1M" },
		{ { PRESS, MOUSE_BACK, 0, 0, 0, 0, 0 }, E "[M\xa0!!",
		    E "[<128;1;1M", E "[160;1;1M" },
		{ { PRESS, MOUSE_LEFT, 0, 222, 222, 0, 0 }, E "[M \xff\xff",
		    E "[<0;223;223M", E "[32;223;223M" },
		{ { PRESS, MOUSE_LEFT, 0, 0, 223, 0, 0 }, "", E "[<0;224;1M",
		    E "[32;224;1M" },
		{ { PRESS, MOUSE_LEFT, 0, 5000, 0, 0, 0 }, "", E "[<0;1;5001M",
		    E "[32;1;5001M" },
	};
	struct input_modes m = { .mouse = MOUSE_ANY };

	(void)state;
	for (size_t i = 0; i < COUNT(e); i++) {
		m.mouse_format = MOUSE_LEGACY;
		reports(&e[i].ev, &m, e[i].legacy);
		m.mouse_format = MOUSE_SGR;
		reports(&e[i].ev, &m, e[i].sgr);
		m.mouse_format = MOUSE_URXVT;
		reports(&e[i].ev, &m, e[i].urxvt);
	}
}

static void
utf8_coordinates_end_at_2015(void **state)
{
	struct input_modes m = { .mouse = MOUSE_NORMAL,
		.mouse_format = MOUSE_UTF8 };
	struct mouse_event ev = { PRESS, MOUSE_LEFT, 0, 0, 94, 0, 0 };

	(void)state;
	reports(&ev, &m, E "[M \x7f!");
	ev.col = 95;
	reports(&ev, &m, E "[M \xc2\x80!");
	ev.col = 2014;
	reports(&ev, &m, E "[M \xdf\xbf!");
	ev.col = 2015;
	reports(&ev, &m, "");
	ev.col = 0;
	ev.button = MOUSE_BACK;
	reports(&ev, &m, E "[M\xc2\xa0!!");
}

static void
pixels_are_sent_where_pixels_are_wanted(void **state)
{
	struct input_modes m = { .mouse = MOUSE_NORMAL,
		.mouse_format = MOUSE_SGR_PIXELS };
	struct mouse_event ev = { PRESS, MOUSE_LEFT, 0, 1, 2, 30, 40 };

	(void)state;
	reports(&ev, &m, E "[<0;31;41M");
	ev.px = UINT32_MAX;
	reports(&ev, &m, "");
}

/* The events that reach the program, mode by mode: 1 if something is sent. */
static void
each_mouse_mode_adds_to_the_one_before(void **state)
{
	static const struct {
		struct mouse_event ev;
		bool sent[5]; /* OFF X10 NORMAL BUTTON ANY */
	} e[] = {
		{ { PRESS, MOUSE_LEFT, 0, 0, 0, 0, 0 }, { 0, 1, 1, 1, 1 } },
		{ { PRESS, MOUSE_BACK, 0, 0, 0, 0, 0 }, { 0, 0, 1, 1, 1 } },
		{ { RELEASE, MOUSE_LEFT, 0, 0, 0, 0, 0 }, { 0, 0, 1, 1, 1 } },
		{ { SCROLL, MOUSE_WHEEL_UP, 0, 0, 0, 0, 0 },
		    { 0, 0, 1, 1, 1 } },
		{ { MOVE, MOUSE_LEFT, 0, 0, 0, 0, 0 }, { 0, 0, 0, 1, 1 } },
		{ { MOVE, MOUSE_NONE, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 1 } },
	};
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	for (size_t i = 0; i < COUNT(e); i++)
		for (int mode = MOUSE_OFF; mode <= MOUSE_ANY; mode++) {
			struct input_modes m = {
				.mouse = (enum mouse_mode)mode
			};

			buf_clear(&out);
			assert_int_equal(mouse_encode(&e[i].ev, &m, &out), 0);
			if ((out.len > 0) != e[i].sent[mode])
				fail_msg("event %zu in mode %d: %zu bytes", i,
				    mode, out.len);
		}
	buf_finish(&out);
}

static void
x10_reports_no_modifiers(void **state)
{
	struct input_modes m = { .mouse = MOUSE_X10 };
	struct mouse_event ev = { PRESS, MOUSE_LEFT, KEY_MOD_CTRL, 0, 0, 0, 0 };

	(void)state;
	reports(&ev, &m, E "[M !!");
}

static void
the_wheel_becomes_arrows_on_the_alternate_screen(void **state)
{
	struct input_modes m = { .alt_scroll = true, .alt_screen = true };
	struct mouse_event up = { SCROLL, MOUSE_WHEEL_UP, 0, 3, 3, 0, 0 };
	struct mouse_event down = { SCROLL, MOUSE_WHEEL_DOWN, 0, 3, 3, 0, 0 };
	struct mouse_event left = { SCROLL, MOUSE_WHEEL_LEFT, 0, 3, 3, 0, 0 };
	struct mouse_event press = { PRESS, MOUSE_LEFT, 0, 3, 3, 0, 0 };

	(void)state;
	reports(&up, &m, E "[A" E "[A" E "[A");
	m.app_cursor = true;
	reports(&down, &m, E "OB" E "OB" E "OB");
	reports(&left, &m, "");
	reports(&press, &m, "");
	m.alt_screen = false;
	reports(&up, &m, "");
	m.alt_screen = true;
	m.mouse = MOUSE_NORMAL;
	reports(&up, &m, E "[M`$$");
}

static void
impossible_events_are_not_sent(void **state)
{
	static const struct mouse_event e[] = {
		{ PRESS, MOUSE_NONE, 0, 0, 0, 0, 0 },
		{ PRESS, MOUSE_WHEEL_UP, 0, 0, 0, 0, 0 },
		{ MOVE, MOUSE_WHEEL_UP, 0, 0, 0, 0, 0 },
		{ SCROLL, MOUSE_LEFT, 0, 0, 0, 0, 0 },
		{ SCROLL, MOUSE_BUTTONS, 0, 0, 0, 0, 0 },
		{ (enum mouse_type)9, MOUSE_LEFT, 0, 0, 0, 0, 0 },
		{ PRESS, (enum mouse_button)99, 0, 0, 0, 0, 0 },
		{ PRESS, MOUSE_LEFT, 0, UINT32_MAX, 0, 0, 0 },
	};
	struct input_modes m = { .mouse = MOUSE_ANY,
		.mouse_format = MOUSE_SGR };

	(void)state;
	for (size_t i = 0; i < COUNT(e); i++)
		reports(&e[i], &m, "");
}

static void
a_full_buffer_gets_no_half_of_a_report(void **state)
{
	struct input_modes m = { .mouse = MOUSE_ANY };
	struct input_modes arrows = { .alt_scroll = true, .alt_screen = true };
	struct mouse_event ev = { SCROLL, MOUSE_WHEEL_UP, 0, 0, 0, 0, 0 };
	struct buf out;

	(void)state;
	for (int format = MOUSE_LEGACY; format <= MOUSE_SGR_PIXELS; format++) {
		m.mouse_format = (enum mouse_format)format;
		buf_init(&out, 5);
		assert_int_equal(mouse_encode(&ev, &m, &out), -ENOBUFS);
		assert_int_equal(out.len, 0);
		buf_finish(&out);
	}
	buf_init(&out, 8);
	assert_int_equal(mouse_encode(&ev, &arrows, &out), -ENOBUFS);
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

static void
on_mouse(void *arg, const struct mouse_event *ev)
{
	*(struct mouse_event *)arg = *ev;
}

static bool
is_same(const struct mouse_event *a, const struct mouse_event *b)
{
	return a->type == b->type && a->button == b->button &&
	    a->mods == b->mods && a->row == b->row && a->col == b->col &&
	    a->px == b->px && a->py == b->py;
}

/* A report can lose the button of a release, and one of its positions. */
static void
expect_back(const struct mouse_event *ev, const struct input_modes *m)
{
	static const struct key_decoder_ops ops = { .mouse = on_mouse };
	bool pixels = m->mouse_format == MOUSE_SGR_PIXELS;
	struct mouse_event want = *ev,
			   got = { (enum mouse_type)9, 0, 0, 0, 0, 0, 0 };
	struct key_decoder d;
	struct buf out;

	buf_init(&out, 100);
	assert_int_equal(mouse_encode(ev, m, &out), 0);
	key_decoder_init(&d, &ops, &got);
	d.mouse_format = m->mouse_format;
	if (out.len > 0)
		key_decoder_feed(&d, out.data, out.len);
	if (ev->type == MOUSE_RELEASE && m->mouse_format != MOUSE_SGR &&
	    !pixels)
		want.button = MOUSE_NONE;
	if (pixels)
		want.row = want.col = 0;
	else
		want.px = want.py = 0;
	if (out.len > 0 && !is_same(&want, &got))
		fail_msg("\"%s\" of type %d button %d is type %d button %d "
			 "mods %d at %u,%u %u,%u",
		    show_bytes(out.data, out.len).s, (int)ev->type,
		    (int)ev->button, (int)got.type, (int)got.button, got.mods,
		    got.row, got.col, got.px, got.py);
	buf_finish(&out);
}

static void
every_report_is_read_back(void **state)
{
	static const uint32_t places[] = { 0, 1, 94, 95, 222, 223, 2014, 9999 };
	struct input_modes m = { .mouse = MOUSE_ANY };

	(void)state;
	for (int format = MOUSE_LEGACY; format <= MOUSE_SGR_PIXELS; format++)
		for (int type = MOUSE_PRESS; type <= MOUSE_SCROLL; type++)
			for (int b = 0; b < MOUSE_BUTTONS; b++)
				for (size_t i = 0; i < 8 * COUNT(places); i++) {
					uint32_t at = places[i / 8];
					struct mouse_event ev;

					memset(&ev, 0, sizeof(ev));
					ev.type = (enum mouse_type)type;
					ev.button = (enum mouse_button)b;
					ev.mods = i % 8;
					ev.row = ev.py = at;
					ev.col = ev.px = places[i % 8];
					m.mouse_format = (enum mouse_format)
					    format;
					expect_back(&ev, &m);
				}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_has_its_encoding),
		cmocka_unit_test(utf8_coordinates_end_at_2015),
		cmocka_unit_test(pixels_are_sent_where_pixels_are_wanted),
		cmocka_unit_test(each_mouse_mode_adds_to_the_one_before),
		cmocka_unit_test(x10_reports_no_modifiers),
		cmocka_unit_test(
		    the_wheel_becomes_arrows_on_the_alternate_screen),
		cmocka_unit_test(impossible_events_are_not_sent),
		cmocka_unit_test(a_full_buffer_gets_no_half_of_a_report),
		cmocka_unit_test(every_report_is_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
