#include "client/needle.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Capitals of two bytes in UTF-8, and the distance to their small letters. */
static const struct {
	uint16_t from, to;
	uint8_t add;
} capitals[] = {
	{ 0xc0, 0xd6, 0x20 },   /* À to Ö */
	{ 0xd8, 0xde, 0x20 },   /* Ø to Þ */
	{ 0x391, 0x3a9, 0x20 }, /* Α to Ω */
	{ 0x400, 0x40f, 0x50 }, /* Ѐ to Џ */
	{ 0x410, 0x42f, 0x20 }, /* А to Я */
};

static unsigned
small_letter(unsigned cp)
{
	for (size_t i = 0; i < sizeof(capitals) / sizeof(capitals[0]); i++)
		if (cp >= capitals[i].from && cp <= capitals[i].to)
			return cp + capitals[i].add;
	return cp;
}

static void
fold(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		uint8_t c = (uint8_t)text[i];

		if (c >= 'A' && c <= 'Z') {
			text[i] = (char)(c + 'a' - 'A');
		} else if (c >= 0xc3 && c <= 0xd0 && i + 1 < len) {
			unsigned cp = small_letter(
			    (c & 0x1fu) << 6 | ((uint8_t)text[i + 1] & 0x3fu));

			text[i] = (char)(0xc0 | cp >> 6);
			text[++i] = (char)(0x80 | (cp & 0x3f));
		}
	}
}

void
needle_set(struct needle *n, const char *text)
{
	char folded[NEEDLE_MAX];

	snprintf(n->text, sizeof(n->text), "%s", text);
	n->len = strlen(n->text);
	memcpy(folded, n->text, n->len + 1);
	fold(folded, n->len);
	n->exact = strcmp(folded, n->text) != 0;
}

void
needle_fold(const struct needle *n, char *text, size_t len)
{
	if (!n->exact)
		fold(text, len);
}

size_t
needle_find(const struct needle *n, const char *text, size_t len, size_t from)
{
	const char *p = NULL;

	if (n->len > 0 && from < len)
		p = memmem(text + from, len - from, n->text, n->len);
	return p != NULL ? (size_t)(p - text) : NEEDLE_NONE;
}

size_t
needle_find_last(const struct needle *n, const char *text, size_t len,
    size_t to)
{
	size_t last = NEEDLE_NONE, at = needle_find(n, text, len, 0);

	while (at != NEEDLE_NONE && at < to) {
		last = at;
		at = needle_find(n, text, len, at + 1);
	}
	return last;
}
