#include "cast/json_in.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hex.h"
#include "base/utf8.h"

#define NUMBER_MAX 63 /* characters */

void
json_in_init(struct json_in *j, const void *p, size_t len)
{
	*j = (struct json_in){ .start = p, .p = p };
	j->end = j->start + len;
}

static void
fail(struct json_in *j, const char *why)
{
	if (j->why != NULL)
		return;
	j->ended = j->p >= j->end;
	j->why = why;
}

static void
skip_blanks(struct json_in *j)
{
	while (j->p < j->end &&
	    (*j->p == ' ' || *j->p == '\t' || *j->p == '\n' || *j->p == '\r'))
		j->p++;
}

/* True if the next byte is c; if so it is taken. */
static bool
take(struct json_in *j, char c)
{
	if (j->why != NULL || j->p >= j->end || *j->p != (uint8_t)c)
		return false;
	j->p++;
	return true;
}

char
json_in_peek(struct json_in *j)
{
	skip_blanks(j);
	return j->why == NULL && j->p < j->end ? (char)*j->p : '\0';
}

void
json_in_enter(struct json_in *j, char open)
{
	skip_blanks(j);
	if (j->depth == JSON_IN_DEPTH)
		fail(j, "values are nested too deeply");
	else if (!take(j, open))
		fail(j,
		    open == '{' ? "an object was expected" :
				  "an array was expected");
	if (j->why != NULL)
		return;
	j->close[j->depth++] = open == '{' ? '}' : ']';
	j->first = true;
}

bool
json_in_more(struct json_in *j)
{
	bool first = j->first;

	if (j->why != NULL)
		return false;
	assert(j->depth > 0);
	j->first = false;
	skip_blanks(j);
	if (take(j, j->close[j->depth - 1])) {
		j->depth--;
		return false;
	}
	if (!first && !take(j, ','))
		fail(j,
		    j->close[j->depth - 1] == '}' ?
			"a comma or } was expected" :
			"a comma or ] was expected");
	return j->why == NULL;
}

/* The four digits after \u. */
static uint32_t
take_hex(struct json_in *j)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++) {
		int digit = j->p < j->end ? hex_digit((char)*j->p) : -1;

		if (digit < 0) {
			fail(j, "\\u needs four hexadecimal digits");
			return 0;
		}
		v = v << 4 | (uint32_t)digit;
		j->p++;
	}
	return v;
}

/* Read the digits after \u: one escape, or two that make one character. */
static uint32_t
take_unicode(struct json_in *j)
{
	uint32_t high = take_hex(j), low;
	struct json_in before = *j;

	if (high < 0xD800 || high > 0xDBFF)
		return high;
	if (take(j, '\\') && take(j, 'u')) {
		low = take_hex(j);
		if (low >= 0xDC00 && low <= 0xDFFF)
			return 0x10000 + ((high - 0xD800) << 10) +
			    (low - 0xDC00);
	}
	/* A surrogate alone: what follows is read again, by itself. */
	*j = before;
	return UTF8_REPLACEMENT;
}

static uint32_t
take_escape(struct json_in *j)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (take(j, 'u'))
		return take_unicode(j);
	at = j->p < j->end && *j->p != '\0' ? strchr(from, *j->p) : NULL;
	if (at == NULL) {
		fail(j, "unknown escape in a string");
		return 0;
	}
	j->p++;
	return (uint32_t)to[at - from];
}

/* Give the decoded bytes of a string to out, which may be NULL. */
static void
decode(struct json_in *j, struct buf *out)
{
	while (j->why == NULL && !take(j, '"')) {
		const uint8_t *run = j->p;
		char utf8[4];

		while (j->p < j->end && *j->p >= 0x20 && *j->p != '"' &&
		    *j->p != '\\')
			j->p++;
		if (out != NULL)
			buf_append(out, run, (size_t)(j->p - run));
		if (take(j, '\\')) {
			size_t n = utf8_encode(utf8, take_escape(j));

			if (out != NULL)
				buf_append(out, utf8, n);
		} else if (j->p >= j->end) {
			fail(j, "a string does not end");
		} else if (*j->p < 0x20) {
			fail(j, "a control character in a string");
		}
	}
}

static void
read_string(struct json_in *j, struct buf *out)
{
	skip_blanks(j);
	if (!take(j, '"'))
		fail(j, "a string was expected");
	decode(j, out);
}

void
json_in_string(struct json_in *j, struct buf *out)
{
	buf_clear(out);
	read_string(j, out);
	if (out->full)
		fail(j, "a string is too long");
}

static void
take_colon(struct json_in *j)
{
	skip_blanks(j);
	if (!take(j, ':'))
		fail(j, "a colon was expected");
}

void
json_in_key(struct json_in *j, char *out, size_t size)
{
	struct buf key;

	buf_init(&key, size - 1);
	read_string(j, &key);
	if (key.full || j->why != NULL ||
	    (key.len > 0 && memchr(key.data, '\0', key.len) != NULL))
		buf_clear(&key);
	if (key.len > 0)
		memcpy(out, key.data, key.len);
	out[key.len] = '\0';
	buf_finish(&key);
	take_colon(j);
}

static bool
take_digits(struct json_in *j)
{
	const uint8_t *from = j->p;

	while (j->p < j->end && *j->p >= '0' && *j->p <= '9')
		j->p++;
	return j->p > from;
}

/* Pass over a number; false when it is not as the grammar wants it. */
static bool
take_number(struct json_in *j)
{
	take(j, '-');
	if (!take(j, '0') && !take_digits(j))
		return false;
	if (take(j, '.') && !take_digits(j))
		return false;
	if (!take(j, 'e') && !take(j, 'E'))
		return true;
	if (!take(j, '+'))
		take(j, '-');
	return take_digits(j);
}

double
json_in_number(struct json_in *j)
{
	char text[NUMBER_MAX + 1];
	const uint8_t *from;
	size_t len;

	skip_blanks(j);
	from = j->p;
	if (j->why != NULL)
		return 0;
	if (!take_number(j)) {
		fail(j, "a number was expected");
		return 0;
	}
	len = (size_t)(j->p - from);
	if (len > NUMBER_MAX) {
		fail(j, "a number is too long");
		return 0;
	}
	memcpy(text, from, len);
	text[len] = '\0';
	return strtod(text, NULL);
}

static void
take_word(struct json_in *j, const char *word)
{
	while (*word != '\0' && take(j, *word))
		word++;
	if (*word != '\0')
		fail(j, "unknown word");
}

static void
skip_container(struct json_in *j, char open)
{
	json_in_enter(j, open);
	while (json_in_more(j)) {
		if (open == '{') {
			read_string(j, NULL);
			take_colon(j);
		}
		json_in_skip(j);
	}
}

/* Recursion ends at JSON_IN_DEPTH. */
void
json_in_skip(struct json_in *j)
{
	char c = json_in_peek(j);

	if (c == '{' || c == '[')
		skip_container(j, c);
	else if (c == '"')
		read_string(j, NULL);
	else if (c == '-' || (c >= '0' && c <= '9'))
		json_in_number(j);
	else if (c == 't')
		take_word(j, "true");
	else if (c == 'f')
		take_word(j, "false");
	else if (c == 'n')
		take_word(j, "null");
	else
		fail(j, "a value was expected");
}

void
json_in_end(struct json_in *j)
{
	skip_blanks(j);
	if (j->p < j->end)
		fail(j, "something follows the end");
}
