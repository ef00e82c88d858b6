#include "vt/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "vt/line.h"

void
flow_init(struct flow *f)
{
	memset(f, 0, sizeof(*f));
}

void
flow_finish(struct flow *f)
{
	free(f->cells);
	flow_init(f);
}

void
flow_clear(struct flow *f)
{
	f->len = f->text = 0;
	f->flags = 0;
}

static bool
ends_in_pad(const struct flow *f)
{
	return f->len > 0 && cell_kind(&f->cells[f->len - 1]) == CELL_PAD;
}

void
flow_join(struct flow *f, const struct cell *next)
{
	if (!ends_in_pad(f))
		return;
	if (cell_kind(next) != CELL_WIDE) {
		f->cells[f->len - 1].attr = 0;
		return;
	}
	f->len--;
	if (f->text > f->len)
		f->text = f->len;
}

static void
add(struct flow *f, const struct cell *c)
{
	flow_join(f, c);
	if (f->len == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 128;
		f->cells = xrealloc(f->cells, f->cap, sizeof(*f->cells));
	}
	f->cells[f->len++] = *c;
	if (c->ch != 0 || cell_kind(c) == CELL_TAIL)
		f->text = f->len;
}

void
flow_add_row(struct flow *f, const struct cell *cells, unsigned used,
    unsigned cols, bool whole)
{
	const struct cell zero = { 0 };

	for (unsigned x = 0; x < used; x++)
		add(f, &cells[x]);
	for (unsigned x = used; whole && x < cols; x++)
		add(f, &zero);
}

void
flow_add_packed(struct flow *f, const void *p, size_t len,
    struct clusters *clusters)
{
	struct line_reader r;
	struct cell c;

	line_read(&r, p, len);
	while (line_next(&r, clusters, &c))
		add(f, &c);
}

void
flow_go_on(struct flow *f, unsigned missing)
{
	flow_add_row(f, NULL, 0, missing, true);
	f->text = f->len;
}

bool
flow_next_row(const struct flow *f, unsigned cols, size_t *at,
    struct flow_row *out)
{
	/* An empty line is also a row. */
	if (*at >= f->text && *at > 0)
		return false;
	out->from = *at;
	out->pad = false;
	if (f->text - *at <= cols) {
		/* The last row keeps erased cells as far as they fit. */
		size_t len = f->len - (ends_in_pad(f) && f->len - *at != cols);
		out->to = len - *at < cols ? len : *at + cols;
		*at = f->text > 0 ? f->text : 1;
		return true;
	}
	out->to = *at + cols;
	if (cell_kind(&f->cells[out->to - 1]) == CELL_WIDE) {
		out->to--;
		out->pad = true;
	}
	*at = out->to;
	return true;
}

unsigned
flow_count_rows(const struct flow *f, unsigned cols)
{
	struct flow_row row;
	unsigned n = 0;

	for (size_t at = 0; flow_next_row(f, cols, &at, &row);)
		n++;
	return n;
}

unsigned
flow_copy_row(const struct flow *f, const struct flow_row *row, struct cell *to)
{
	size_t n = row->to - row->from;

	if (n > 0)
		memcpy(to, f->cells + row->from, n * sizeof(*to));
	if (row->pad) {
		to[n] = (struct cell){ .bg = f->cells[row->to].bg,
			.attr = (uint32_t)CELL_PAD << ATTR_KIND_SHIFT };
		n++;
	}
	while (n > 0 && cell_is_zero(&to[n - 1]))
		n--;
	return (unsigned)n;
}
