#include "client/entry.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "vt/key.h"
#include "vt/uni.h"

/* The size of the last characters, of which one takes columns. */
static size_t
last_character(const char *text, size_t len)
{
	size_t n = 0;
	uint32_t cp = 0;

	do {
		struct utf8 u = { 0 };

		do
			n++;
		while (n < len && ((uint8_t)text[len - n] & 0xc0) == 0x80);
		for (size_t i = len - n; i < len; i++)
			if (utf8_step(&u, (uint8_t)text[i], &cp) == UTF8_DONE)
				break;
	} while (n < len && uni_width(cp) == 0);
	return n < len ? n : len;
}

static void
cut(struct entry *e, size_t n)
{
	e->len -= n;
	e->text[e->len] = '\0';
}

static void
append(struct entry *e, const char *text, size_t len)
{
	if (e->len + len >= ENTRY_MAX)
		return;
	memcpy(e->text + e->len, text, len);
	e->len += len;
	e->text[e->len] = '\0';
}

void
entry_begin(struct entry *e, const char *label, const char *text)
{
	size_t len = strlen(text);

	*e = (struct entry){ 0 };
	snprintf(e->label, sizeof(e->label), "%s", label);
	append(e, text, len < ENTRY_MAX ? len : 0);
}

void
entry_begin_yes_no(struct entry *e, const char *question)
{
	entry_begin(e, question, "");
	e->yes_no = true;
}

static void
cut_word(struct entry *e)
{
	while (e->len > 0 && e->text[e->len - 1] == ' ')
		cut(e, 1);
	while (e->len > 0 && e->text[e->len - 1] != ' ')
		cut(e, 1);
}

enum entry_state
entry_key(struct entry *e, const struct key *k)
{
	static const struct key kill_line = { .code = 'u',
		.mods = KEY_MOD_CTRL };
	static const struct key kill_word = { .code = 'w',
		.mods = KEY_MOD_CTRL };
	static const struct key stop = { .code = 'c', .mods = KEY_MOD_CTRL };
	char text[KEY_TEXT_MAX];
	size_t len;

	if (e->yes_no)
		return key_symbol(k) == 'y' && !(k->mods & KEY_MOD_COMMAND) ?
		    ENTRY_ACCEPTED :
		    ENTRY_CANCELLED;
	if (k->code == KEY_ENTER)
		return ENTRY_ACCEPTED;
	if (k->code == KEY_ESCAPE || key_same(k, &stop))
		return ENTRY_CANCELLED;
	if (k->code == KEY_BACKSPACE && e->len > 0) {
		cut(e, last_character(e->text, e->len));
	} else if (key_same(k, &kill_line)) {
		cut(e, e->len);
	} else if (key_same(k, &kill_word)) {
		cut_word(e);
	} else if (!(k->mods & KEY_MOD_COMMAND)) {
		len = key_text(k, text);
		if (len > 0 && (uint8_t)text[0] >= ' ')
			append(e, text, len);
	}
	return ENTRY_OPEN;
}

static unsigned
columns(const char *text)
{
	struct utf8 u = { 0 };
	unsigned cols = 0;
	uint32_t cp;

	for (; *text != '\0'; text++)
		if (utf8_step(&u, (uint8_t)*text, &cp) != UTF8_MORE)
			cols += uni_width(cp);
	return cols;
}

unsigned
entry_draw(const struct entry *e, unsigned cols, char out[ENTRY_LINE_MAX])
{
	const char *text = e->text;
	unsigned label = columns(e->label) + 1;

	while (*text != '\0' && label + columns(text) >= cols)
		do
			text++;
		while (((uint8_t)*text & 0xc0) == 0x80);
	snprintf(out, ENTRY_LINE_MAX, " %s%s", e->label, text);
	return label + columns(text);
}
