#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "vt/key.h"
#include "vt_show.h"

#define S KEY_MOD_SHIFT
#define A KEY_MOD_ALT
#define C KEY_MOD_CTRL
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct key
parsed(const char *name)
{
	struct error err = { 0 };
	struct key k;

	if (key_parse(name, &k, &err) < 0)
		fail_msg("\"%s\" was refused: %s", name, err.msg);
	return k;
}

static void
named(const struct key *k, const char *want)
{
	char got[KEY_NAME_MAX] = "";

	if (key_name(k, got, sizeof(got)) < 0 || strcmp(got, want) != 0)
		fail_msg("%s is called \"%s\", not \"%s\"", show_key(k).s, got,
		    want);
}

static const struct {
	const char *name;
	uint32_t code;
	uint8_t mods;
	const char *canonical; /* NULL: the name itself */
} names[] = {
	{ "a", 'a', 0, NULL },
	{ "A", 'a', S, NULL },
	{ "!", '!', 0, NULL },
	{ "+", '+', 0, NULL },
	{ "-", '-', 0, NULL },
	{ "^", '^', 0, NULL },
	{ "é", 0xe9, 0, NULL },
	{ "É", 0xe9, S, NULL },
	{ "Ÿ", 0xff, S, NULL },
	{ "Ж", 0x436, S, NULL },
	{ "Š", 0x161, S, NULL },
	{ "漢", 0x6f22, 0, NULL },
	{ "\xf0\x9f\x98\x80", 0x1f600, 0, NULL },
	{ " ", ' ', 0, "Space" },
	/* tmux's spelling */
	{ "C-c", 'c', C, NULL },
	{ "M-x", 'x', A, NULL },
	{ "M-X", 'x', A | S, NULL },
	{ "C-X", 'x', C, "C-x" },
	{ "C-S-x", 'x', C | S, NULL },
	{ "S-x", 'x', S, "X" },
	{ "S-1", '1', S, NULL },
	{ "^c", 'c', C, "C-c" },
	{ "^?", '?', C, "C-?" },
	{ "^^", '^', C, "C-^" },
	{ "M-^x", 'x', A | C, "C-M-x" },
	{ "C--", '-', C, NULL },
	{ "M-+", '+', A, NULL },
	{ "C-^", '^', C, NULL },
	{ "c-m-a", 'a', C | A, "C-M-a" },
	{ "S-M-C-Left", KEY_LEFT, C | A | S, "C-M-S-Left" },
	{ "C-Space", ' ', C, NULL },
	{ "S-Tab", KEY_TAB, S, "BTab" },
	{ "BTab", KEY_TAB, S, NULL },
	{ "C-BTab", KEY_TAB, C | S, NULL },
	{ "Tab", KEY_TAB, 0, NULL },
	{ "Enter", KEY_ENTER, 0, NULL },
	{ "enter", KEY_ENTER, 0, "Enter" },
	{ "Return", KEY_ENTER, 0, "Enter" },
	{ "Escape", KEY_ESCAPE, 0, NULL },
	{ "Esc", KEY_ESCAPE, 0, "Escape" },
	{ "BSpace", KEY_BACKSPACE, 0, NULL },
	{ "backspace", KEY_BACKSPACE, 0, "BSpace" },
	{ "Up", KEY_UP, 0, NULL },
	{ "PPage", KEY_PAGE_UP, 0, NULL },
	{ "PageUp", KEY_PAGE_UP, 0, "PPage" },
	{ "PgUp", KEY_PAGE_UP, 0, "PPage" },
	{ "PgDn", KEY_PAGE_DOWN, 0, "NPage" },
	{ "IC", KEY_INSERT, 0, NULL },
	{ "Insert", KEY_INSERT, 0, "IC" },
	{ "Delete", KEY_DELETE, 0, "DC" },
	{ "F1", KEY_F1, 0, NULL },
	{ "F20", KEY_F20, 0, NULL },
	{ "C-F12", KEY_F12, C, NULL },
	{ "KP0", KEY_KP_0, 0, NULL },
	{ "KP+", KEY_KP_ADD, 0, NULL },
	{ "C-KP+", KEY_KP_ADD, C, NULL },
	{ "KP-", KEY_KP_SUBTRACT, 0, NULL },
	{ "KPEnter", KEY_KP_ENTER, 0, NULL },
	/* words */
	{ "ctrl+c", 'c', C, "C-c" },
	{ "Ctrl+C", 'c', C, "C-c" },
	{ "control+c", 'c', C, "C-c" },
	{ "alt+X", 'x', A, "M-x" },
	{ "alt+shift+left", KEY_LEFT, A | S, "M-S-Left" },
	{ "alt+shift+x", 'x', A | S, "M-X" },
	{ "ctrl+enter", KEY_ENTER, C, "C-Enter" },
	{ "ctrl++", '+', C, "C-+" },
	{ "ctrl+plus", '+', C, "C-+" },
	{ "ctrl+-", '-', C, "C--" },
	{ "ctrl+kp+", KEY_KP_ADD, C, "C-KP+" },
	{ "super+k", 'k', KEY_MOD_SUPER, NULL },
	{ "cmd+k", 'k', KEY_MOD_SUPER, "super+k" },
	{ "shift+super+k", 'k', KEY_MOD_SUPER | S, NULL },
	{ "ctrl+hyper+meta+F5", KEY_F5, C | KEY_MOD_HYPER | KEY_MOD_META,
	    NULL },
};

