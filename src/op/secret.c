#include "op/secret.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define WORDS_MAX 9 /* before the noun */

enum how { WORD, PART, CAPITALS };

/*
 * The tables contain the words themselves: pointers would need relocation and
 * thus memory in each process.
 */
#define WORD_SIZE 40

static const struct {
	char text[WORD_SIZE];
	uint8_t how;
} nouns[] = {
#define NOUN(text, how) { text, how },
#define LINK(text)
#define OTHER(text)
#include "op/secret.def"
#undef NOUN
#undef LINK
};

static const char links[][WORD_SIZE] = {
#define NOUN(text, how)
#define LINK(text) text,
#include "op/secret.def"
#undef LINK
#undef OTHER
};

static const char others[][WORD_SIZE] = {
#define LINK(text)
#define OTHER(text) text,
#include "op/secret.def"
#undef NOUN
#undef LINK
#undef OTHER
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The characters of a line, unchanged and in lower case. */
struct line {
	uint32_t is[SECRET_LINE_MAX], small[SECRET_LINE_MAX];
	size_t end_at[SECRET_LINE_MAX]; /* byte offset after each character */
	size_t len;
};

/* A part of the line: [from, to). */
struct span {
	size_t from, to;
};

/* Lower case for Latin, Greek and Cyrillic, which the table uses. */
static uint32_t
fold(uint32_t c)
{
	static const struct {
		uint32_t from, to, add;
	} ranges[] = { { 'A', 'Z', 32 }, { 0xC0, 0xDE, 32 },
		{ 0x391, 0x3A9, 32 }, { 0x410, 0x42F, 32 },
		{ 0x400, 0x40F, 80 } };

	if (c >= 'a' && c <= 'z')
		return c;
	if (c == '-' || c == '_' || c == 0xA0 || c == 0x202F || c == 0x3000)
		return ' ';
	for (size_t i = 0; i < COUNT(ranges); i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return c + ranges[i].add;
	if ((c >= 0x100 && c <= 0x137) || (c >= 0x14A && c <= 0x177) ||
	    (c >= 0x1E00 && c <= 0x1EFF))
		return c | 1;
	if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E))
		return c % 2 == 1 ? c + 1 : c;
	return c;
}

/* Letters and digits, roughly: all but blanks, signs, arrows and boxes. */
static bool
is_letter(uint32_t c)
{
	if (c < 0x80)
		return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z');
	return c >= 0xC0 && !(c >= 0x2000 && c <= 0x2BFF) &&
	    !(c >= 0x3000 && c <= 0x303F) && !(c >= 0xE000 && c <= 0xF8FF) &&
	    !(c >= 0xFF00 && c <= 0xFF20) && c < 0x1F000;
}

static bool
is_mask(uint32_t c)
{
	return c == '*' || c == 0x2022 || c == 0x25CF || c == 0x2219 ||
	    c == 0x26AB || c == 0x25AA || c == 0x25A0 || c == 0xFF0A;
}

static bool
is_colon(uint32_t c)
{
	return c == ':' || c == 0xFF1A || c == 0xFE55 || c == 0x2236;
}

/* Characters of shell lines, interpreter prompts and code. */
static bool
is_foreign(uint32_t c)
{
	return c == 0xFFFD || (c < 0x80 && strchr("$#%<>=;|\\{}~^", (int)c)) ||
	    (c >= 0x2190 && c <= 0x2BFF) || (c >= 0xE000 && c <= 0xF8FF);
}

/* The last characters of the text. */
static void
read_line(struct line *l, const char *text, size_t len)
{
	struct utf8 u = { 0 };
	size_t from = 0;

	/* A character has at most four bytes; do not begin inside one. */
	if (len > SECRET_LINE_MAX)
		from = len - SECRET_LINE_MAX;
	while (from > 0 && from < len && ((uint8_t)text[from] & 0xC0) == 0x80)
		from++;
	l->len = 0;
	for (size_t i = from; i < len && l->len < SECRET_LINE_MAX; i++) {
		uint32_t c = (uint8_t)text[i];
		enum utf8_step step = UTF8_DONE;

		if (c >= 0x80 || u.need > 0)
			step = utf8_step(&u, (uint8_t)text[i], &c);
		if (step == UTF8_MORE)
			continue;
		i -= step == UTF8_BAD_AGAIN;
		l->is[l->len] = c;
		l->small[l->len] = fold(c);
		l->end_at[l->len++] = i + 1;
	}
}

