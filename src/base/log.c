#include "base/log.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/utf8.h"

#define CUT " cut=true"

static const char *const level_names[] = {
	[LOG_DEBUG] = "debug",
	[LOG_INFO] = "info",
	[LOG_WARN] = "warn",
	[LOG_ERROR] = "error",
};

struct log_field
log_str(const char *key, const char *value)
{
	return (struct log_field){ .key = key, .str = value ? value : "" };
}

struct log_field
log_int(const char *key, int64_t value)
{
	return (struct log_field){ .key = key, .num = value };
}

/* True if a value can stand without quotes. */
static bool
is_plain(const char *s)
{
	if (*s == '\0')
		return false;
	for (; *s != '\0'; s++) {
		if (*s <= ' ' || *s >= 0x7F || strchr("\"=\\", *s) != NULL)
			return false;
	}
	return true;
}

/* Characters that a reader does not see but whose terminal obeys them. */
static bool
is_hidden(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7F && cp <= 0x9F) ||
	    (cp >= 0x200B && cp <= 0x200F) || (cp >= 0x2028 && cp <= 0x202E) ||
	    (cp >= 0x2066 && cp <= 0x2069) || cp == 0xFEFF;
}

static void
put_quoted_char(struct buf *b, uint32_t cp)
{
	char utf8[4];

	if (cp == '"' || cp == '\\')
		buf_printf(b, "\\%c", (char)cp);
	else if (cp == '\n')
		buf_puts(b, "\\n");
	else if (cp == '\r')
		buf_puts(b, "\\r");
	else if (cp == '\t')
		buf_puts(b, "\\t");
	else if (is_hidden(cp))
		buf_printf(b, "\\u%04" PRIx32, cp);
	else
		buf_append(b, utf8, utf8_encode(utf8, cp));
}

static void
put_quoted(struct buf *b, const char *s)
{
	enum utf8_step step;
	struct utf8 u = { 0 };
	uint32_t cp;

	buf_putc(b, '"');
	while (*s != '\0') {
		step = utf8_step(&u, (uint8_t)*s, &cp);
		if (step != UTF8_MORE)
			put_quoted_char(b, cp);
		if (step != UTF8_BAD_AGAIN)
			s++;
	}
	if (u.need > 0)
		put_quoted_char(b, UTF8_REPLACEMENT);
	buf_putc(b, '"');
}

static void
put_field(struct buf *b, const struct log_field *f)
{
	buf_printf(b, " %s=", f->key);
	if (f->str == NULL)
		buf_printf(b, "%" PRId64, f->num);
	else if (is_plain(f->str))
		buf_puts(b, f->str);
	else
		put_quoted(b, f->str);
}

static void
put_head(struct buf *b, const struct timespec *when, enum log_level level)
{
	char day[32];
	struct tm tm;

	gmtime_r(&when->tv_sec, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	buf_printf(b, "time=%s.%03ldZ level=%s", day, when->tv_nsec / 1000000,
	    level_names[level]);
}

void
log_format(struct buf *b, const struct timespec *when, enum log_level level,
    const struct log_field *fields)
{
	size_t max = b->max, end;
	bool cut = false;

	/* Keep room, so that a line which was cut can say so and still end. */
	b->max = max - b->len > sizeof(CUT) ? max - sizeof(CUT) : b->len;
	put_head(b, when, level);
	for (; !b->full && fields->key != NULL; fields++) {
		end = b->len;
		put_field(b, fields);
		if (b->full) {
			b->len = end;
			b->full = false;
			cut = true;
		}
	}
	b->max = max;
	buf_puts(b, cut ? CUT "\n" : "\n");
}

void
log_fields(const struct log *log, enum log_level level,
    const struct log_field *fields)
{
	struct timespec now;
	struct buf line;

	if (log->fd < 0 || level < log->least)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	buf_init(&line, LOG_LINE_MAX);
	log_format(&line, &now, level, fields);
	/* There is nowhere left to complain to when this fails. */
	(void)fd_write_all(log->fd, line.data, line.len);
	buf_finish(&line);
}
