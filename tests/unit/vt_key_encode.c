#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "vt/input_modes.h"
#include "vt/key.h"
#include "vt/key_encode.h"
#include "vt_show.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define E "\033"

/* A key by its name, and the bytes it sends; len 0 is strlen. */
struct example {
	const char *name;
	const char *want;
	int len;
};

static void
sends_len(const struct key *k, const struct input_modes *m, const void *want,
    size_t len)
{
	struct buf out;

	buf_init(&out, 4096);
	assert_int_equal(key_encode(k, m, &out), 0);
	if (out.len != len || (len > 0 && memcmp(out.data, want, len) != 0))
		fail_msg("%s sends \"%s\", not \"%s\", in %s", show_key(k).s,
		    show_bytes(out.data, out.len).s, show_bytes(want, len).s,
		    show_modes(m).s);
	buf_finish(&out);
}

static void
sends(const struct key *k, const struct input_modes *m, const char *want)
{
	sends_len(k, m, want, strlen(want));
}

static void
send_all(const struct example *e, size_t n, const struct input_modes *m)
{
	for (size_t i = 0; i < n; i++) {
		struct error err = { 0 };
		struct key k;

		if (key_parse(e[i].name, &k, &err) < 0)
			fail_msg("%s", err.msg);
		sends_len(&k, m, e[i].want,
		    e[i].len > 0 ? (size_t)e[i].len : strlen(e[i].want));
	}
}

#define SENDS(examples, ...) \
	send_all(examples, COUNT(examples), \
	    &(struct input_modes){ __VA_ARGS__ })

static void
text_is_sent_unchanged(void **state)
{
	static const struct example e[] = {
		{ "a", "a", 0 },
		{ "A", "A", 0 },
		{ "é", "é", 0 },
		{ "漢", "漢", 0 },
		{ "Space", " ", 0 },
		{ "S-1", "!", 0 },
		{ "!", "!", 0 },
		{ "super+k", "k", 0 },
	};

	(void)state;
	SENDS(e, 0);
}

static void
ctrl_turns_keys_into_control_bytes(void **state)
{
	static const struct example e[] = {
		{ "C-a", "\001", 0 },
		{ "C-z", "\032", 0 },
		{ "C-S-a", "\001", 0 },
		{ "C-@", "\0", 1 },
		{ "C-Space", "\0", 1 },
		{ "C-2", "\0", 1 },
		{ "C-[", E, 0 },
		{ "C-3", E, 0 },
		{ "C-\\", "\034", 0 },
		{ "C-4", "\034", 0 },
		{ "C-]", "\035", 0 },
		{ "C-5", "\035", 0 },
		{ "C-^", "\036", 0 },
		{ "C-6", "\036", 0 },
		{ "C-_", "\037", 0 },
		{ "C-7", "\037", 0 },
		{ "C-/", "\037", 0 },
		{ "C-?", "\177", 0 },
		{ "C-8", "\177", 0 },
		{ "C-S-6", "\036", 0 },
		{ "C-1", "1", 0 },
		{ "C-9", "9", 0 },
		{ "C-;", ";", 0 },
		{ "C-é", "é", 0 },
	};

	(void)state;
	SENDS(e, 0);
}

static void
alt_is_an_escape_before_the_key(void **state)
{
	static const struct example e[] = {
		{ "M-x", E "x", 0 },
		{ "M-X", E "X", 0 },
		{ "M-é", E "é", 0 },
		{ "C-M-a", E "\001", 0 },
		{ "C-M-Space", E "\0", 2 },
		{ "M-Enter", E "\r", 0 },
		{ "M-Tab", E "\t", 0 },
		{ "M-BSpace", E "\177", 0 },
		{ "M-Escape", E E, 0 },
		{ "M-[", E "[", 0 },
		{ "meta+x", E "x", 0 },
	};

	(void)state;
	SENDS(e, 0);
}

