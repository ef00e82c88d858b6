#include "op/question.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "vt/vt.h"

#define TEXT_MAX 512    /* bytes of a line that are examined */
#define OPTION_SPAN 12  /* most rows from one option to the next */
#define BELOW_MAX 2     /* other lines below the options */
#define BELOW_HINTED 4  /* the same if they contain a hint */
#define HINT_LINES 3    /* the last lines, which may contain hints */
#define BUTTON_LINES 8  /* the last lines, which may contain buttons */
#define ABOVE_LINES 3   /* lines above the options that may ask */
#define YES_NO_WORDS 10 /* most words that a question offers */
#define YES_NO_LEN 16   /* bytes of such a word */
#define OWN_MIN 4       /* bytes that identify a row of our own text */
#define BUTTON_LEN 24
#define PAGE_LINES 4 /* of a page that a key closes */

enum marker { MARKER_NONE, MARKER_POINTER, MARKER_ON, MARKER_OFF };

enum line_kind {
	LINE_BLANK,
	LINE_RULE, /* only frame characters */
	LINE_TEXT,
	LINE_INPUT, /* a line of input */
};

/* A row without its frame. */
struct line {
	enum line_kind kind;
	unsigned y;
	unsigned col, end; /* columns of the text: [col, end) */
	bool inverse;      /* the whole text */
	char text[TEXT_MAX];
	size_t len;

	enum marker marker;
	const char *label; /* the text after the marker, or all of it */
	unsigned label_col;
	int number; /* at the start of the label; -1: none */
};

struct screen {
	struct vt_cursor cursor;
	struct line *lines;
	int n;     /* the last line has text */
	int floor; /* ignore lines up to this one; -1: none */
};

/* ------------------------------------------------------------------- words */

static const char *const yes_words[] = {
#define YES(word) word,
#include "op/question.def"
};

static const char *const no_words[] = {
#define NO(word) word,
#include "op/question.def"
};

static const char *const verbs[] = {
#define VERB(word) word,
#include "op/question.def"
};

static const char *const arrows[] = {
#define ARROWS(text) text,
#include "op/question.def"
};

static const char *const buttons[] = {
#define BUTTON(word) word,
#include "op/question.def"
};

static const struct {
	const char *word;
	bool strong;
} keys[] = {
#define KEY(word, strong) { word, strong },
#include "op/question.def"
};

