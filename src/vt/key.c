#include "vt/key.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/utf8.h"

#define HINT "names look like C-c, M-x, Enter, F1 or ctrl+c"

static const struct key_info infos[] = {
#define KEY(id, ...) { __VA_ARGS__ },
#define NEVER KEY_SS3_NEVER
#define CURSOR KEY_SS3_CURSOR
#define ALWAYS KEY_SS3_ALWAYS
#include "vt/key.def"
#undef KEY
#undef NEVER
#undef CURSOR
#undef ALWAYS
};

/*
 * Capitals and the distance to their small letters, every `step`th code.
 * These are the scripts of common keyboards, so that a letter's key is found
 * without knowing the layout; other letters are taken as they come.
 */
static const struct {
	uint32_t first, last;
	int32_t delta;
	uint32_t step;
} capitals[] = {
	{ 'A', 'Z', 32, 1 },
	{ 0x00c0, 0x00d6, 32, 1 },
	{ 0x00d8, 0x00de, 32, 1 },
	{ 0x0100, 0x012e, 1, 2 },
	{ 0x0132, 0x0136, 1, 2 },
	{ 0x0139, 0x0147, 1, 2 },
	{ 0x014a, 0x0176, 1, 2 },
	{ 0x0178, 0x0178, -121, 1 },
	{ 0x0179, 0x017d, 1, 2 },
	{ 0x0391, 0x03a1, 32, 1 },
	{ 0x03a3, 0x03ab, 32, 1 },
	{ 0x0400, 0x040f, 80, 1 },
	{ 0x0410, 0x042f, 32, 1 },
	{ 0x0531, 0x0556, 48, 1 },
};

/* The keys of a US keyboard that are no letters, plain and shifted. */
static const char us_plain[] = "`1234567890-=[]\\;',./";
static const char us_shifted[] = "~!@#$%^&*()_+{}|:\"<>?";

/* Other common names; the key list has the canonical ones. */
static const struct {
	const char *name;
	uint32_t code;
	uint8_t mods;
} aliases[] = {
	{ "BTab", KEY_TAB, KEY_MOD_SHIFT },
	{ "Space", ' ', 0 },
	{ "Esc", KEY_ESCAPE, 0 },
	{ "Return", KEY_ENTER, 0 },
	{ "Backspace", KEY_BACKSPACE, 0 },
	{ "Insert", KEY_INSERT, 0 },
	{ "Ins", KEY_INSERT, 0 },
	{ "Delete", KEY_DELETE, 0 },
	{ "Del", KEY_DELETE, 0 },
	{ "PageUp", KEY_PAGE_UP, 0 },
	{ "PgUp", KEY_PAGE_UP, 0 },
	{ "PageDown", KEY_PAGE_DOWN, 0 },
	{ "PgDn", KEY_PAGE_DOWN, 0 },
	{ "Plus", '+', 0 },
	{ "Minus", '-', 0 },
};

/*
 * Modifiers before a name.  key_name writes the first of each bit, in this
 * order.
 */