static void
enter_tab_escape_and_backspace_send_their_bytes(void **state)
{
	static const struct example e[] = {
		{ "Enter", "\r", 0 },
		{ "C-Enter", "\r", 0 },
		{ "S-Enter", "\r", 0 },
		{ "Tab", "\t", 0 },
		{ "C-Tab", "\t", 0 },
		{ "BTab", E "[Z", 0 },
		{ "C-BTab", E "[Z", 0 },
		{ "M-BTab", E E "[Z", 0 },
		{ "Escape", E, 0 },
		{ "S-Escape", E, 0 },
		{ "BSpace", "\177", 0 },
		{ "C-BSpace", "\b", 0 },
		{ "C-M-BSpace", E "\b", 0 },
	};
	static const struct example bs[] = {
		{ "BSpace", "\b", 0 },
		{ "C-BSpace", "\177", 0 },
	};
	static const struct example newline[] = {
		{ "Enter", "\r\n", 0 },
		{ "M-Enter", E "\r\n", 0 },
		{ "KPEnter", "\r\n", 0 },
		{ "C-m", "\r", 0 },
	};

	(void)state;
	SENDS(e, 0);
	SENDS(bs, .backarrow_bs = true);
	SENDS(newline, .newline = true);
}

/* The encoder's part of O-09: DECCKM turns every arrow into its SS3. */
static void
cursor_keys_follow_decckm(void **state)
{
	static const struct example normal[] = {
		{ "Up", E "[A", 0 },
		{ "Down", E "[B", 0 },
		{ "Right", E "[C", 0 },
		{ "Left", E "[D", 0 },
		{ "Home", E "[H", 0 },
		{ "End", E "[F", 0 },
		{ "KPBegin", E "[E", 0 },
		{ "KPUp", E "[A", 0 },
	};
	static const struct example app[] = {
		{ "Up", E "OA", 0 },
		{ "Down", E "OB", 0 },
		{ "Right", E "OC", 0 },
		{ "Left", E "OD", 0 },
		{ "Home", E "OH", 0 },
		{ "End", E "OF", 0 },
		{ "KPBegin", E "OE", 0 },
		{ "KPUp", E "OA", 0 },
		{ "C-Up", E "[1;5A", 0 },
		{ "PPage", E "[5~", 0 },
	};

	(void)state;
	SENDS(normal, 0);
	SENDS(app, .app_cursor = true);
}

static void
function_keys_carry_their_modifiers(void **state)
{
	static const struct example e[] = {
		{ "F1", E "OP", 0 },
		{ "F4", E "OS", 0 },
		{ "S-F1", E "[1;2P", 0 },
		{ "C-F3", E "[1;5R", 0 },
		{ "F5", E "[15~", 0 },
		{ "F6", E "[17~", 0 },
		{ "F10", E "[21~", 0 },
		{ "F11", E "[23~", 0 },
		{ "F12", E "[24~", 0 },
		{ "C-F12", E "[24;5~", 0 },
		{ "F13", E "[25~", 0 },
		{ "F20", E "[34~", 0 },
		{ "F21", E "[42~", 0 },
		{ "IC", E "[2~", 0 },
		{ "DC", E "[3~", 0 },
		{ "PPage", E "[5~", 0 },
		{ "NPage", E "[6~", 0 },
		{ "C-DC", E "[3;5~", 0 },
		{ "S-Left", E "[1;2D", 0 },
		{ "M-Left", E "[1;3D", 0 },
		{ "M-S-Left", E "[1;4D", 0 },
		{ "C-Left", E "[1;5D", 0 },
		{ "C-S-Left", E "[1;6D", 0 },
		{ "C-M-Left", E "[1;7D", 0 },
		{ "C-M-S-Left", E "[1;8D", 0 },
		{ "super+left", E "[1;9D", 0 },
		{ "Menu", E "[29~", 0 },
	};

	(void)state;
	SENDS(e, 0);
}

static void
the_keypad_has_two_modes(void **state)
{
	static const struct example numeric[] = {
		{ "KP0", "0", 0 },
		{ "KP9", "9", 0 },
		{ "KP+", "+", 0 },
		{ "KP.", ".", 0 },
		{ "KPEnter", "\r", 0 },
		{ "C-KP5", "5", 0 },
		{ "KPHome", E "[H", 0 },
		{ "KPDC", E "[3~", 0 },
	};
	static const struct example app[] = {
		{ "KP0", E "Op", 0 },
		{ "KP5", E "Ou", 0 },
		{ "KP9", E "Oy", 0 },
		{ "KP*", E "Oj", 0 },
		{ "KP+", E "Ok", 0 },
		{ "KP,", E "Ol", 0 },
		{ "KP-", E "Om", 0 },
		{ "KP.", E "On", 0 },
		{ "KP/", E "Oo", 0 },
		{ "KP=", E "OX", 0 },
		{ "KPEnter", E "OM", 0 },
		{ "C-KP5", E "O5u", 0 },
		{ "KPHome", E "[H", 0 },
	};
	struct input_modes m = { .app_keypad = true };
	struct key locked = { .code = KEY_KP_5, .mods = KEY_MOD_NUM };

	(void)state;
	SENDS(numeric, 0);
	SENDS(app, .app_keypad = true);
	sends(&locked, &m, "5");
}

