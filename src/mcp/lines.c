#include "mcp/lines.h"

#include <string.h>

void
lines_init(struct lines *l, size_t max)
{
	memset(l, 0, sizeof(*l));
	buf_init(&l->buf, SIZE_MAX);
	l->max = max;
}

void
lines_finish(struct lines *l)
{
	buf_finish(&l->buf);
}

void
lines_add(struct lines *l, const void *p, size_t len)
{
	buf_consume(&l->buf, l->taken);
	l->taken = 0;
	(void)buf_append(&l->buf, p, len);
}

/* Called if there is no newline: drop a line over the limit, and note that. */
static enum lines_next
wait_for_more(struct lines *l)
{
	l->scanned = l->buf.len - l->taken;
	if (l->scanned <= l->max)
		return LINES_NONE;
	l->dropping = true;
	l->taken = l->buf.len;
	l->scanned = 0;
	return LINES_NONE;
}

static enum lines_next
give(struct lines *l, size_t n, const char **p, size_t *len)
{
	bool too_long = l->dropping || n > l->max;

	*p = (const char *)l->buf.data + l->taken;
	*len = n;
	l->dropping = false;
	l->scanned = 0;
	return too_long ? LINES_TOO_LONG : LINES_LINE;
}

enum lines_next
lines_next(struct lines *l, const char **p, size_t *len)
{
	size_t from = l->taken + l->scanned, n;
	const uint8_t *end = NULL;
	enum lines_next what;

	if (from < l->buf.len)
		end = memchr(l->buf.data + from, '\n', l->buf.len - from);
	if (end == NULL)
		return wait_for_more(l);
	n = (size_t)(end - l->buf.data) - l->taken;
	what = give(l, n, p, len);
	l->taken += n + 1;
	return what;
}

enum lines_next
lines_rest(struct lines *l, const char **p, size_t *len)
{
	size_t n = l->buf.len - l->taken;
	enum lines_next what;

	if (n == 0 && !l->dropping)
		return LINES_NONE;
	what = give(l, n, p, len);
	l->taken = l->buf.len;
	return what;
}