/* The names half of T-05. */
static void
names_are_read_and_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct key k = parsed(names[i].name);

		if (k.code != names[i].code || k.mods != names[i].mods)
			fail_msg("\"%s\" is %s", names[i].name, show_key(&k).s);
		named(&k,
		    names[i].canonical != NULL ? names[i].canonical :
						 names[i].name);
	}
}

static void
round_trip(uint32_t code)
{
	for (unsigned mods = 0; mods < 64; mods++) {
		struct key k = { .code = code, .mods = (uint8_t)mods }, back;
		char name[KEY_NAME_MAX];

		key_canonical(&k);
		assert_int_equal(key_name(&k, name, sizeof(name)), 0);
		back = parsed(name);
		if (!key_equal(&k, &back))
			fail_msg("\"%s\" of %s is %s", name, show_key(&k).s,
			    show_key(&back).s);
	}
}

static void
every_key_has_a_name_that_means_it(void **state)
{
	(void)state;
	for (uint32_t c = KEY_BEFORE_FIRST + 1; c < KEY_AFTER_LAST; c++)
		round_trip(c);
	for (uint32_t c = 0x20; c < 0x7f; c++)
		round_trip(c);
	for (uint32_t c = 0xa0; c < 0x600; c++)
		round_trip(c);
	round_trip(0x10ffff);
}