static void
keys_without_a_sequence_send_nothing(void **state)
{
	static const struct example e[] = {
		{ "MediaPlay", "", 0 },
		{ "LeftShift", "", 0 },
		{ "CapsLock", "", 0 },
		{ "PrintScreen", "", 0 },
	};
	struct input_modes m = { 0 };
	struct key release = { .code = 'a', .event = KEY_RELEASE };
	struct key control = { .code = 0x03 }, nothing = { 0 };
	struct key beyond = { .code = KEY_AFTER_LAST };
	struct key surrogate = { .code = 0xd800 };

	(void)state;
	SENDS(e, 0);
	sends(&release, &m, "");
	sends(&control, &m, "");
	sends(&nothing, &m, "");
	sends(&beyond, &m, "");
	sends(&surrogate, &m, "");
}

static void
text_of_a_key_cannot_smuggle_controls(void **state)
{
	struct input_modes legacy = { 0 }, text = { .kitty_flags = 8 | 16 };
	struct key ime = { .code = KEY_NONE, .text = "日本" };
	struct key evil = { .code = KEY_NONE, .text = "a\033[201~" };
	struct key c1 = { .code = 'a', .text = "\xc2\x9b" };
	struct key full = { .code = 'a' };

	(void)state;
	memset(full.text, 'x', sizeof(full.text)); /* no NUL: not a text */
	sends(&ime, &legacy, "日本");
	sends(&evil, &legacy, "");
	sends(&evil, &text, "");
	sends(&c1, &legacy, "a");
	sends(&full, &legacy, "a");
}

static void
ctrl_c_works_on_a_cyrillic_keyboard(void **state)
{
	struct input_modes m = { 0 };
	struct key es = { .code = 0x441, .base = 'c', .mods = KEY_MOD_CTRL };

	(void)state;
	sends(&es, &m, "\003");
	es.mods = 0;
	sends(&es, &m, "с");
}

static void
modify_other_keys_1_keeps_keys_that_have_legacy_bytes(void **state)
{
	static const struct example e[] = {
		{ "a", "a", 0 },
		{ "A", "A", 0 },
		{ "!", "!", 0 },
		{ "C-a", "\001", 0 },
		{ "C-S-a", "\001", 0 },
		{ "C-i", "\t", 0 },
		{ "C-Space", "\0", 1 },
		{ "C-2", "\0", 1 },
		{ "C-/", "\037", 0 },
		{ "C-[", E, 0 },
		{ "M-x", E "x", 0 },
		{ "M-X", E "X", 0 },
		{ "C-M-a", E "\001", 0 },
		{ "M-1", E "1", 0 },
		{ "S-Space", " ", 0 },
		{ "C-1", E "[27;5;49~", 0 },
		{ "C-;", E "[27;5;59~", 0 },
		{ "C-S-1", E "[27;6;33~", 0 },
		{ "C-?", E "[27;5;63~", 0 },
		{ "C-M-1", E "[27;7;49~", 0 },
		{ "C-M-Space", E "[27;7;32~", 0 },
		{ "C-M-%", E "[27;7;37~", 0 },
		{ "C-é", E "[27;5;233~", 0 },
		{ "Enter", "\r", 0 },
		{ "S-Enter", E "[27;2;13~", 0 },
		{ "C-Enter", E "[27;5;13~", 0 },
		{ "M-Enter", E "\r", 0 },
		{ "C-M-Enter", E "\r", 0 },
		{ "C-Tab", E "[27;5;9~", 0 },
		{ "BTab", E "[Z", 0 },
		{ "C-BTab", E "[27;6;9~", 0 },
		{ "M-Tab", E "\t", 0 },
		{ "Escape", E, 0 },
		{ "S-Escape", E, 0 },
		{ "C-Escape", E, 0 },
		{ "M-Escape", E E, 0 },
		{ "C-M-Escape", E "[27;7;27~", 0 },
		{ "BSpace", "\177", 0 },
		{ "S-BSpace", "\177", 0 },
		{ "C-BSpace", "\b", 0 },
		{ "M-BSpace", E "\177", 0 },
		{ "C-Up", E "[1;5A", 0 },
		{ "C-F1", E "[1;5P", 0 },
		{ "C-KP5", "5", 0 },
	};
	static const struct example format1[] = {
		{ "C-1", E "[49;5u", 0 },
		{ "S-Enter", E "[13;2u", 0 },
		{ "C-a", "\001", 0 },
	};

	(void)state;
	SENDS(e, .modify_other_keys = 1);
	SENDS(format1, .modify_other_keys = 1, .format_other_keys = 1);
}

