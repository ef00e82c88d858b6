#include "script.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"

#define STRING_MAX (16 << 20)

/* Strings */

struct escape {
	char letter, byte;
};

static const struct escape escapes[] = {
	{ 'e', '\033' },
	{ 'n', '\n' },
	{ 'r', '\r' },
	{ 't', '\t' },
	{ 'a', '\a' },
	{ 'b', '\b' },
	{ '0', '\0' },
	{ '\\', '\\' },
	{ '"', '"' },
};

#define NESCAPES (sizeof(escapes) / sizeof(escapes[0]))

/* \x1b: always two digits, so that "\x1bA" is ESC and "A". */
static int
read_byte_escape(const char **p, struct buf *out)
{
	char digits[3] = { 0 };

	for (int i = 0; i < 2; i++, (*p)++) {
		if (!isxdigit((unsigned char)**p))
			return -EINVAL;
		digits[i] = **p;
	}
	return buf_putc(out, (char)strtoul(digits, NULL, 16));
}

/* \u{1F600}, or \u{4E00+}: the code point grows by one in each turn. */
static int
read_code_point(const char **p, unsigned long turn, struct buf *out)
{
	char *end, bytes[4];
	unsigned long cp;

	if (**p != '{')
		return -EINVAL;
	cp = strtoul(*p + 1, &end, 16);
	if (*end == '+') {
		cp += turn;
		end++;
	}
	if (*end != '}' || cp > 0x10ffff)
		return -EINVAL;
	*p = end + 1;
	return buf_append(out, bytes, utf8_encode(bytes, (uint32_t)cp));
}

static int
read_escape(const char **p, unsigned long turn, struct buf *out)
{
	char letter = *(*p)++;

	if (letter == 'x')
		return read_byte_escape(p, out);
	if (letter == 'u')
		return read_code_point(p, turn, out);
	if (letter == '#')
		return buf_printf(out, "%lu", turn);
	for (size_t i = 0; i < NESCAPES; i++) {
		if (escapes[i].letter == letter)
			return buf_putc(out, escapes[i].byte);
	}
	return -EINVAL;
}

/* "…", with *p at its first quote; for the turn-th time. */
static int
read_quoted(const char **p, unsigned long turn, struct buf *out)
{
	int ret = 0;

	if (*(*p)++ != '"')
		return -EINVAL;
	while (ret == 0 && **p != '"') {
		if (**p == '\0')
			return -EINVAL;
		if (*(*p)++ == '\\')
			ret = read_escape(p, turn, out);
		else
			ret = buf_putc(out, (*p)[-1]);
	}
	(*p)++;
	return ret;
}

/* "…" or "…"*N */
static int
read_piece(const char **p, struct buf *out)
{
	const char *start = *p;
	unsigned long times;
	char *end;
	int ret = read_quoted(p, 0, out);

	if (ret < 0 || **p != '*')
		return ret;
	times = strtoul(*p + 1, &end, 10);
	if (end == *p + 1 || times == 0)
		return -EINVAL;
	for (unsigned long turn = 1; ret == 0 && turn < times; turn++) {
		*p = start;
		ret = read_quoted(p, turn, out);
	}
	*p = end;
	return ret;
}

static const char *
skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

int
script_string(const char **p, struct buf *out)
{
	int ret;

	for (;;) {
		const char *after;

		ret = read_piece(p, out);
		after = skip_blanks(*p);
		if (ret < 0 || *after != '+')
			return ret;
		*p = skip_blanks(after + 1);
	}
}

/* Characters that the eye cannot see or would mistake for others. */
static bool
is_invisible(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa1) ||
	    (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	    (cp >= 0xfe00 && cp <= 0xfe0f) || cp == 0xfeff || cp >= 0xe0000;
}

static void
quote_control(struct buf *out, uint32_t cp)
{
	for (size_t i = 0; i < NESCAPES; i++) {
		if (cp == (unsigned char)escapes[i].byte) {
			buf_printf(out, "\\%c", escapes[i].letter);
			return;
		}
	}
	if (cp < 0x80)
		buf_printf(out, "\\x%02x", (unsigned)cp);
	else
		buf_printf(out, "\\u{%X}", (unsigned)cp);
}

static void
quote_char(struct buf *out, uint32_t cp)
{
	char bytes[4];

	if (is_invisible(cp) || cp == '\\' || cp == '"')
		quote_control(out, cp);
	else
		buf_append(out, bytes, utf8_encode(bytes, cp));
}

/* Bytes that are not UTF-8 are shown as \x.., so nothing is lost. */
void
script_quote(struct buf *out, const void *p, size_t len)
{
	const uint8_t *s = p;

	buf_putc(out, '"');
	for (size_t i = 0; i < len;) {
		struct utf8 u = { 0 };
		uint32_t cp = 0;
		size_t n = i;
		enum utf8_step step = UTF8_MORE;

		while (step == UTF8_MORE && n < len)
			step = utf8_step(&u, s[n++], &cp);
		if (step == UTF8_DONE) {
			quote_char(out, cp);
			i = n;
		} else {
			buf_printf(out, "\\x%02x", s[i++]);
		}
	}
	buf_putc(out, '"');
}

/* Files */