static void
a_wrong_name_is_refused_with_a_reason(void **state)
{
	static const struct {
		const char *name;
		const char *want;
	} wrong[] = {
		{ "Foo",
		    "unknown key \"Foo\"; names look like C-c, M-x, Enter, "
		    "F1 or ctrl+c" },
		{ "",
		    "empty key name; names look like C-c, M-x, Enter, F1 or "
		    "ctrl+c" },
		{ "C-",
		    "no key after \"C-\"; names look like C-c, M-x, Enter, F1 "
		    "or ctrl+c" },
		{ "ctrl+",
		    "no key after \"ctrl+\"; names look like C-c, M-x, "
		    "Enter, F1 or ctrl+c" },
		{ "C-Foo",
		    "unknown key \"C-Foo\"; names look like C-c, M-x, "
		    "Enter, F1 or ctrl+c" },
		{ "ab",
		    "unknown key \"ab\"; names look like C-c, M-x, Enter, F1 "
		    "or ctrl+c" },
		{ "\033[A",
		    "unknown key \"\\x1b[A\"; names look like C-c, M-x, "
		    "Enter, F1 or ctrl+c" },
		{ "F36",
		    "unknown key \"F36\"; names look like C-c, M-x, Enter, "
		    "F1 or ctrl+c" },
		{ "\xc3",
		    "unknown key \"\xc3\"; names look like C-c, M-x, Enter, "
		    "F1 or ctrl+c" },
		{ "\x03",
		    "unknown key \"\\x03\"; names look like C-c, M-x, "
		    "Enter, F1 or ctrl+c" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct key k = { .code = 'x' };
		struct error err = { 0 };

		assert_int_equal(key_parse(wrong[i].name, &k, &err), -EINVAL);
		assert_string_equal(err.msg, wrong[i].want);
		assert_int_equal(k.code, 'x');
		assert_int_equal(key_parse(wrong[i].name, &k, NULL), -EINVAL);
	}
}

static void
a_long_name_is_cut_in_the_message(void **state)
{
	char name[1000];
	struct error err = { 0 };
	struct key k;

	(void)state;
	memset(name, '\001', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(key_parse(name, &k, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "...\"; names look like"));
}

static void
a_name_that_does_not_fit_is_refused(void **state)
{
	struct key k = { .code = KEY_F12, .mods = C };
	char out[6] = "";

	(void)state;
	assert_int_equal(key_name(&k, out, 5), -ENOBUFS);
	assert_string_equal(out, "");
	assert_int_equal(key_name(&k, out, 6), 0);
	assert_string_equal(out, "C-F12");
	k.code = KEY_NONE;
	assert_int_equal(key_name(&k, out, 6), -EINVAL);
	k.code = '\003';
	assert_int_equal(key_name(&k, out, 6), -EINVAL);
}

static void
two_descriptions_of_one_key_become_equal(void **state)
{
	struct key a = { .code = 'A', .text = "A" };
	struct key b = { .code = 'a', .mods = S, .shifted = 'A', .base = 'a' };
	struct key digit = { .code = '1', .mods = S, .text = "!" };
	struct key french = { .code = '&', .mods = S, .text = "1" };
	struct key bad = { .code = 'a', .text = "\033[A", .base = 7 };
	struct key loud = { .code = 'a', .mods = KEY_MOD_CAPS, .text = "A" };

	(void)state;
	key_canonical(&a);
	key_canonical(&b);
	assert_true(key_equal(&a, &b));
	assert_string_equal(a.text, "");
	key_canonical(&digit);
	assert_string_equal(digit.text, "");
	key_canonical(&french);
	assert_string_equal(french.text, "1");
	key_canonical(&bad);
	assert_string_equal(bad.text, "");
	assert_int_equal(bad.base, 0);
	key_canonical(&loud);
	assert_string_equal(loud.text, "");
}

static void
a_key_types_its_keyboards_character(void **state)
{
	static const struct {
		struct key k;
		const char *want;
	} cases[] = {
		{ { .code = 'a' }, "a" },
		{ { .code = 'a', .mods = S }, "A" },
		{ { .code = 'a', .mods = KEY_MOD_CAPS }, "A" },
		{ { .code = 'a', .mods = KEY_MOD_CAPS | S }, "a" },
		{ { .code = '1', .mods = KEY_MOD_CAPS }, "1" },
		{ { .code = '4', .mods = S }, "$" },
		{ { .code = '4', .mods = S, .shifted = 0xa3 }, "£" },
		{ { .code = 'a', .mods = C }, "" },
		{ { .code = 'a', .text = "å" }, "å" },
		{ { .code = KEY_NONE, .text = "日本" }, "日本" },
		{ { .code = KEY_UP }, "" },
		{ { .code = KEY_KP_7 }, "7" },
		{ { .code = KEY_KP_ENTER }, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char got[KEY_TEXT_MAX];
		size_t n = key_text(&cases[i].k, got);

		if (strcmp(got, cases[i].want) != 0 || n != strlen(got))
			fail_msg("%s types \"%s\", not \"%s\"",
			    show_key(&cases[i].k).s, got, cases[i].want);
	}
}

static void
equal_keys_compare_equal_whatever_their_source(void **state)
{
	static const struct {
		struct key a, b;
		bool same;
	} cases[] = {
		{ { .code = '!' }, { .code = '1', .mods = S }, true },
		{ { .code = 'a' }, { .code = 'a', .mods = KEY_MOD_NUM }, true },
		{ { .code = 'a' }, { .code = 'a', .event = KEY_RELEASE },
		    true },
		{ { .code = '1' }, { .code = '&', .mods = S, .text = "1" },
		    true },
		{ { .code = 'a', .mods = C }, { .code = 'a', .mods = C | S },
		    false },
		{ { .code = 'a' }, { .code = 'b' }, false },
		{ { .code = KEY_UP }, { .code = KEY_UP, .mods = S }, false },
		{ { .code = KEY_UP }, { .code = KEY_KP_UP }, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (key_same(&cases[i].a, &cases[i].b) != cases[i].same)
			fail_msg("%s and %s", show_key(&cases[i].a).s,
			    show_key(&cases[i].b).s);
}

static void
no_two_keys_share_a_kitty_number(void **state)
{
	(void)state;
	for (uint32_t c = KEY_BEFORE_FIRST + 1; c < KEY_AFTER_LAST; c++) {
		const struct key_info *info = key_info(c);
		uint32_t back = key_find(info->number, info->final);

		if (back != c)
			fail_msg("CSI %u %c of %s is %s", info->number,
			    info->final, info->name, key_info(back)->name);
		if (info->keypad_letter != 0)
			assert_int_equal(key_find_keypad(info->keypad_letter),
			    c);
	}
	assert_null(key_info(KEY_NONE));
	assert_null(key_info(KEY_AFTER_LAST));
	assert_null(key_info(UINT32_MAX));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_read_and_written),
		cmocka_unit_test(every_key_has_a_name_that_means_it),
		cmocka_unit_test(a_wrong_name_is_refused_with_a_reason),
		cmocka_unit_test(a_long_name_is_cut_in_the_message),
		cmocka_unit_test(a_name_that_does_not_fit_is_refused),
		cmocka_unit_test(two_descriptions_of_one_key_become_equal),
		cmocka_unit_test(a_key_types_its_keyboards_character),
		cmocka_unit_test(
		    equal_keys_compare_equal_whatever_their_source),
		cmocka_unit_test(no_two_keys_share_a_kitty_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
