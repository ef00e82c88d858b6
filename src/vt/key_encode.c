#include "vt/key_encode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "vt/input_modes.h"
#include "vt/key.h"

/*
 * The bytes of one key, collected to append them in one piece.  The longest is
 * a CSI u with KEY_TEXT_MAX characters of text.
 */
struct seq {
	char p[512];
	size_t len;
};

static void __attribute__((format(printf, 2, 3)))
put(struct seq *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	s->len += (size_t)vsnprintf(s->p + s->len, sizeof(s->p) - s->len, fmt,
	    ap);
	va_end(ap);
}

static void
put_byte(struct seq *s, uint8_t c)
{
	s->p[s->len++] = (char)c;
}

static void
put_char(struct seq *s, uint32_t cp)
{
	s->len += utf8_encode(s->p + s->len, cp);
}

/*
 * CSI number ; modifiers : event final.  Default values are left out, and then
 * the number 1 too.
 */
static void
put_csi(struct seq *s, unsigned number, uint8_t mods, enum key_event event,
    char final)
{
	put(s, "\033[");
	if (number != 1 || mods != 0 || event != KEY_PRESS)
		put(s, "%u", number);
	if (mods != 0 || event != KEY_PRESS)
		put(s, ";%u", mods + 1u);
	if (event != KEY_PRESS)
		put(s, ":%u", event + 1u);
	put(s, "%c", final);
}

/* The control that Ctrl makes of an ASCII character, or -1 for none. */
static int
control_of(uint32_t cp)
{
	static const struct {
		char from;
		uint8_t to;
	} others[] = {
		{ ' ', 0x00 },
		{ '2', 0x00 },
		{ '3', 0x1b },
		{ '4', 0x1c },
		{ '5', 0x1d },
		{ '6', 0x1e },
		{ '7', 0x1f },
		{ '8', 0x7f },
		{ '/', 0x1f },
		{ '?', 0x7f },
	};

	if (cp >= '@' && cp <= '~')
		return cp & 0x1f;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (cp == (uint8_t)others[i].from)
			return others[i].to;
	return -1;
}

/*
 * The character that Ctrl applies to: on a keyboard whose letters are not
 * ASCII, the US key in the same place, so that Ctrl-C is where the hand
 * expects it.
 */
static uint32_t
ctrl_symbol(const struct key *k)
{
	uint32_t symbol = key_symbol(k);

	return symbol > 0x7f && k->base != 0 && k->base < 0x7f ? k->base :
								 symbol;
}

static bool
has_alt(const struct key *k)
{
	return (k->mods & (KEY_MOD_ALT | KEY_MOD_META)) != 0;
}

static void
legacy_char(const struct key *k, struct seq *s)
{
	char text[KEY_TEXT_MAX];
	int control = -1;

	if (has_alt(k))
		put_byte(s, 0x1b);
	if (k->mods & KEY_MOD_CTRL)
		control = control_of(ctrl_symbol(k));
	if (control >= 0)
		put_byte(s, (uint8_t)control);
	else if (!(k->mods & KEY_MOD_COMMAND) && key_text(k, text) > 0)
		put(s, "%s", text);
	else if (key_is_char(k->code))
		put_char(s, key_symbol(k));
}

static void
put_enter(struct seq *s, const struct input_modes *m)
{
	put(s, m->newline ? "\r\n" : "\r");
}

/* True if the key is one of the four with a C0 control. */
static bool
is_c0(uint32_t code)
{
	return code == KEY_ESCAPE || code == KEY_ENTER || code == KEY_TAB ||
	    code == KEY_BACKSPACE;
}

static bool
sends_bs(const struct key *k, const struct input_modes *m)
{
	return m->backarrow_bs != ((k->mods & KEY_MOD_CTRL) != 0);
}

static void
legacy_c0(const struct key *k, const struct input_modes *m, struct seq *s)
{
	if (has_alt(k))
		put_byte(s, 0x1b);
	if (k->code == KEY_ENTER)
		put_enter(s, m);
	else if (k->code == KEY_ESCAPE)
		put_byte(s, 0x1b);
	else if (k->code == KEY_TAB)
		put(s, k->mods & KEY_MOD_SHIFT ? "\033[Z" : "\t");
	else
		put_byte(s, sends_bs(k, m) ? '\b' : 0x7f);
}

/*
 * As in xterm, Num Lock makes the keypad numeric, whatever the program asked.
 */
static void
legacy_keypad(const struct key *k, const struct input_modes *m, struct seq *s)
{
	const struct key_info *info = key_info(k->code);
	uint8_t mods = k->mods & (uint8_t)~KEY_MOD_LOCKS;

	if (m->app_keypad && !(k->mods & KEY_MOD_NUM)) {
		put(s, "\033O");
		if (mods != 0)
			put(s, "%u", mods + 1u);
		put(s, "%c", info->keypad_letter);
	} else if (info->keypad_char == '\r') {
		put_enter(s, m);
	} else {
		put(s, "%c", info->keypad_char);
	}
}