static void
modify_other_keys_2_sends_every_modifier(void **state)
{
	static const struct example e[] = {
		{ "a", "a", 0 },
		{ "A", E "[27;2;65~", 0 },
		{ "!", "!", 0 },
		{ "S-1", "!", 0 },
		{ "S-Space", E "[27;2;32~", 0 },
		{ "C-a", E "[27;5;97~", 0 },
		{ "C-S-a", E "[27;6;65~", 0 },
		{ "C-i", E "[27;5;105~", 0 },
		{ "C-Space", E "[27;5;32~", 0 },
		{ "C-2", E "[27;5;50~", 0 },
		{ "C-[", E "[27;5;91~", 0 },
		{ "M-x", E "[27;3;120~", 0 },
		{ "M-X", E "[27;4;88~", 0 },
		{ "C-M-a", E "[27;7;97~", 0 },
		{ "C-1", E "[27;5;49~", 0 },
		{ "meta+x", E "[27;3;120~", 0 },
		{ "super+x", "x", 0 },
		{ "Enter", "\r", 0 },
		{ "S-Enter", E "[27;2;13~", 0 },
		{ "C-Enter", E "[27;5;13~", 0 },
		{ "M-Enter", E "[27;3;13~", 0 },
		{ "Tab", "\t", 0 },
		{ "BTab", E "[Z", 0 },
		{ "C-BTab", E "[27;6;9~", 0 },
		{ "C-Tab", E "[27;5;9~", 0 },
		{ "Escape", E, 0 },
		{ "S-Escape", E "[27;2;27~", 0 },
		{ "M-Escape", E "[27;3;27~", 0 },
		{ "BSpace", "\177", 0 },
		{ "C-BSpace", "\b", 0 },
		{ "S-BSpace", E "[27;2;127~", 0 },
		{ "C-S-BSpace", E "[27;6;8~", 0 },
		{ "Up", E "[A", 0 },
		{ "C-Up", E "[1;5A", 0 },
	};
	static const struct example bs[] = {
		{ "BSpace", "\b", 0 },
		{ "C-BSpace", "\177", 0 },
		{ "S-BSpace", E "[27;2;8~", 0 },
		{ "C-S-BSpace", E "[27;6;127~", 0 },
	};
	static const struct example format1[] = {
		{ "C-a", E "[97;5u", 0 },
		{ "C-S-a", E "[65;6u", 0 },
	};

	(void)state;
	SENDS(e, .modify_other_keys = 2);
	SENDS(bs, .modify_other_keys = 2, .backarrow_bs = true);
	SENDS(format1, .modify_other_keys = 2, .format_other_keys = 1);
}