static const struct prefix {
	const char *text;
	uint8_t mod;
	bool words;
} prefixes[] = {
	{ "C-", KEY_MOD_CTRL, false },
	{ "M-", KEY_MOD_ALT, false },
	{ "S-", KEY_MOD_SHIFT, false },
	{ "ctrl+", KEY_MOD_CTRL, true },
	{ "alt+", KEY_MOD_ALT, true },
	{ "shift+", KEY_MOD_SHIFT, true },
	{ "super+", KEY_MOD_SUPER, true },
	{ "hyper+", KEY_MOD_HYPER, true },
	{ "meta+", KEY_MOD_META, true },
	{ "control+", KEY_MOD_CTRL, true },
	{ "option+", KEY_MOD_ALT, true },
	{ "cmd+", KEY_MOD_SUPER, true },
	{ "command+", KEY_MOD_SUPER, true },
	{ "win+", KEY_MOD_SUPER, true },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const struct key_info *
key_info(uint32_t code)
{
	if (code <= KEY_BEFORE_FIRST || code >= KEY_AFTER_LAST)
		return NULL;
	return &infos[code - KEY_BEFORE_FIRST - 1];
}

uint32_t
key_find(unsigned number, char final)
{
	for (size_t i = 0; i < COUNT(infos); i++) {
		const struct key_info *k = &infos[i];

		if ((k->number == number && k->final == final) ||
		    (k->legacy_number == number && k->legacy_final == final))
			return KEY_BEFORE_FIRST + 1 + (uint32_t)i;
	}
	return KEY_NONE;
}

uint32_t
key_find_keypad(char letter)
{
	for (size_t i = 0; i < COUNT(infos); i++)
		if (infos[i].keypad_letter == letter)
			return KEY_BEFORE_FIRST + 1 + (uint32_t)i;
	return KEY_NONE;
}

bool
key_is_char(uint32_t cp)
{
	return cp >= 0x20 && (cp < 0x7f || cp > 0x9f) &&
	    (cp < 0xd800 || cp > 0xdfff) && cp <= 0x10ffff;
}

bool
key_is_valid(const struct key *k)
{
	return key_is_char(k->code) || key_info(k->code) != NULL;
}

/* The small letter of a capital, or 0. */
static uint32_t
lower(uint32_t cp)
{
	for (size_t i = 0; i < COUNT(capitals); i++)
		if (cp >= capitals[i].first && cp <= capitals[i].last &&
		    (cp - capitals[i].first) % capitals[i].step == 0)
			return cp + (uint32_t)capitals[i].delta;
	return 0;
}

/* The capital of a small letter, or 0. */
static uint32_t
upper(uint32_t cp)
{
	for (size_t i = 0; cp != 0 && i < COUNT(capitals); i++) {
		uint32_t capital = cp - (uint32_t)capitals[i].delta;

		if (lower(capital) == cp)
			return capital;
	}
	return 0;
}

static uint32_t
shifted_by_default(uint32_t cp)
{
	const char *at;
	uint32_t capital = upper(cp);

	if (capital != 0)
		return capital;
	if (cp == 0 || cp > 0x7f)
		return 0;
	at = strchr(us_plain, (int)cp);
	return at == NULL ? 0 : (uint8_t)us_shifted[at - us_plain];
}

uint32_t
key_symbol(const struct key *k)
{
	const struct key_info *info = key_info(k->code);
	bool shift = (k->mods & KEY_MOD_SHIFT) != 0;
	uint32_t other;

	if (info != NULL)
		return key_is_char((uint8_t)info->keypad_char) ?
		    (uint8_t)info->keypad_char :
		    0;
	if (!key_is_char(k->code))
		return 0;
	if ((k->mods & KEY_MOD_CAPS) && upper(k->code) != 0)
		shift = !shift;
	if (!shift)
		return k->code;
	other = k->shifted != 0 ? k->shifted : shifted_by_default(k->code);
	return other != 0 ? other : k->code;
}

size_t
key_text_chars(const char *text, uint32_t out[KEY_TEXT_MAX])
{
	struct utf8 u = { 0 };
	size_t n = 0, i;
	uint32_t cp;

	for (i = 0; i < KEY_TEXT_MAX && text[i] != '\0'; i++) {
		switch (utf8_step(&u, (uint8_t)text[i], &cp)) {
		case UTF8_MORE:
			continue;
		case UTF8_DONE:
			if (!key_is_char(cp))
				return 0;
			out[n++] = cp;
			continue;
		case UTF8_BAD:
		case UTF8_BAD_AGAIN:
			return 0;
		}
	}
	return i < KEY_TEXT_MAX && u.need == 0 ? n : 0;
}

size_t
key_text(const struct key *k, char out[KEY_TEXT_MAX])
{
	uint32_t chars[KEY_TEXT_MAX], symbol;
	size_t n = 0;

	if (key_text_chars(k->text, chars) > 0) {
		n = strlen(k->text);
		memcpy(out, k->text, n);
	} else if (!(k->mods & KEY_MOD_COMMAND)) {
		symbol = key_symbol(k);
		if (symbol != 0)
			n = utf8_encode(out, symbol);
	}
	out[n] = '\0';
	return n;
}

/* Drop a text that is empty, redundant, or that no key types. */
static void
settle_text(struct key *k)
{
	uint32_t chars[KEY_TEXT_MAX];
	char told[KEY_TEXT_MAX] = "", usual[KEY_TEXT_MAX];

	if (k->event != KEY_RELEASE && key_info(k->code) == NULL &&
	    key_text_chars(k->text, chars) > 0)
		memcpy(told, k->text, strlen(k->text));
	memset(k->text, 0, sizeof(k->text));
	key_text(k, usual);
	if (strcmp(told, usual) != 0)
		memcpy(k->text, told, sizeof(k->text));
}

void
key_canonical(struct key *k)
{
	if (k->code == KEY_NONE)
		k->mods = 0;
	if (key_is_char(k->code) && lower(k->code) != 0) {
		if (!(k->mods & KEY_MOD_CAPS))
			k->mods |= KEY_MOD_SHIFT;
		k->code = lower(k->code);
	}
	if (!key_is_char(k->code) || !(k->mods & KEY_MOD_SHIFT) ||
	    !key_is_char(k->shifted) ||
	    k->shifted == shifted_by_default(k->code))
		k->shifted = 0;
	if (!key_is_char(k->code) || !key_is_char(k->base) ||
	    k->base == k->code)
		k->base = 0;
	if (k->event != KEY_REPEAT && k->event != KEY_RELEASE)
		k->event = KEY_PRESS;
	settle_text(k);
}

bool
key_equal(const struct key *a, const struct key *b)
{
	return a->code == b->code && a->shifted == b->shifted &&
	    a->base == b->base && a->mods == b->mods && a->event == b->event &&
	    strncmp(a->text, b->text, KEY_TEXT_MAX) == 0;
}

/* A key as it is bound: a shifted character without Shift. */
struct chord {
	uint32_t code;
	uint8_t mods;
};

static struct chord
chord_of(const struct key *k)
{
	struct key plain = *k;
	struct chord c = { k->code, k->mods & (uint8_t)~KEY_MOD_LOCKS };
	uint32_t chars[KEY_TEXT_MAX];

	if (!(c.mods & KEY_MOD_COMMAND) && key_text_chars(k->text, chars) == 1)
		return (struct chord){ chars[0], 0 };
	plain.mods = c.mods;
	if (key_is_char(k->code) && key_symbol(&plain) != k->code) {
		c.code = key_symbol(&plain);
		c.mods &= (uint8_t)~KEY_MOD_SHIFT;
	}
	return c;
}

bool
key_same(const struct key *a, const struct key *b)
{
	struct chord x = chord_of(a), y = chord_of(b);

	return x.code == y.code && x.mods == y.mods;
}

/* The character if s has exactly one, or 0. */
static uint32_t
only_char(const char *s)
{
	struct utf8 u = { 0 };
	uint32_t cp = 0;
	enum utf8_step step = UTF8_MORE;

	while (*s != '\0' && step == UTF8_MORE)
		step = utf8_step(&u, (uint8_t)*s++, &cp);
	return step == UTF8_DONE && *s == '\0' && key_is_char(cp) ? cp : 0;
}

/* Find a key by its name without modifiers. */
static int
find(const char *name, struct key *k)
{
	k->code = only_char(name);
	if (k->code != 0)
		return 0;
	for (size_t i = 0; i < COUNT(aliases); i++)
		if (strcasecmp(name, aliases[i].name) == 0) {
			k->code = aliases[i].code;
			k->mods |= aliases[i].mods;
			return 0;
		}
	for (size_t i = 0; i < COUNT(infos); i++)
		if (strcasecmp(name, infos[i].name) == 0) {
			k->code = KEY_BEFORE_FIRST + 1 + (uint32_t)i;
			return 0;
		}
	return -EINVAL;
}

static const struct prefix *
find_prefix(const char *name)
{
	for (size_t i = 0; i < COUNT(prefixes); i++)
		if (strncasecmp(name, prefixes[i].text,
			strlen(prefixes[i].text)) == 0)
			return &prefixes[i];
	return NULL;
}

/* Remove the modifiers from the front of a name; returns the rest. */
static const char *
take_prefixes(const char *name, uint8_t *mods, bool *words)
{
	const struct prefix *p;

	while ((p = find_prefix(name)) != NULL) {
		*mods |= p->mod;
		*words |= p->words;
		name += strlen(p->text);
	}
	if (name[0] == '^' && name[1] != '\0') {
		*mods |= KEY_MOD_CTRL;
		name++;
	}
	return name;
}

/* A name for a message: short, and without controls. */
static void
quote(const char *name, char *out, size_t size)
{
	size_t n = 0;

	for (; *name != '\0' && n + 8 < size; name++) {
		uint8_t c = (uint8_t)*name;

		if (c < 0x20 || c == 0x7f)
			n += (size_t)snprintf(out + n, size - n, "\\x%02x", c);
		else
			out[n++] = *name;
	}
	snprintf(out + n, size - n, "%s", *name == '\0' ? "" : "...");
}

static int
refuse(struct error *err, const char *name, const char *rest)
{
	char shown[72];

	if (name[0] == '\0')
		return error_set(err, EINVAL, "empty key name; " HINT);
	quote(name, shown, sizeof(shown));
	if (rest[0] == '\0')
		return error_set(err, EINVAL, "no key after \"%s\"; " HINT,
		    shown);
	return error_set(err, EINVAL, "unknown key \"%s\"; " HINT, shown);
}

int
key_parse(const char *name, struct key *out, struct error *err)
{
	struct key k = { 0 };
	bool words = false;
	const char *rest = name;

	if (only_char(name) == 0)
		rest = take_prefixes(name, &k.mods, &words);
	if (find(rest, &k) < 0)
		return refuse(err, name, rest);
	if ((words || (k.mods & KEY_MOD_CTRL)) && lower(k.code) != 0)
		k.code = lower(k.code);
	key_canonical(&k);
	*out = k;
	return 0;
}

/*
 * The name of the key alone.  If the name implies Shift, it is removed from
 * *mods.
 */
static const char *
bare_name(const struct key *k, uint8_t *mods, char out[5])
{
	const struct key_info *info = key_info(k->code);
	uint32_t cp = k->code;

	if (k->code == KEY_TAB && (*mods & KEY_MOD_SHIFT)) {
		*mods &= (uint8_t)~KEY_MOD_SHIFT;
		return "BTab";
	}
	if (info != NULL)
		return info->name;
	if (cp == ' ')
		return "Space";
	if ((*mods & (uint8_t)~KEY_MOD_ALT) == KEY_MOD_SHIFT &&
	    upper(cp) != 0) {
		cp = upper(cp);
		*mods &= (uint8_t)~KEY_MOD_SHIFT;
	}
	out[utf8_encode(out, cp)] = '\0';
	return out;
}

int
key_name(const struct key *key, char *out, size_t size)
{
	struct key k = *key;
	char letter[5], name[KEY_NAME_MAX];
	const char *bare;
	uint8_t mods = k.mods & (uint8_t)~KEY_MOD_LOCKS;
	bool words = (mods & (KEY_MOD_SUPER | KEY_MOD_HYPER | KEY_MOD_META)) !=
	    0;
	size_t n = 0;

	if (!key_is_valid(&k))
		return -EINVAL;
	key_canonical(&k);
	mods |= k.mods & KEY_MOD_SHIFT;
	bare = bare_name(&k, &mods, letter);
	for (size_t i = 0; i < COUNT(prefixes); i++)
		if (prefixes[i].words == words && (mods & prefixes[i].mod)) {
			n += (size_t)snprintf(name + n, sizeof(name) - n, "%s",
			    prefixes[i].text);
			mods &= (uint8_t)~prefixes[i].mod;
		}
	n += (size_t)snprintf(name + n, sizeof(name) - n, "%s", bare);
	if (n >= size)
		return -ENOBUFS;
	memcpy(out, name, n + 1);
	return 0;
}
