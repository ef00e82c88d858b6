#ifndef TEND_VT_KEY_H
#define TEND_VT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define KEY_TEXT_MAX 32 /* bytes of a key's text, with its NUL */
#define KEY_NAME_MAX 64 /* long enough for every name, with its NUL */

/* Bits as xterm and kitty send them (plus one). */
enum key_mods {
	KEY_MOD_SHIFT = 1 << 0,
	KEY_MOD_ALT = 1 << 1,
	KEY_MOD_CTRL = 1 << 2,
	KEY_MOD_SUPER = 1 << 3,
	KEY_MOD_HYPER = 1 << 4,
	KEY_MOD_META = 1 << 5,
	KEY_MOD_CAPS = 1 << 6, /* caps lock is on */
	KEY_MOD_NUM = 1 << 7,  /* num lock is on */
};

#define KEY_MOD_LOCKS (KEY_MOD_CAPS | KEY_MOD_NUM)
/* With any of these held a key types no text. */
#define KEY_MOD_COMMAND \
	(KEY_MOD_ALT | KEY_MOD_CTRL | KEY_MOD_SUPER | KEY_MOD_HYPER | \
	    KEY_MOD_META)

enum key_event { KEY_PRESS, KEY_REPEAT, KEY_RELEASE };

/*
 * Codes of keys that are no character: KEY_UP, KEY_F1, … above the last of
 * Unicode, so that one number holds either.
 */
enum key_code {
	KEY_NONE, /* no key: text that an input method made */
	KEY_BEFORE_FIRST = 0x10ffff,
#define KEY(id, ...) KEY_##id,
#include "vt/key.def"
#undef KEY
	KEY_AFTER_LAST,
};

/*
 * A key that was pressed, held or released.
 *
 * `code` is the key without Shift: `a` also for what types `A`.  A terminal
 * that sends characters only does not tell which key typed `!`; then the
 * character is the code.  The typed text follows from code, Shift and Caps
 * Lock (a letter's case; for the rest, a US keyboard).  `shifted` and `text`
 * are set only where that would be wrong, so that two descriptions of one key
 * are equal: key_canonical sees to it.
 */
struct key {
	uint32_t code;    /* Unicode, or enum key_code */
	uint32_t shifted; /* what it types with Shift, or 0 */
	uint32_t base;    /* the same key of a US keyboard, or 0 */
	uint8_t mods;     /* enum key_mods */
	enum key_event event;
	char text[KEY_TEXT_MAX]; /* UTF-8 that it types, or "" */
};

enum key_ss3 { KEY_SS3_NEVER, KEY_SS3_CURSOR, KEY_SS3_ALWAYS };

/* A line of key.def. */
struct key_info {
	char name[18]; /* no pointer: it would be relocated in each process */
	uint16_t number;
	char final;
	uint16_t legacy_number;
	char legacy_final;
	enum key_ss3 ss3;
	char keypad_letter;
	char keypad_char;
};

/* NULL for a code that is a character or nothing. */
const struct key_info *key_info(uint32_t code);

/*
 * The key that sends CSI number final, and the key of the keypad that sends
 * SS3 letter; KEY_NONE for none.
 */
uint32_t key_find(unsigned number, char final);
uint32_t key_find_keypad(char letter);

/* True if cp is a character that can be typed: no control, no surrogate. */
bool key_is_char(uint32_t cp);

/* True if the code is one of Unicode's or of key.def's. */
bool key_is_valid(const struct key *k);

/* Bring a description into its one form; the impossible in it is dropped. */
void key_canonical(struct key *k);

/* The character that the key types with its Shift and Caps Lock, or 0. */
uint32_t key_symbol(const struct key *k);

/*
 * Write the text that the key types to out, as UTF-8; "" when it types
 * nothing.  Returns the length.
 */
size_t key_text(const struct key *k, char out[KEY_TEXT_MAX]);

/*
 * The characters of a text, at most KEY_TEXT_MAX.  0 when the text is empty,
 * broken, or holds a control character.
 */
size_t key_text_chars(const char *text, uint32_t out[KEY_TEXT_MAX]);

/* True if both are equal in every field. */
bool key_equal(const struct key *a, const struct key *b);

/*
 * True if both mean the same to somebody who bound a key: events and locks do
 * not count, nor whether `!` came as itself or as Shift and 1.
 */
bool key_same(const struct key *a, const struct key *b);

/*
 * Read a key's name:
 *
 *	a A é !		a character is itself
 *	Enter Up F1	a name of key.def or a usual other one (Esc, PageUp,
 *			Del); case does not count
 *	C-c M-x S-Left	tmux's modifiers, in any number and order; ^c is C-c
 *	ctrl+c alt+shift+left super+k
 *
 * A capital is a letter with Shift (A, M-A), but not where Ctrl or a modifier
 * in words stands before it: C-A and Ctrl+A are C-a, and C-S-a says the other.
 * 0, or -EINVAL with a reason in err; *out is then untouched.
 */
int key_parse(const char *name, struct key *out, struct error *err);

/*
 * The key's name in tmux's spelling, or in words where tmux has none
 * (super+k); without event and locks.  key_parse reads it back.  0, -EINVAL
 * for what has no name, -ENOBUFS when size is too small.
 */
int key_name(const struct key *k, char *out, size_t size);

#endif