static void
legacy_function(const struct key *k, const struct input_modes *m, struct seq *s)
{
	const struct key_info *info = key_info(k->code);
	uint8_t mods = k->mods & (uint8_t)~KEY_MOD_LOCKS;
	bool ss3 = info->ss3 == KEY_SS3_ALWAYS ||
	    (info->ss3 == KEY_SS3_CURSOR && m->app_cursor);

	if (info->legacy_final == 0)
		return;
	if (ss3 && mods == 0)
		put(s, "\033O%c", info->legacy_final);
	else
		put_csi(s, info->legacy_number, mods, KEY_PRESS,
		    info->legacy_final);
}

static void
legacy(const struct key *k, const struct input_modes *m, struct seq *s)
{
	const struct key_info *info = key_info(k->code);

	if (info == NULL)
		legacy_char(k, s);
	else if (is_c0(k->code))
		legacy_c0(k, m, s);
	else if (info->keypad_letter != 0)
		legacy_keypad(k, m, s);
	else
		legacy_function(k, m, s);
}

/*
 * modifyOtherKeys, following xterm's input.c.  Both functions return the
 * modifiers for the sequence; 0 means that the key sends its legacy bytes.
 */

/* Characters that Ctrl turns into a control by masking. */
static bool
is_masked_by_ctrl(uint32_t cp)
{
	return cp >= '@' && cp <= 0x7f;
}

/*
 * Level 1 keeps the legacy bytes where they suffice: Shift on text keys, Ctrl
 * on characters with a control, Alt alone (an ESC before the key).
 */
static uint8_t
level1_char(uint32_t cp, uint8_t mods)
{
	if (is_masked_by_ctrl(cp))
		return 0;
	if ((mods & KEY_MOD_CTRL) && cp != '?' && control_of(cp) >= 0)
		return mods & KEY_MOD_ALT ? mods : 0;
	if (!(mods & KEY_MOD_CTRL))
		mods &= (uint8_t)~KEY_MOD_SHIFT;
	return mods == KEY_MOD_ALT ? 0 : mods;
}

static uint8_t
level1(const struct key *k, uint8_t mods)
{
	if (k->code == KEY_BACKSPACE)
		return 0;
	if (k->code == KEY_ESCAPE)
		return (mods & KEY_MOD_ALT) && mods != KEY_MOD_ALT ? mods : 0;
	if (!is_c0(k->code))
		return level1_char(key_symbol(k), mods);
	/* Enter and Tab: Alt includes Ctrl, for Emacs. */
	if (mods & KEY_MOD_ALT)
		mods &= (uint8_t) ~(KEY_MOD_ALT | KEY_MOD_CTRL);
	return mods;
}

/*
 * Level 2 keeps the legacy bytes for Shift on text that is not a letter, and
 * for Ctrl on BSpace.
 */
static uint8_t
level2(const struct key *k, uint8_t mods)
{
	uint32_t cp = key_symbol(k);

	if (k->code == KEY_BACKSPACE)
		return mods == KEY_MOD_CTRL ? 0 : mods;
	if (is_c0(k->code) || is_masked_by_ctrl(cp) || cp == ' ')
		return mods;
	return mods == KEY_MOD_SHIFT ? 0 : mods;
}

static uint32_t
other_code(const struct key *k, const struct input_modes *m)
{
	if (k->code == KEY_BACKSPACE)
		return sends_bs(k, m) ? '\b' : 0x7f;
	return is_c0(k->code) ? key_info(k->code)->number : key_symbol(k);
}

/* Append the key in modifyOtherKeys form; false if it has none. */
static bool
other_keys(const struct key *k, const struct input_modes *m, struct seq *s)
{
	uint8_t mods = k->mods & (KEY_MOD_SHIFT | KEY_MOD_ALT | KEY_MOD_CTRL);
	uint32_t code;

	if (m->modify_other_keys == 0 ||
	    (key_info(k->code) != NULL && !is_c0(k->code)))
		return false;
	/* A text of its own that the sequence could not carry. */
	if (k->text[0] != '\0' && !(k->mods & KEY_MOD_COMMAND))
		return false;
	if (has_alt(k))
		mods |= KEY_MOD_ALT;
	if (k->code == KEY_TAB && mods == KEY_MOD_SHIFT)
		return false;
	mods = m->modify_other_keys == 1 ? level1(k, mods) : level2(k, mods);
	code = other_code(k, m);
	if (mods == 0 || code == 0)
		return false;
	if (m->format_other_keys == 1)
		put(s, "\033[%u;%uu", code, mods + 1u);
	else
		put(s, "\033[27;%u;%u~", mods + 1u, code);
	return true;
}

/* Keys that are reported only if all keys are. */
static bool
is_modifier(uint32_t code)
{
	return (code >= KEY_LEFT_SHIFT && code <= KEY_ISO_LEVEL5_SHIFT) ||
	    (code >= KEY_CAPS_LOCK && code <= KEY_NUM_LOCK);
}