static const struct {
	const char *text;
	enum marker marker;
} markers[] = {
#define POINTER(text) { text, MARKER_POINTER },
#define RADIO(text, on) { text, (on) ? MARKER_ON : MARKER_OFF },
#include "op/question.def"
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static bool
is_word_end(char c)
{
	return !isalnum((unsigned char)c) && !((uint8_t)c & 0x80) && c != '_';
}

static bool
begins_with(const char *p, const char *word)
{
	return strncasecmp(p, word, strlen(word)) == 0;
}

/* The word at p, up to a word boundary: its length, or 0. */
static size_t
word_at(const char *p, const char *const words[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(words[i]);

		if (begins_with(p, words[i]) && is_word_end(p[len]))
			return len;
	}
	return 0;
}

static bool
is_one_of(const char *word, const char *const words[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(word, words[i]) == 0)
			return true;
	return false;
}

static const char *
skip_blanks(const char *p)
{
	return p + strspn(p, " ");
}

/* ----------------------------------------------------------------- reading */

/* Box drawing and block elements, which frames consist of. */
static bool
is_frame(uint32_t ch)
{
	return ch >= 0x2500 && ch <= 0x259f;
}

static bool
is_blank(const struct cell *c)
{
	return c->ch == 0 || c->ch == ' ' || c->ch == 0xa0;
}

static bool
is_border(const struct cell *c)
{
	return is_blank(c) || is_frame(c->ch) || c->ch == '|';
}

/* The text between the borders: [*from, *to). */
static void
strip(const struct vt_row *row, unsigned *from, unsigned *to)
{
	*from = 0;
	*to = row->used;
	while (*from < *to && is_border(&row->cells[*from]))
		(*from)++;
	while (*to > *from && is_border(&row->cells[*to - 1]))
		(*to)--;
}

/* A rule of ASCII characters, as in some frames. */
static bool
is_ascii_rule(const char *text)
{
	return strlen(text) >= 4 && text[strspn(text, "-=_+~ ")] == '\0';
}

static enum line_kind
kind_of(const struct vt_row *row, const struct line *l)
{
	if (l->len > 0)
		return is_ascii_rule(l->text) ? LINE_RULE : LINE_TEXT;
	for (unsigned x = 0; x < row->used; x++)
		if (!is_blank(&row->cells[x]))
			return LINE_RULE;
	return LINE_BLANK;
}

static void
put_cell(struct line *l, const struct vt_row *row, unsigned x)
{
	char text[VT_TEXT_MAX];
	size_t len;

	if (cell_kind(&row->cells[x]) == CELL_TAIL)
		return;
	len = is_blank(&row->cells[x]) ? 0 : vt_cell_text(row, x, text);
	if (len == 0) {
		text[0] = ' ';
		len = 1;
	}
	if (l->len + len >= TEXT_MAX)
		return;
	memcpy(l->text + l->len, text, len);
	l->len += len;
	l->text[l->len] = '\0';
}

static void
read_line(struct line *l, const struct vt *vt, unsigned y)
{
	struct vt_row row;

	vt_screen_row(vt, y, &row);
	*l = (struct line){ .y = y, .inverse = true };
	strip(&row, &l->col, &l->end);
	for (unsigned x = l->col; x < l->end; x++) {
		put_cell(l, &row, x);
		l->inverse &= is_blank(&row.cells[x]) ||
		    (row.cells[x].attr & ATTR_INVERSE);
	}
	l->kind = kind_of(&row, l);
	l->inverse &= l->kind == LINE_TEXT;
}

/* "1. ", "2) " or "(3) ": the number, or -1. */
static int
number_of(const char *label)
{
	const char *p = label + (*label == '(' || *label == '[');
	uint64_t number;

	if (!number_take(&p, 99, &number) || *p == '\0' ||
	    strchr(".):]", *p) == NULL || p[1] != ' ')
		return -1;
	return (int)number;
}

/* A marker has one column, or three with its brackets. */
static unsigned
marker_width(const char *text)
{
	return *text == '(' ? 3 : 1;
}

static void
take_marker(struct line *l, const char *text, enum marker marker)
{
	size_t len = strlen(text), blanks = strspn(l->text + len, " ");

	l->marker = marker;
	l->label = l->text + len + blanks;
	l->label_col = l->col + marker_width(text) + (unsigned)blanks;
	if (marker == MARKER_POINTER && *l->label == '\0')
		l->kind = LINE_INPUT;
}

static void
find_marker(struct line *l)
{
	l->marker = MARKER_NONE;
	l->label = l->text;
	l->label_col = l->col;
	for (size_t i = 0; i < COUNT(markers); i++) {
		size_t len = strlen(markers[i].text);

		if (strncmp(l->text, markers[i].text, len) != 0 ||
		    (l->text[len] != ' ' && l->text[len] != '\0'))
			continue;
		take_marker(l, markers[i].text, markers[i].marker);
		break;
	}
	l->number = number_of(l->label);
}

/* The last line of the typed text. */
static const char *
last_line(const char *own)
{
	const char *end = strrchr(own, '\n');

	return end != NULL ? end + 1 : own;
}

/*
 * Our own text is not a question: cut it off after its prompt, or recognise the
 * row by it.
 */
static void
cut_own(struct line *l, const char *own)
{
	const char *tail = last_line(own);
	size_t len = strlen(tail);

	if (l->kind != LINE_TEXT)
		return;
	if (len > 0 && l->len >= len &&
	    strcmp(l->text + l->len - len, tail) == 0) {
		l->len -= len;
		while (l->len > 0 && l->text[l->len - 1] == ' ')
			l->len--;
		l->text[l->len] = '\0';
		if (l->len == 0)
			l->kind = LINE_INPUT;
	} else if (strlen(l->label) >= OWN_MIN &&
	    strstr(own, l->label) != NULL) {
		l->kind = LINE_INPUT;
	}
}

static void
read_screen(struct screen *s, const struct vt *vt, const char *own)
{
	unsigned rows = vt_rows(vt), last = rows, first;

	vt_cursor(vt, &s->cursor);
	s->lines = xcalloc(QUESTION_ROWS, sizeof(*s->lines));
	s->n = 0;
	s->floor = -1;
	do {
		if (last == 0)
			return;
		read_line(&s->lines[0], vt, --last);
	} while (s->lines[0].kind != LINE_TEXT);
	first = last + 1 > QUESTION_ROWS ? last + 1 - QUESTION_ROWS : 0;
	for (unsigned y = first; y <= last; y++) {
		struct line *l = &s->lines[s->n++];

		read_line(l, vt, y);
		find_marker(l);
		if (own != NULL) {
			cut_own(l, own);
			if (l->kind == LINE_TEXT)
				find_marker(l);
		}
	}
}

/* ------------------------------------------------------------------- hints */

/* True if the text before a key may precede a hint. */
static bool
begins_hint(const char *text, const char *p)
{
	static const char *const before[] = { "press ", "hit ", "type ", "or ",
		"and ", "the ", "use ", "press <", "press [", "type <", "  " };

	if (p == text || strchr("(,;|[<", p[-1]) != NULL)
		return true;
	for (size_t i = 0; i < COUNT(before); i++) {
		size_t len = strlen(before[i]);

		if ((size_t)(p - text) >= len &&
		    begins_with(p - len, before[i]))
			return true;
	}
	/* A middle dot, or another character that is no letter. */
	return p - text >= 2 && p[-1] == ' ' &&
	    (((uint8_t)p[-2] & 0x80) || strchr(",;|/", p[-2]) != NULL);
}

static bool
is_pressed(const char *text, const char *p)
{
	static const char *const press[] = { "press ", "hit ", "press <",
		"press [", "press the " };

	for (size_t i = 0; i < COUNT(press); i++) {
		size_t len = strlen(press[i]);

		if ((size_t)(p - text) >= len && begins_with(p - len, press[i]))
			return true;
	}
	return false;
}

/* "Press ENTER or type command to continue". */
static bool
leads_to_verb(const char *p)
{
	while ((p = strcasestr(p, " to ")) != NULL) {
		p += 4;
		if (word_at(p, verbs, COUNT(verbs)) > 0)
			return true;
	}
	return false;
}

/* The text after the name of a key: "> to continue", ": select", " confirm". */
static bool
does_verb(const char *p)
{
	p += strspn(p, ">])");
	p = skip_blanks(p);
	p += strspn(p, ":=-");
	p = skip_blanks(p);
	if (begins_with(p, "key "))
		p = skip_blanks(p + 4);
	if (begins_with(p, "to "))
		p = skip_blanks(p + 3);
	return word_at(p, verbs, COUNT(verbs)) > 0;
}

static bool
has_key_hint(const char *text, bool strong)
{
	for (const char *p = text; *p != '\0'; p++) {
		for (size_t i = 0; i < COUNT(keys); i++) {
			const char *end = p + strlen(keys[i].word);

			if (keys[i].strong != strong ||
			    !begins_with(p, keys[i].word) ||
			    !is_word_end(*end) || !begins_hint(text, p))
				continue;
			if (does_verb(end) ||
			    (is_pressed(text, p) && leads_to_verb(end)))
				return true;
		}
	}
	return false;
}

static bool
is_strong_hint(const struct line *l)
{
	return l->kind == LINE_TEXT && has_key_hint(l->text, true);
}

static bool
is_hint(const struct line *l)
{
	if (l->kind != LINE_TEXT)
		return false;
	for (size_t i = 0; i < COUNT(arrows); i++)
		if (strcasestr(l->text, arrows[i]) != NULL)
			return true;
	return has_key_hint(l->text, true) || has_key_hint(l->text, false);
}

/* ------------------------------------------------------------------ places */

/* The cursor follows some text below line i: that is a later prompt. */
static bool
is_over(const struct screen *s, int i)
{
	unsigned y = s->cursor.row;

	if (!s->cursor.visible || y <= s->lines[i].y)
		return false;
	for (int j = i + 1; j < s->n; j++) {
		const struct line *l = &s->lines[j];

		if (l->y == y)
			return l->kind == LINE_INPUT ||
			    (l->kind == LINE_TEXT && s->cursor.col >= l->end &&
				!is_hint(l));
	}
	return false;
}

/* The number of text lines after line i; -1 if one is an input. */
static int
lines_below(const struct screen *s, int i)
{
	int n = 0;

	for (int j = i + 1; j < s->n; j++) {
		if (s->lines[j].kind == LINE_INPUT)
			return -1;
		n += s->lines[j].kind == LINE_TEXT;
	}
	return n;
}

static bool
has_hint_below(const struct screen *s, int i)
{
	for (int j = i + 1; j < s->n; j++)
		if (is_hint(&s->lines[j]))
			return true;
	return false;
}

/* True if a list that ends in line `end` is at the bottom of the screen. */
static bool
is_at_bottom(const struct screen *s, int end)
{
	int other = 0;

	if (lines_below(s, end) < 0 || is_over(s, end))
		return false;
	for (int j = end + 1; j < s->n; j++)
		other += s->lines[j].kind == LINE_TEXT &&
		    !is_hint(&s->lines[j]);
	return other <= (has_hint_below(s, end) ? BELOW_HINTED : BELOW_MAX);
}

/* ------------------------------------------------------------------- lists */

/* The next numbered option in a direction; -1: none. */
static int
next_numbered(const struct screen *s, int at, int step)
{
	const struct line *from = &s->lines[at];
	int left = OPTION_SPAN;

	for (int j = at + step; j >= 0 && j < s->n && left-- > 0; j += step) {
		const struct line *l = &s->lines[j];

		if (l->kind == LINE_BLANK || l->kind == LINE_RULE)
			continue;
		if (l->kind == LINE_INPUT)
			return -1;
		if (l->number == from->number + step &&
		    l->label_col == from->label_col)
			return j;
		if (l->label_col <= from->label_col)
			return -1;
	}
	return -1;
}

/* Only one option has a pointer before it. */
static bool
is_unmarked(const struct line *l)
{
	return l->marker == MARKER_NONE || l->marker == MARKER_OFF;
}

static bool
is_numbered_choice(const struct screen *s, int at)
{
	int end = at, below = at, above;

	if (s->lines[at].number < 0)
		return false;
	above = next_numbered(s, at, -1);
	while ((below = next_numbered(s, below, 1)) >= 0) {
		if (!is_unmarked(&s->lines[below]))
			return false;
		end = below;
	}
	if (above >= 0 && !is_unmarked(&s->lines[above]))
		return false;
	return (end > at || above >= 0) && is_at_bottom(s, end);
}

/* True if line j is an option in the list of the marked line. */
static bool
is_sibling(const struct screen *s, int marked, int j)
{
	const struct line *m = &s->lines[marked], *l;

	if (j < 0 || j >= s->n)
		return false;
	l = &s->lines[j];
	if (l->kind != LINE_TEXT || !is_unmarked(l))
		return false;
	if (l->marker == MARKER_OFF)
		return l->col == m->col;
	return l->col == m->label_col;
}

static bool
is_off(const struct screen *s, int j)
{
	return j >= 0 && j < s->n && s->lines[j].kind == LINE_TEXT &&
	    s->lines[j].marker == MARKER_OFF;
}

static bool
asks(const struct line *l)
{
	return l->kind == LINE_TEXT && l->len > 1 &&
	    (l->text[l->len - 1] == '?' || begins_with(l->text, "? "));
}

/* A list is a question if the line above asks, or if there is a hint. */
static bool
is_asked(const struct screen *s, int first, int end)
{
	int left = ABOVE_LINES;

	if (has_hint_below(s, end))
		return true;
	for (int j = first - 1; j >= 0 && left > 0; j--) {
		if (asks(&s->lines[j]) || is_hint(&s->lines[j]))
			return true;
		left -= s->lines[j].kind == LINE_TEXT;
	}
	return false;
}

/* The cursor is after the mark: a prompt, not an option. */
static bool
is_edited(const struct screen *s, const struct line *l)
{
	return s->cursor.visible && s->cursor.row == l->y &&
	    s->cursor.col >= l->end;
}

static bool
is_plain_choice(const struct screen *s, int at)
{
	int first = at, end = at;
	bool radio;

	while (is_sibling(s, at, first - 1))
		first--;
	while (is_sibling(s, at, end + 1))
		end++;
	if (first == end || is_edited(s, &s->lines[at]))
		return false;
	/* Adjacent lines with the mark are bullets or earlier input. */
	if ((first > 0 && s->lines[first - 1].marker == MARKER_POINTER) ||
	    (end + 1 < s->n && s->lines[end + 1].marker == MARKER_POINTER))
		return false;
	radio = s->lines[at].marker == MARKER_ON &&
	    (is_off(s, at - 1) || is_off(s, at + 1));
	return (radio || is_asked(s, first, end)) && is_at_bottom(s, end);
}

/* "● Yes / ○ No", in one row. */
static bool
is_row_of_radios(const struct screen *s, int at)
{
	const struct line *l = &s->lines[at];

	if (l->marker != MARKER_ON && l->marker != MARKER_OFF)
		return false;
	for (size_t i = 0; i < COUNT(markers); i++)
		if (markers[i].marker != MARKER_POINTER &&
		    markers[i].marker != l->marker &&
		    strstr(l->label, markers[i].text) != NULL)
			return is_at_bottom(s, at);
	return false;
}

static bool
is_choice(const struct screen *s, int at)
{
	return is_numbered_choice(s, at) || is_plain_choice(s, at) ||
	    is_row_of_radios(s, at);
}

/*
 * Reverse video instead of a marker: one of several rows with the same
 * indentation.
 */
static bool
is_inverse_choice(const struct screen *s, int at)
{
	const struct line *l = &s->lines[at];
	int first = at, end = at;

	if (!l->inverse || (s->cursor.visible && s->cursor.row != l->y))
		return false;
	while (first > 0 && s->lines[first - 1].kind == LINE_TEXT &&
	    s->lines[first - 1].col == l->col && !s->lines[first - 1].inverse)
		first--;
	while (end + 1 < s->n && s->lines[end + 1].kind == LINE_TEXT &&
	    s->lines[end + 1].col == l->col && !s->lines[end + 1].inverse)
		end++;
	return first < end && is_asked(s, first, end) && is_at_bottom(s, end);
}

/* The lowest mark decides; if it is not a choice, it is an input. */
static bool
has_choice(struct screen *s)
{
	for (int i = s->n - 1; i >= 0; i--) {
		const struct line *l = &s->lines[i];

		if (l->kind == LINE_INPUT) {
			s->floor = i;
			return false;
		}
		if (l->kind != LINE_TEXT)
			continue;
		if (is_inverse_choice(s, i))
			return true;
		if (l->marker == MARKER_NONE || l->marker == MARKER_OFF)
			continue;
		if (is_choice(s, i))
			return true;
		if (l->marker == MARKER_POINTER) {
			s->floor = i;
			return false;
		}
	}
	return false;
}

/* ------------------------------------------------------------------ yes/no */

/* The next offered word, without decoration; NULL: no more. */
static const char *
next_offer(const char *p, const char *end, char word[YES_NO_LEN + 1])
{
	size_t n = 0;

	while (p < end && strchr("/,;| ", *p) != NULL)
		p++;
	if (p == end)
		return NULL;
	for (; p < end && strchr("/,;| ", *p) == NULL; p++) {
		if (strchr("()[]<>{}*'\"`_.:", *p) != NULL)
			continue;
		if (n < YES_NO_LEN)
			word[n++] = *p;
	}
	word[n] = '\0';
	return p;
}

static bool
offers_both(const char *p, const char *end)
{
	char word[YES_NO_LEN + 1];
	bool yes = false, no = false;
	int left = YES_NO_WORDS;

	while ((p = next_offer(p, end, word)) != NULL) {
		yes |= is_one_of(word, yes_words, COUNT(yes_words));
		no |= is_one_of(word, no_words, COUNT(no_words));
		if (left-- == 0)
			return false;
	}
	return yes && no;
}

/* The opening bracket that matches the one at `end`; NULL: none. */
static const char *
opening(const char *text, const char *end)
{
	int depth = 0;

	for (const char *p = end; p >= text; p--) {
		depth += strchr(")]}", *p) != NULL;
		depth -= strchr("([{", *p) != NULL;
		if (depth == 0)
			return p;
	}
	return NULL;
}

static const char *
last_of(const char *text, const char *end, char c)
{
	while (end > text && end[-1] != c)
		end--;
	return end > text ? end : NULL;
}

static bool
is_yes_no(const struct line *l)
{
	const char *text = l->text, *end = text + l->len, *from;

	while (end > text && strchr(" :?>", end[-1]) != NULL)
		end--;
	if (l->kind != LINE_TEXT || end == text)
		return false;
	if (strchr(")]}", end[-1]) != NULL) {
		from = opening(text, end - 1);
		if (from != NULL && offers_both(from, end))
			return true;
	}
	from = last_of(text, end, '?');
	if (from != NULL && offers_both(from, end))
		return true;
	from = last_of(text, end, ' ');
	return from != NULL && memchr(from, '/', (size_t)(end - from)) &&
	    offers_both(from, end);
}

/* The last line, or the one above some hints. */
static bool
has_yes_no(const struct screen *s)
{
	for (int i = s->n - 1; i > s->floor; i--) {
		const struct line *l = &s->lines[i];

		if (l->kind != LINE_TEXT)
			continue;
		if (is_yes_no(l))
			return !is_over(s, i);
		if (!is_hint(l))
			return false;
	}
	return false;
}

/* ------------------------------------------------------- hints and buttons */

static bool
has_key(const struct screen *s)
{
	int left = HINT_LINES;

	for (int i = s->n - 1; i > s->floor && left > 0; i--) {
		if (is_strong_hint(&s->lines[i]) && !is_over(s, i))
			return true;
		left -= s->lines[i].kind == LINE_TEXT;
	}
	return false;
}

/* True if a text begins with a key and its effect. */
static bool
begins_with_key(const char *text)
{
	for (size_t i = 0; i < COUNT(keys); i++) {
		const char *end = text + strlen(keys[i].word);

		if (begins_with(text, keys[i].word) && is_word_end(*end) &&
		    does_verb(end))
			return true;
	}
	return false;
}

/*
 * "Esc to cancel" as the last line of a page without options.  Below a line of
 * input it would be a footer, which is short.
 */
static bool
is_page(const struct screen *s)
{
	return s->n > 0 && !s->cursor.visible &&
	    begins_with_key(s->lines[s->n - 1].text) &&
	    lines_below(s, s->floor) >= PAGE_LINES;
}

/* One button, "<Ok>" or "[ Cancel ]": its end, or NULL. */
static const char *
button_end(const char *p)
{
	char word[BUTTON_LEN + 1];
	char close = *p == '<' ? '>' : *p == '[' ? ']' : '\0';
	const char *end = close != '\0' ? strchr(p, close) : NULL;
	size_t len;

	if (end == NULL)
		return NULL;
	p = skip_blanks(p + 1);
	len = (size_t)(end - p);
	if (end <= p || len > BUTTON_LEN)
		return NULL;
	while (len > 0 && p[len - 1] == ' ')
		len--;
	memcpy(word, p, len);
	word[len] = '\0';
	return is_one_of(word, buttons, COUNT(buttons)) ? end + 1 : NULL;
}

/* Only buttons; a single one only in the form "<Ok>". */
static bool
is_button_row(const struct line *l)
{
	const char *p = l->text;
	int n = 0;

	if (l->kind != LINE_TEXT)
		return false;
	while (*p != '\0') {
		p = button_end(p);
		if (p == NULL)
			return false;
		n++;
		p = skip_blanks(p);
	}
	return n > 1 || l->text[0] == '<';
}

static bool
has_buttons(const struct screen *s)
{
	int left = BUTTON_LINES;

	for (int i = s->n - 1; i > s->floor && left > 0; i--) {
		if (is_button_row(&s->lines[i]))
			return !is_over(s, i);
		left -= s->lines[i].kind == LINE_TEXT;
	}
	return false;
}

enum question
question_find(const struct vt *vt, const char *own)
{
	enum question q = QUESTION_NONE;
	struct screen s;

	read_screen(&s, vt, own);
	if (has_choice(&s))
		q = QUESTION_CHOICE;
	else if (has_yes_no(&s))
		q = QUESTION_YES_NO;
	else if (has_buttons(&s))
		q = QUESTION_BUTTONS;
	else if (has_key(&s) || is_page(&s))
		q = QUESTION_KEY;
	free(s.lines);
	return q;
}

const char *
question_name(enum question q)
{
	static const char *const names[] = { NULL, "choice", "yes-no",
		"buttons", "key" };

	return names[q];
}