static void
kitty_1_disambiguates(void **state)
{
	static const struct example e[] = {
		{ "a", "a", 0 },
		{ "A", "A", 0 },
		{ "é", "é", 0 },
		{ "S-1", "!", 0 },
		{ "Escape", E "[27u", 0 },
		{ "M-Escape", E "[27;3u", 0 },
		{ "C-a", E "[97;5u", 0 },
		{ "C-i", E "[105;5u", 0 },
		{ "C-[", E "[91;5u", 0 },
		{ "C-S-a", E "[97;6u", 0 },
		{ "M-a", E "[97;3u", 0 },
		{ "M-A", E "[97;4u", 0 },
		{ "C-M-a", E "[97;7u", 0 },
		{ "C-Space", E "[32;5u", 0 },
		{ "super+k", E "[107;9u", 0 },
		{ "hyper+k", E "[107;17u", 0 },
		{ "meta+k", E "[107;33u", 0 },
		{ "Enter", "\r", 0 },
		{ "Tab", "\t", 0 },
		{ "BSpace", "\177", 0 },
		{ "S-Enter", E "[13;2u", 0 },
		{ "C-Enter", E "[13;5u", 0 },
		{ "BTab", E "[9;2u", 0 },
		{ "C-BSpace", E "[127;5u", 0 },
		{ "Up", E "[A", 0 },
		{ "C-Up", E "[1;5A", 0 },
		{ "Home", E "[H", 0 },
		{ "F1", E "[P", 0 },
		{ "F3", E "[13~", 0 },
		{ "S-F3", E "[13;2~", 0 },
		{ "F5", E "[15~", 0 },
		{ "F13", E "[57376u", 0 },
		{ "DC", E "[3~", 0 },
		{ "KP5", E "[57404u", 0 },
		{ "KPUp", E "[57419u", 0 },
		{ "KPBegin", E "[E", 0 },
		{ "MediaPlay", E "[57428u", 0 },
		{ "Menu", E "[57363u", 0 },
		{ "LeftShift", "", 0 },
		{ "NumLock", "", 0 },
	};

	(void)state;
	SENDS(e, .kitty_flags = 1);
	SENDS(e, .kitty_flags = 1, .app_cursor = true, .app_keypad = true,
	    .modify_other_keys = 2);
}

static void
kitty_2_reports_events(void **state)
{
	struct input_modes m = { .kitty_flags = 2 },
			   both = { .kitty_flags = 3 };
	struct input_modes all = { .kitty_flags = 2 | 8 };
	struct key up = { .code = KEY_UP, .event = KEY_RELEASE };
	struct key a = { .code = 'a', .event = KEY_REPEAT };
	struct key c = { .code = 'c', .mods = KEY_MOD_CTRL };
	struct key enter = { .code = KEY_ENTER, .event = KEY_REPEAT };

	(void)state;
	sends(&up, &m, E "[1;1:3A");
	up.event = KEY_REPEAT;
	up.mods = KEY_MOD_CTRL;
	sends(&up, &m, E "[1;5:2A");
	sends(&a, &both, "a");
	a.event = KEY_RELEASE;
	sends(&a, &both, E "[97;1:3u");
	a.event = KEY_REPEAT;
	sends(&a, &all, E "[97;1:2u");
	sends(&c, &m, "\003");
	c.event = KEY_RELEASE;
	sends(&c, &m, E "[99;5:3u");
	sends(&enter, &both, "\r");
	enter.event = KEY_RELEASE;
	sends(&enter, &both, "");
	enter.mods = KEY_MOD_SHIFT;
	sends(&enter, &both, "");
	sends(&enter, &all, E "[13;2:3u");
}

static void
kitty_4_reports_alternates(void **state)
{
	struct input_modes m = { .kitty_flags = 1 | 4 },
			   all = { .kitty_flags = 12 };
	struct key es = { .code = 0x441, .base = 'c', .mods = KEY_MOD_CTRL };
	struct key a = { .code = 'a', .mods = KEY_MOD_CTRL | KEY_MOD_SHIFT };
	struct key pound = { .code = '3',
		.mods = KEY_MOD_SHIFT,
		.shifted = 0xa3 };

	(void)state;
	sends(&es, &m, E "[1089::99;5u");
	es.mods |= KEY_MOD_SHIFT;
	sends(&es, &m, E "[1089:1057:99;6u");
	sends(&a, &m, E "[97:65;6u");
	sends(&pound, &all, E "[51:163;2u");
}

static void
kitty_8_reports_all_keys(void **state)
{
	static const struct example e[] = {
		{ "a", E "[97u", 0 },
		{ "A", E "[97;2u", 0 },
		{ "é", E "[233u", 0 },
		{ "Enter", E "[13u", 0 },
		{ "Tab", E "[9u", 0 },
		{ "BSpace", E "[127u", 0 },
		{ "Escape", E "[27u", 0 },
		{ "Space", E "[32u", 0 },
		{ "LeftShift", E "[57441u", 0 },
		{ "CapsLock", E "[57358u", 0 },
		{ "Up", E "[A", 0 },
		{ "KP5", E "[57404u", 0 },
		{ "\xee\x80\x8e", "\xee\x80\x8e", 0 },
	};
	struct input_modes m = { .kitty_flags = 8 };
	struct key ime = { .code = KEY_NONE, .text = "日" };

	(void)state;
	SENDS(e, .kitty_flags = 8);
	SENDS(e, .kitty_flags = 9, .app_cursor = true, .newline = true);
	sends(&ime, &m, "日");
}