/*
 * A character whose number kitty uses for a key.  It is in a private use area
 * and on no keyboard; as bytes it is at least not mistaken for that key.
 */
static bool
is_taken(uint32_t cp)
{
	return cp >= key_info(KEY_CAPS_LOCK)->number &&
	    cp <= key_info(KEY_ISO_LEVEL5_SHIFT)->number;
}

static void
kitty_alternates(const struct key *k, struct seq *s)
{
	struct key shifted = *k;
	uint32_t symbol = 0;

	shifted.mods = KEY_MOD_SHIFT;
	if (k->mods & KEY_MOD_SHIFT)
		symbol = key_symbol(&shifted);
	if (symbol == k->code)
		symbol = k->shifted;
	if (symbol != 0)
		put(s, ":%u", symbol);
	if (k->base != 0)
		put(s, symbol != 0 ? ":%u" : "::%u", k->base);
}

static void
kitty_text(const struct key *k, struct seq *s)
{
	char text[KEY_TEXT_MAX];
	uint32_t chars[KEY_TEXT_MAX];
	size_t n;

	key_text(k, text);
	n = key_text_chars(text, chars);
	for (size_t i = 0; i < n; i++)
		put(s, "%c%u", i == 0 ? ';' : ':', chars[i]);
}

/* CSI code : shifted : base ; modifiers : event ; text u */
static void
kitty_char(const struct key *k, uint8_t flags, struct seq *s)
{
	const struct key_info *info = key_info(k->code);
	uint8_t mods = k->mods;
	struct seq text = { .len = 0 };

	if (!(flags & KITTY_ALL_KEYS) && !(mods & KEY_MOD_COMMAND) &&
	    info == NULL)
		mods &= (uint8_t)~KEY_MOD_LOCKS;
	if ((flags & KITTY_ALL_KEYS) && (flags & KITTY_TEXT) &&
	    k->event != KEY_RELEASE)
		kitty_text(k, &text);
	put(s, "\033[%u", info != NULL ? info->number : k->code);
	if ((flags & KITTY_ALTERNATES) && info == NULL)
		kitty_alternates(k, s);
	if (mods != 0 || k->event != KEY_PRESS)
		put(s, ";%u", mods + 1u);
	else if (text.len > 0)
		put(s, ";");
	if (k->event != KEY_PRESS)
		put(s, ":%u", k->event + 1u);
	put(s, "%.*su", (int)text.len, text.p);
}

/* Keys that kitty sends as plain bytes with any flags, or not at all. */
static bool
kitty_plain(const struct key *k, const struct input_modes *m, struct seq *s)
{
	uint8_t flags = m->kitty_flags;
	bool all = (flags & KITTY_ALL_KEYS) != 0;
	bool release = k->event == KEY_RELEASE;

	if (is_taken(k->code) ||
	    (k->code == KEY_NONE && !(all && (flags & KITTY_TEXT)))) {
		if (!release)
			legacy_char(k, s);
		return true;
	}
	if (all)
		return false;
	/* A user whose program died must still be able to type "reset". */
	if (is_c0(k->code) && k->code != KEY_ESCAPE) {
		if (release)
			return true;
		if (k->mods & (uint8_t)~KEY_MOD_LOCKS)
			return false;
		legacy_c0(k, m, s);
		return true;
	}
	if (key_info(k->code) == NULL && !(k->mods & KEY_MOD_COMMAND) &&
	    !release) {
		legacy_char(k, s);
		return true;
	}
	return is_modifier(k->code);
}

static void
kitty(const struct key *k, const struct input_modes *m, struct seq *s)
{
	const struct key_info *info = key_info(k->code);
	bool escapes = (m->kitty_flags &
			   (KITTY_DISAMBIGUATE | KITTY_ALL_KEYS)) != 0;

	if (kitty_plain(k, m, s))
		return;
	if (!escapes && k->event == KEY_PRESS)
		legacy(k, m, s);
	if (s->len > 0)
		return;
	if (info != NULL && info->final != 'u')
		put_csi(s, info->number, k->mods, k->event, info->final);
	else
		kitty_char(k, m->kitty_flags, s);
}

int
key_encode(const struct key *key, const struct input_modes *m, struct buf *out)
{
	struct key k = *key;
	struct seq s = { .len = 0 };

	key_canonical(&k);
	if (!key_is_valid(&k) && (k.code != KEY_NONE || k.text[0] == '\0'))
		return 0;
	if (k.event == KEY_RELEASE && !(m->kitty_flags & KITTY_EVENTS))
		return 0;
	if (!(m->kitty_flags & KITTY_EVENTS))
		k.event = KEY_PRESS;
	if (m->kitty_flags != 0)
		kitty(&k, m, &s);
	else if (!other_keys(&k, m, &s))
		legacy(&k, m, &s);
	return buf_append(out, s.p, s.len);
}