static int
bad_line(struct error *err, const char *path, unsigned line, const char *why)
{
	return error_set(err, EINVAL, "%s:%u: %s", path, line, why);
}

static struct script_case *
add_case(struct script *s, unsigned line, const char *heading)
{
	struct script_case *c;

	s->cases = xrealloc(s->cases, s->n + 1, sizeof(*s->cases));
	c = &s->cases[s->n++];
	*c = (struct script_case){ .line = line, .heading = xstrdup(heading) };
	return c;
}

static struct step *
add_step(struct script_case *c, unsigned line)
{
	c->steps = xrealloc(c->steps, c->n + 1, sizeof(*c->steps));
	c->steps[c->n] = (struct step){ .line = line };
	return &c->steps[c->n++];
}

/* The " = " that is not inside a string; NULL when there is none. */
static const char *
find_equals(const char *p)
{
	bool quoted = false;

	for (; *p != '\0'; p++) {
		if (quoted && *p == '\\' && p[1] != '\0')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && p[0] == ' ' && p[1] == '=' &&
		    (p[2] == ' ' || p[2] == '\0'))
			return p;
	}
	return NULL;
}

/*
 * Every string expression of an expectation in its canonical spelling, and
 * every run of blanks as one blank. Expectations with the same meaning become
 * the same text.
 */
static int
canonical(const char *p, struct buf *out)
{
	struct buf bytes;
	int ret = 0;

	buf_init(&bytes, STRING_MAX);
	for (p = skip_blanks(p); ret == 0 && *p != '\0';) {
		if (*p == '"') {
			buf_clear(&bytes);
			ret = script_string(&p, &bytes);
			script_quote(out, bytes.data, bytes.len);
		} else if (*p == ' ' || *p == '\t') {
			p = skip_blanks(p);
			if (*p != '\0')
				buf_putc(out, ' ');
		} else {
			buf_putc(out, *p++);
		}
	}
	buf_finish(&bytes);
	return ret;
}

static int
set_want(struct step *step, const char *text)
{
	struct buf out;
	int ret;

	buf_init(&out, STRING_MAX);
	ret = canonical(text, &out);
	free(step->want);
	step->want = buf_take(&out);
	return ret;
}

static char *
copy_span(const char *from, const char *to)
{
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	char *s = xmalloc((size_t)(to - from) + 1);
	memcpy(s, from, (size_t)(to - from));
	s[to - from] = '\0';
	return s;
}

static int
read_step(struct script_case *c, unsigned line, const char *text)
{
	struct step *step = add_step(c, line);
	size_t verb = strcspn(text, " \t");
	const char *arg = text + verb, *equals = NULL, *end;

	if (text[0] == '?')
		equals = find_equals(arg);
	end = equals != NULL ? equals : text + strlen(text);
	step->verb = copy_span(text, text + verb);
	arg = skip_blanks(arg);
	step->arg = copy_span(arg, arg < end ? end : arg);
	return equals != NULL ? set_want(step, equals + 2) : 0;
}

/*
 * An indented string under a question whose expectation has lines of its own:
 * the next row of it.
 */
static int
read_row(struct script_case *c, const char *text)
{
	struct step *step = c->n > 0 ? &c->steps[c->n - 1] : NULL;
	auto_free char *whole = NULL;

	if (step == NULL || step->want == NULL)
		return -EINVAL;
	if (asprintf(&whole, "%s%s%s", step->want,
		step->want[0] != '\0' ? " + \"\\n\" + " : "", text) < 0)
		return -ENOMEM;
	return set_want(step, whole);
}

static int
read_line(struct script *s, const char *path, unsigned line, char *text,
    struct error *err)
{
	struct script_case *c = s->n > 0 ? &s->cases[s->n - 1] : NULL;
	int ret;

	text[strcspn(text, "\r\n")] = '\0';
	if (text[0] == '\0' || text[0] == '#')
		return 0;
	if (text[0] == '!') {
		add_case(s, line, skip_blanks(text + 1));
		return 0;
	}
	if (c == NULL)
		return bad_line(err, path, line, "no !heading before this");
	if (text[0] == ' ' || text[0] == '\t')
		ret = read_row(c, skip_blanks(text));
	else
		ret = read_step(c, line, text);
	return ret < 0 ? bad_line(err, path, line, "not understood") : 0;
}

int
script_load(struct script *s, const char *path, struct error *err)
{
	FILE *f = fopen(path, "r");
	auto_free char *text = NULL;
	size_t cap = 0;
	int ret = 0;

	*s = (struct script){ 0 };
	if (f == NULL)
		return error_set(err, errno, "cannot read %s: %s", path,
		    strerror(errno));
	for (unsigned line = 1; ret == 0 && getline(&text, &cap, f) >= 0;
	     line++)
		ret = read_line(s, path, line, text, err);
	fclose(f);
	if (ret == 0 && s->n == 0)
		ret = error_set(err, EINVAL, "%s has no cases", path);
	return ret;
}

void
script_finish(struct script *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct script_case *c = &s->cases[i];

		for (size_t k = 0; k < c->n; k++) {
			free(c->steps[k].verb);
			free(c->steps[k].arg);
			free(c->steps[k].want);
		}
		free(c->steps);
		free(c->heading);
	}
	free(s->cases);
	*s = (struct script){ 0 };
}
