#include "cmd/line/fold.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"

#define BELOW 4   /* indentation of a description below its word */
#define FURTHER 8 /* least indentation of a description's other lines */
#define GAP 2     /* blanks between a word and its description */

/* One line: blanks, a word or sentence, and perhaps a description. */
struct line {
	const char *p;
	size_t len;
	size_t indent;
	size_t right; /* start of the description; 0: none */
};

/* Two blanks after a sentence are not a gap. */
static bool
is_gap(const char *p, size_t begin, size_t blanks)
{
	return blanks > GAP ||
	    (blanks == GAP && strchr(".:?!", p[begin - 1]) == NULL);
}

static struct line
read_line(const char *p)
{
	struct line l = { .p = p, .len = strcspn(p, "\n") };
	size_t at = l.indent = strspn(p, " ");

	while (at < l.len) {
		size_t end = at + strcspn(p + at, " \n");
		size_t blanks = strspn(p + end, " ");

		at = end + blanks;
		if (at < l.len && is_gap(p, end, blanks)) {
			l.right = at;
			break;
		}
	}
	return l;
}

/* Sets words between two margins. */
struct setter {
	struct buf *out;
	unsigned cols;
	size_t at; /* the next column */
	size_t indent;
	bool begun; /* the line has a word already */
};

static void
set_blanks(struct setter *s, size_t n)
{
	for (; n > 0; n--, s->at++)
		buf_putc(s->out, ' ');
}

static void
set_line(struct setter *s)
{
	buf_putc(s->out, '\n');
	s->at = 0;
	s->begun = false;
}

static size_t
columns(const char *p, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)p[i] & 0xc0) != 0x80;
	return n;
}

static void
set_word(struct setter *s, const char *p, size_t len)
{
	size_t width = columns(p, len);

	if (s->begun && s->at + 1 + width > s->cols)
		set_line(s);
	if (s->begun)
		set_blanks(s, 1);
	else if (s->at < s->indent)
		set_blanks(s, s->indent - s->at);
	buf_append(s->out, p, len);
	s->at += width;
	s->begun = true;
}

static void
set_words(struct setter *s, const char *p, size_t len)
{
	while (len > 0) {
		size_t n = strcspn(p, " \n");

		n = n < len ? n : len;
		if (n > 0)
			set_word(s, p, n);
		n += n < len;
		p += n;
		len -= n;
	}
}

/* Set the continuation lines between two columns; return the next line. */
static const char *
set_rest(struct setter *s, const char *p, size_t from, size_t to)
{
	for (;;) {
		struct line l = read_line(p);

		if (l.len == 0 || l.indent < from || l.indent > to ||
		    l.right != 0)
			return p;
		set_words(s, l.p, l.len);
		p += l.len + (p[l.len] == '\n');
	}
}

static const char *
set_item(struct setter *s, const struct line *l)
{
	const char *p = l->p + l->len + (l->p[l->len] == '\n');

	s->indent = l->indent;
	set_words(s, l->p, l->right != 0 ? l->right : l->len);
	if (l->right == 0)
		return set_rest(s, p, l->indent, l->indent);
	set_line(s);
	s->indent = l->indent + BELOW;
	set_words(s, l->p + l->right, l->len - l->right);
	return set_rest(s, p, l->indent + FURTHER, l->right);
}

void
fold_text(const char *text, unsigned cols, struct buf *out)
{
	struct setter s = { .out = out, .cols = cols };

	while (*text != '\0') {
		struct line l = read_line(text);

		text = l.len > 0 ? set_item(&s, &l) : text + 1;
		set_line(&s);
	}
}