static size_t
trim(const struct line *l, size_t from, size_t to)
{
	while (to > from && l->small[to - 1] == ' ' && l->is[to - 1] != '_' &&
	    l->is[to - 1] != '-')
		to--;
	return to;
}

/* The end of the line without blanks and stars. */
static size_t
trim_masks(const struct line *l)
{
	size_t to = trim(l, 0, l->len), end = to;

	while (to > 0 && is_mask(l->is[to - 1]))
		to--;
	return to < end ? trim(l, 0, to) : end;
}

/* True if the word is at `at`; its length in *n. */
static bool
stands_at(const struct line *l, size_t at, size_t to, const char *word,
    size_t *n)
{
	struct utf8 u = { 0 };

	for (*n = 0; *word != '\0'; word++) {
		uint32_t c;

		if (utf8_step(&u, (uint8_t)*word, &c) == UTF8_MORE)
			continue;
		if (at + *n >= to || l->small[at + *n] != c)
			return false;
		(*n)++;
	}
	return true;
}

static bool
is_whole(const struct line *l, size_t at, size_t n, const struct span *s)
{
	return (at == s->from || !is_letter(l->is[at - 1])) &&
	    (at + n == s->to || !is_letter(l->is[at + n]));
}

/* True if one of the words is there, as a whole word. */
static bool
has_word(const struct line *l, size_t at, const struct span *s,
    const char (*words)[WORD_SIZE], size_t count)
{
	size_t n;

	for (size_t i = 0; i < count; i++)
		if (stands_at(l, at, s->to, words[i], &n) &&
		    is_whole(l, at, n, s))
			return true;
	return false;
}

/* The prompt begins after a frame's line, or after several blanks. */
static size_t
find_begin(const struct line *l, size_t to)
{
	size_t at = to;

	while (at > 0) {
		uint32_t c = l->is[at - 1];

		if ((c >= 0x2500 && c <= 0x257F) || c == '|')
			break;
		if (at > 1 && l->is[at - 1] == ' ' && l->is[at - 2] == ' ')
			break;
		at--;
	}
	while (at < to && l->is[at] == ' ')
		at++;
	return at;
}

/*
 * Check the words before the noun.  Text before a comma or a bracket does not
 * belong to it: "To go on, enter your password".
 */
static bool
may_precede(const struct line *l, struct span before)
{
	unsigned words = 0;
	bool other = false;

	for (size_t i = before.from; i < before.to; i++) {
		uint32_t c = l->is[i];
		bool begins = is_letter(c) &&
		    (i == before.from || !is_letter(l->is[i - 1]));

		if (is_foreign(c) ||
		    (is_colon(c) && i + 1 < before.to &&
			l->small[i + 1] == ' '))
			return false;
		if (c == ',' || c == ')' || c == ']')
			other = false;
		words += begins;
		if (begins && has_word(l, i, &before, others, COUNT(others)))
			other = true;
	}
	return !other && words <= WORDS_MAX;
}

/* "(yes/no)", "[y/N]": a question that is not about the secret itself. */
static bool
is_choice(const struct line *l, struct span in)
{
	static const char *const answers[] = { "y/", "yes/", "n/", "no/" };
	size_t n;

	for (size_t at = in.from; at < in.to; at++)
		for (size_t i = 0; i < COUNT(answers); i++)
			if (stands_at(l, at, in.to, answers[i], &n) &&
			    (at == in.from || !is_letter(l->is[at - 1])))
				return true;
	return false;
}

static size_t
group_end(const struct line *l, size_t at, size_t to)
{
	uint32_t close = l->is[at] == '(' ? ')' : ']';

	while (at < to && l->is[at] != close)
		at++;
	return at < to ? at + 1 : 0;
}