static void
kitty_16_embeds_the_text(void **state)
{
	static const struct example e[] = {
		{ "a", E "[97;;97u", 0 },
		{ "A", E "[97;2;65u", 0 },
		{ "C-a", E "[97;5u", 0 },
		{ "Up", E "[A", 0 },
		{ "Enter", E "[13u", 0 },
		{ "KP5", E "[57404;;53u", 0 },
	};
	static const struct example alone[] = {
		{ "a", "a", 0 },
		{ "C-a", E "[97;5u", 0 },
	};
	struct input_modes m = { .kitty_flags = 8 | 16 | 2 };
	struct key option = { .code = 'a', .text = "å" };
	struct key ime = { .code = KEY_NONE, .text = "日本" };

	(void)state;
	SENDS(e, .kitty_flags = 8 | 16);
	SENDS(alone, .kitty_flags = 1 | 16);
	sends(&option, &m, E "[97;;229u");
	option.event = KEY_REPEAT;
	sends(&option, &m, E "[97;1:2;229u");
	option.event = KEY_RELEASE;
	sends(&option, &m, E "[97;1:3u");
	sends(&ime, &m, E "[0;;26085:26412u");
}

static void
locks_are_reported_but_not_with_text(void **state)
{
	struct input_modes m = { .kitty_flags = 3 }, all = { .kitty_flags = 8 };
	struct input_modes legacy = { 0 };
	struct key a = { .code = 'a', .mods = KEY_MOD_CAPS };
	struct key up = { .code = KEY_UP, .mods = KEY_MOD_NUM };

	(void)state;
	sends(&a, &m, "A");
	sends(&a, &all, E "[97;65u");
	sends(&up, &m, E "[1;129A");
	sends(&up, &legacy, E "[A");
	a.event = KEY_RELEASE;
	sends(&a, &m, E "[97;1:3u");
	a.mods |= KEY_MOD_CTRL;
	a.event = KEY_PRESS;
	sends(&a, &m, E "[97;69u");
}

static void
a_full_buffer_gets_no_half_of_a_key(void **state)
{
	struct input_modes m = { 0 };
	struct key up = { .code = KEY_UP };
	struct buf out;

	(void)state;
	buf_init(&out, 4);
	assert_int_equal(key_encode(&up, &m, &out), 0);
	assert_int_equal(key_encode(&up, &m, &out), -ENOBUFS);
	assert_int_equal(out.len, 3);
	buf_finish(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_sent_unchanged),
		cmocka_unit_test(ctrl_turns_keys_into_control_bytes),
		cmocka_unit_test(alt_is_an_escape_before_the_key),
		cmocka_unit_test(
		    enter_tab_escape_and_backspace_send_their_bytes),
		cmocka_unit_test(cursor_keys_follow_decckm),
		cmocka_unit_test(function_keys_carry_their_modifiers),
		cmocka_unit_test(the_keypad_has_two_modes),
		cmocka_unit_test(keys_without_a_sequence_send_nothing),
		cmocka_unit_test(text_of_a_key_cannot_smuggle_controls),
		cmocka_unit_test(ctrl_c_works_on_a_cyrillic_keyboard),
		cmocka_unit_test(
		    modify_other_keys_1_keeps_keys_that_have_legacy_bytes),
		cmocka_unit_test(modify_other_keys_2_sends_every_modifier),
		cmocka_unit_test(kitty_1_disambiguates),
		cmocka_unit_test(kitty_2_reports_events),
		cmocka_unit_test(kitty_4_reports_alternates),
		cmocka_unit_test(kitty_8_reports_all_keys),
		cmocka_unit_test(kitty_16_embeds_the_text),
		cmocka_unit_test(locks_are_reported_but_not_with_text),
		cmocka_unit_test(a_full_buffer_gets_no_half_of_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
