#include "home/log_tail.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "home/units.h"

#define LINES_MAX 1000000 /* also in op/ops.def */
#define BACK_FIRST (128u << 10)
#define BACK_FACTOR 16

int
log_tail_init(struct log_tail *t, const char *count, struct error *err)
{
	*t = (struct log_tail){ .back = BACK_FIRST };
	if (!units_number(count, LINES_MAX, &t->want) || t->want == 0)
		return error_set(err, EINVAL,
		    "%.40s: give a number of lines from 1 to %d", count,
		    LINES_MAX);
	return 0;
}

uint64_t
log_tail_begin(struct log_tail *t, uint64_t first, uint64_t end)
{
	t->seen = t->cut_at = 0;
	t->again = false;
	t->from_start = end <= first || end - first <= t->back;
	return t->from_start ? first : end - t->back;
}

/* The start of the last `want` lines; false if there are fewer. */
static size_t
find_lines(const struct buf *b, uint64_t want, uint64_t *n)
{
	const uint8_t *p = b->data, *end;
	size_t at = b->len;

	*n = 0;
	while (at > 0 && *n < want) {
		/* The newline belongs to the line before it. */
		end = memrchr(p, '\n', at - 1);
		at = end != NULL ? (size_t)(end - p) + 1 : 0;
		++*n;
	}
	return at;
}

/* Keep one extra line: it shows that the lines after it are complete. */
static void
cut(struct log_tail *t, struct buf *b, uint64_t keep)
{
	size_t at = find_lines(b, keep, &t->seen);

	memmove(b->data, b->data + at, b->len - at);
	b->len -= at;
}

bool
log_tail_holds(struct log_tail *t, struct buf *b)
{
	if (t->over || b->len == 0)
		return false;
	if (b->len >= t->cut_at) {
		cut(t, b, t->want + 1);
		t->cut_at = 2 * b->len;
		t->over = b->len > LOG_TAIL_MAX;
	}
	return !t->over;
}

bool
log_tail_end(struct log_tail *t, struct buf *b)
{
	if (t->over || t->again)
		return t->over;
	if (b->len > 0)
		cut(t, b, t->want + 1);
	if (!t->from_start && t->seen <= t->want) {
		t->again = true;
		t->back *= BACK_FACTOR;
		buf_clear(b);
		return false;
	}
	if (b->len > 0)
		cut(t, b, t->want);
	t->over = true;
	return true;
}

bool
log_tail_again(const struct log_tail *t)
{
	return t->again;
}