/* Check the text between the noun and the colon. */
static bool
may_follow(const struct line *l, struct span after)
{
	size_t at = after.from, end;

	if (is_choice(l, after))
		return false;
	for (;;) {
		while (at < after.to && l->small[at] == ' ')
			at++;
		if (at == after.to)
			return true;
		if (l->is[at] != '(' && l->is[at] != '[')
			return has_word(l, at, &after, links, COUNT(links));
		end = group_end(l, at, after.to);
		if (end == 0)
			return false;
		at = end;
	}
}

/* In capitals, or after words such as "your": "GPIO pin" is something else. */
static bool
is_emphatic(const struct line *l, struct span before, size_t at)
{
	static const char mine[][WORD_SIZE] = { "your", "enter", "card", "user",
		"new", "old", "current", "the same" };
	size_t from = trim(l, before.from, before.to);

	if (l->is[at] >= 'A' && l->is[at] <= 'Z' && l->is[at + 1] >= 'A' &&
	    l->is[at + 1] <= 'Z')
		return true;
	if (from == before.from)
		return true; /* the line begins with the noun */
	while (from > before.from && is_letter(l->is[from - 1]))
		from--;
	return has_word(l, from, &before, mine, COUNT(mine));
}

static bool
is_prompt_at(const struct line *l, struct span s, size_t at, size_t n,
    enum how how)
{
	struct span before = { s.from, at }, after = { at + n, s.to };

	if (how == PART)
		return may_precede(l, before) && !is_choice(l, after);
	if (!is_whole(l, at, n, &s) ||
	    (how == CAPITALS && !is_emphatic(l, before, at)))
		return false;
	return may_precede(l, before) && may_follow(l, after);
}

/* A letter, a bracket, or the question mark that some programs put first. */
static bool
may_begin(const struct line *l, struct span s)
{
	uint32_t c = s.from < s.to ? l->is[s.from] : 0;

	return is_letter(c) || c == '(' || c == '[' ||
	    (c == '?' && l->is[s.from + 1] == ' ');
}

static bool
has_noun(const struct line *l, struct span s)
{
	for (size_t at = s.from; at < s.to; at++)
		for (size_t i = 0; i < COUNT(nouns); i++) {
			size_t n;

			if (stands_at(l, at, s.to, nouns[i].text, &n) &&
			    is_prompt_at(l, s, at, n, nouns[i].how))
				return true;
		}
	return false;
}

/* Without a colon it must be an order, or a plain question. */
static bool
is_order(const struct line *l, struct span *s)
{
	static const char *const orders[] = { "enter", "type", "input",
		"provide", "please enter", "what is", "what's" };
	bool asks = s->to > s->from && l->is[s->to - 1] == '?';

	s->to -= asks;
	for (size_t i = 0; i < COUNT(orders); i++) {
		size_t n;

		if (stands_at(l, s->from, s->to, orders[i], &n) &&
		    is_whole(l, s->from, n, s))
			return asks == (orders[i][0] == 'w');
	}
	return false;
}

/* The prompt of fish's read, the same with and without -s. */
static bool
is_fish_read(const struct line *l, struct span s)
{
	size_t n;

	return stands_at(l, s.from, s.to, "read>", &n) && s.from + n == s.to &&
	    s.from == 0;
}

size_t
secret_prompt(const char *text, size_t len)
{
	struct line l;
	struct span s;
	size_t end;

	read_line(&l, text, len);
	end = trim_masks(&l);
	if (end == 0)
		return 0;
	s = (struct span){ find_begin(&l, end), end };
	if (is_fish_read(&l, s))
		return l.end_at[end - 1];
	if (is_colon(l.is[end - 1]))
		s.to = trim(&l, s.from, end - 1);
	else if (!is_order(&l, &s))
		return 0;
	return may_begin(&l, s) && has_noun(&l, s) ? l.end_at[end - 1] : 0;
}

size_t
secret_trim(const char *text, size_t len)
{
	struct line l;
	size_t end;

	read_line(&l, text, len);
	end = trim_masks(&l);
	return end > 0 ? l.end_at[end - 1] : 0;
}
