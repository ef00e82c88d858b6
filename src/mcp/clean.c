#include "mcp/clean.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/utf8.h"

static const char *const names[CLEAN_WHYS] = {
	[CLEAN_CONTROL] = "control",
	[CLEAN_BIDI] = "bidi",
	[CLEAN_ZERO_WIDTH] = "zero-width",
	[CLEAN_TAG] = "tag",
	[CLEAN_VARIATION] = "variation",
};

const char *
clean_why_name(enum clean_why why)
{
	return names[why];
}

/*
 * Characters that are always invisible (Unicode 15: Default_Ignorable and
 * others without a glyph), sorted.
 */
static const struct {
	uint32_t first, last;
	enum clean_why why;
} unseen[] = {
	{ 0x0000, 0x0008, CLEAN_CONTROL },
	{ 0x000B, 0x001F, CLEAN_CONTROL },
	{ 0x007F, 0x009F, CLEAN_CONTROL },
	{ 0x00AD, 0x00AD, CLEAN_ZERO_WIDTH }, /* soft hyphen */
	{ 0x034F, 0x034F, CLEAN_ZERO_WIDTH }, /* grapheme joiner */
	{ 0x061C, 0x061C, CLEAN_BIDI },
	{ 0x115F, 0x1160, CLEAN_ZERO_WIDTH }, /* Hangul fillers */
	{ 0x17B4, 0x17B5, CLEAN_ZERO_WIDTH }, /* Khmer vowels */
	{ 0x180B, 0x180F, CLEAN_ZERO_WIDTH }, /* Mongolian */
	{ 0x200B, 0x200B, CLEAN_ZERO_WIDTH },
	{ 0x200E, 0x200F, CLEAN_BIDI },
	{ 0x2028, 0x2029, CLEAN_CONTROL }, /* line, paragraph */
	{ 0x202A, 0x202E, CLEAN_BIDI },
	{ 0x2060, 0x2065, CLEAN_ZERO_WIDTH },
	{ 0x2066, 0x2069, CLEAN_BIDI },
	{ 0x206A, 0x206F, CLEAN_ZERO_WIDTH },
	{ 0x3164, 0x3164, CLEAN_ZERO_WIDTH },
	{ 0xFEFF, 0xFEFF, CLEAN_ZERO_WIDTH },
	{ 0xFFA0, 0xFFA0, CLEAN_ZERO_WIDTH },
	{ 0xFFF0, 0xFFFB, CLEAN_ZERO_WIDTH },
	{ 0x1BCA0, 0x1BCA3, CLEAN_ZERO_WIDTH }, /* shorthand */
	{ 0x1D173, 0x1D17A, CLEAN_ZERO_WIDTH }, /* music */
	{ 0xE0000, 0xE00FF, CLEAN_TAG },
	{ 0xE0100, 0xE01EF, CLEAN_VARIATION },
	{ 0xE01F0, 0xE0FFF, CLEAN_TAG },
};

#define UNSEEN (sizeof(unseen) / sizeof(*unseen))

static bool
is_joiner(uint32_t cp)
{
	return cp == 0x200C || cp == 0x200D;
}

static bool
is_selector(uint32_t cp)
{
	return cp >= 0xFE00 && cp <= 0xFE0F;
}

/*
 * Characters that joiners join: Arabic, Indic and similar scripts, and emoji.
 */
static bool
is_joinable(uint32_t cp)
{
	return (cp >= 0x0600 && cp <= 0x1CFF) ||
	    (cp >= 0x2190 && cp <= 0x2BFF) ||
	    (cp >= 0x1F000 && cp <= 0x1FFFF) || cp == 0xFE0F;
}

/* Characters that selectors vary: symbols, emoji, ideographs. */
static bool
is_variable(uint32_t cp)
{
	return cp == 0xA9 || cp == 0xAE || (cp >= 0x1000 && cp <= 0x109F) ||
	    (cp >= 0x1800 && cp <= 0x18AF) || (cp >= 0x203C && cp <= 0x2BFF) ||
	    (cp >= 0x3000 && cp <= 0x9FFF) || (cp >= 0x1F000 && cp <= 0x3FFFF);
}

/* Keycaps begin with one of these and a selector. */
static bool
is_keycap(uint32_t cp)
{
	return (cp >= '0' && cp <= '9') || cp == '#' || cp == '*';
}

static bool
is_listed(uint32_t cp, enum clean_why *why)
{
	for (size_t i = 0; i < UNSEEN && unseen[i].first <= cp; i++) {
		if (cp <= unseen[i].last) {
			*why = unseen[i].why;
			return true;
		}
	}
	return false;
}

/* Returns the reason in *why; false for a visible character. */
static bool
is_unseen(uint32_t before, uint32_t cp, uint32_t after, enum clean_why *why)
{
	if (is_joiner(cp)) {
		bool joins = is_joinable(before) && is_joinable(after) &&
		    !is_selector(after) && !is_listed(after, why);

		*why = CLEAN_ZERO_WIDTH;
		return !joins;
	}
	if (is_selector(cp)) {
		*why = CLEAN_VARIATION;
		return !is_variable(before) && !is_keycap(before);
	}
	return is_listed(cp, why);
}

#define WRITTEN_OUT '}' /* the end of an escaped character */

/* Walks through a text one character late, since the next one matters. */
struct walk {
	struct buf *out;
	struct clean_found *found;
	uint32_t before; /* the last one written; 0 at the beginning */
	uint32_t at;     /* the current one, if any */
	bool has;
	size_t line;
};

static void
write_one(struct walk *w, uint32_t after)
{
	enum clean_why why;
	char utf8[4];

	if (!is_unseen(w->before, w->at, after, &why)) {
		buf_append(w->out, utf8, utf8_encode(utf8, w->at));
		w->before = w->at;
		w->line += w->at == '\n';
		return;
	}
	buf_printf(w->out, "\\u{%x}", (unsigned)w->at);
	w->before = WRITTEN_OUT;
	if (w->found->n[why]++ == 0)
		w->found->line[why] = w->line;
}

static void
step(struct walk *w, uint32_t cp)
{
	if (w->has)
		write_one(w, cp);
	w->at = cp;
	w->has = true;
}

void
clean_text(const char *p, size_t len, struct buf *out,
    struct clean_found *found)
{
	struct walk w = { .out = out, .found = found };
	struct utf8 u = { 0 };
	uint32_t cp;

	for (size_t i = 0; i < len; i++) {
		enum utf8_step what = utf8_step(&u, (uint8_t)p[i], &cp);

		if (what != UTF8_MORE)
			step(&w, cp);
		if (what == UTF8_BAD_AGAIN)
			i--;
	}
	if (u.need > 0)
		step(&w, UTF8_REPLACEMENT);
	if (w.has)
		write_one(&w, 0);
}
