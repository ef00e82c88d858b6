#include "base/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/utf8.h"

void
json_out_init(struct json_out *j, struct buf *buf)
{
	*j = (struct json_out){ .buf = buf };
}

/* Before every value and key. */
static void
separate(struct json_out *j)
{
	if (j->comma)
		buf_putc(j->buf, ',');
	j->comma = true;
}

void
json_out_open(struct json_out *j, char bracket)
{
	separate(j);
	buf_putc(j->buf, bracket);
	j->comma = false;
}

void
json_out_close(struct json_out *j, char bracket)
{
	buf_putc(j->buf, bracket);
	j->comma = true;
}

void
json_out_key(struct json_out *j, const char *key)
{
	json_out_text(j, key);
	buf_putc(j->buf, ':');
	j->comma = false;
}

/*
 * JSON allows DEL, C1, line separators and characters that change the writing
 * direction.  They are escaped because the answer may be shown on a terminal.
 */
static void
put_char(struct buf *out, uint32_t cp)
{
	char utf8[4];

	if (cp == '"' || cp == '\\')
		buf_printf(out, "\\%c", (char)cp);
	else if (cp == '\n')
		buf_puts(out, "\\n");
	else if (utf8_acts(cp))
		buf_printf(out, "\\u%04x", (unsigned)cp);
	else
		buf_append(out, utf8, utf8_encode(utf8, cp));
}

/* How many of the first bytes stand for themselves: most of all there is. */
static size_t
plain_len(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && p[n] >= ' ' && p[n] < 0x7f && p[n] != '"' &&
	    p[n] != '\\')
		n++;
	return n;
}

void
json_out_string(struct json_out *j, const char *p, size_t len)
{
	struct utf8 u = { 0 };
	uint32_t cp;

	separate(j);
	buf_putc(j->buf, '"');
	for (size_t i = 0; i < len; i++) {
		size_t plain = u.need == 0 ? plain_len(p + i, len - i) : 0;
		enum utf8_step step;

		buf_append(j->buf, p + i, plain);
		i += plain;
		if (i == len)
			break;
		step = utf8_step(&u, (uint8_t)p[i], &cp);
		if (step != UTF8_MORE)
			put_char(j->buf, cp);
		if (step == UTF8_BAD_AGAIN)
			i--;
	}
	if (u.need > 0)
		put_char(j->buf, UTF8_REPLACEMENT);
	buf_putc(j->buf, '"');
}

void
json_out_json(struct json_out *j, const char *json)
{
	const char *from = json; /* what is not written yet */
	char utf8[4];
	struct utf8 u = { 0 };
	uint32_t cp;

	separate(j);
	for (; *json != '\0'; json++) {
		if (utf8_step(&u, (uint8_t)*json, &cp) != UTF8_DONE ||
		    !utf8_acts(cp))
			continue;
		buf_append(j->buf, from,
		    (size_t)(json + 1 - from) - utf8_encode(utf8, cp));
		put_char(j->buf, cp);
		from = json + 1;
	}
	buf_puts(j->buf, from);
}

void
json_out_text(struct json_out *j, const char *s)
{
	json_out_string(j, s, strlen(s));
}

void
json_out_number(struct json_out *j, uint64_t n)
{
	separate(j);
	buf_printf(j->buf, "%" PRIu64, n);
}

void
json_out_int(struct json_out *j, int64_t n)
{
	separate(j);
	buf_printf(j->buf, "%" PRId64, n);
}

void
json_out_bool(struct json_out *j, bool b)
{
	separate(j);
	buf_puts(j->buf, b ? "true" : "false");
}

void
json_out_null(struct json_out *j)
{
	separate(j);
	buf_puts(j->buf, "null");
}

void
json_put_open(struct json_out *j, const char *key, char bracket)
{
	json_out_key(j, key);
	json_out_open(j, bracket);
}

void
json_put_string(struct json_out *j, const char *key, const char *p, size_t len)
{
	json_out_key(j, key);
	json_out_string(j, p, len);
}

void
json_put_text(struct json_out *j, const char *key, const char *s)
{
	json_out_key(j, key);
	if (s != NULL)
		json_out_text(j, s);
	else
		json_out_null(j);
}

void
json_put_number(struct json_out *j, const char *key, uint64_t n)
{
	json_out_key(j, key);
	json_out_number(j, n);
}

void
json_put_int(struct json_out *j, const char *key, int64_t n)
{
	json_out_key(j, key);
	json_out_int(j, n);
}

void
json_put_maybe(struct json_out *j, const char *key, bool known, int64_t n)
{
	json_out_key(j, key);
	if (known)
		json_out_int(j, n);
	else
		json_out_null(j);
}

void
json_put_bool(struct json_out *j, const char *key, bool b)
{
	json_out_key(j, key);
	json_out_bool(j, b);
}

void
json_put_time(struct json_out *j, const char *key, int64_t ms)
{
	time_t seconds = (time_t)(ms / 1000);
	char date[40], text[64];
	struct tm tm;

	json_out_key(j, key);
	if (ms <= 0 || gmtime_r(&seconds, &tm) == NULL) {
		json_out_null(j);
		return;
	}
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%03dZ", date, (int)(ms % 1000));
	json_out_text(j, text);
}

void
json_out_member(struct json_out *j, const char *key, const char *s)
{
	json_out_open(j, '{');
	json_put_text(j, key, s);
	json_out_close(j, '}');
}

char *
json_member(const char *key, const char *s)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, SIZE_MAX);
	json_out_init(&j, &b);
	json_out_member(&j, key, s);
	return buf_take(&b);
}
