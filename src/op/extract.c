#include "op/extract.h"

#include <stdlib.h>

#include "base/json_out.h"
#include "base/mem.h"
#include "vt/text.h"
#include "vt/vt.h"

void
extract_init(struct extract *l, size_t max)
{
	*l = (struct extract){ 0 };
	buf_init(&l->text, max);
}

void
extract_finish(struct extract *l)
{
	buf_finish(&l->text);
	free(l->all);
}

static void
add(struct extract *l, const struct vt_row *row, unsigned y)
{
	if (l->n == l->cap) {
		l->cap = l->cap > 0 ? 2 * l->cap : 64;
		l->all = xrealloc(l->all, l->cap, sizeof(*l->all));
	}
	vt_row_text(row, &l->text);
	l->all[l->n++] = (struct extract_line){ l->text.len, y };
}

void
extract_add_scrollback(struct extract *l, const struct vt *vt)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct vt_row row;

	while (vt_history_next(it, &row))
		add(l, &row, EXTRACT_SCROLLED);
	vt_history_end(it);
}

void
extract_add_screen(struct extract *l, const struct vt *vt,
    bool (*wanted)(const void *arg, unsigned y), const void *arg)
{
	struct vt_row row;

	for (unsigned y = 0; y < vt_rows(vt); y++) {
		if (wanted != NULL && !wanted(arg, y))
			continue;
		vt_screen_row(vt, y, &row);
		add(l, &row, y);
	}
}

/* ---------------------------------------------------------- last command */

/* Rows count from the top of the scrollback. */
struct span {
	size_t at;         /* the number of the next row */
	size_t begin, end; /* end is SIZE_MAX without a prompt */
	bool found;
};

static void
look_at(struct span *s, unsigned flags)
{
	if (flags & ROW_OUTPUT) {
		s->found = true;
		s->begin = s->at;
		s->end = SIZE_MAX;
	}
	if ((flags & ROW_PROMPT) && s->found && s->end == SIZE_MAX)
		s->end = s->at;
	s->at++;
}

static void
find_command(const struct vt *vt, struct span *s)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct vt_row row;

	while (vt_history_next(it, &row))
		look_at(s, row.flags);
	vt_history_end(it);
	for (unsigned y = 0; y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		look_at(s, row.flags);
	}
}

static void
add_span(struct extract *l, const struct vt *vt, const struct span *s)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct vt_row row;
	size_t at = 0;

	for (; vt_history_next(it, &row); at++) {
		if (at >= s->begin && at < s->end)
			add(l, &row, EXTRACT_SCROLLED);
	}
	vt_history_end(it);
	for (unsigned y = 0; y < vt_rows(vt); y++, at++) {
		vt_screen_row(vt, y, &row);
		if (at >= s->begin && at < s->end)
			add(l, &row, y);
	}
}

bool
extract_add_command(struct extract *l, const struct vt *vt, bool *running)
{
	struct span span = { 0 };
	struct vt_cursor cursor;

	if (vt_alt_screen(vt))
		return false;
	find_command(vt, &span);
	if (!span.found)
		return false;
	*running = span.end == SIZE_MAX;
	if (*running) {
		vt_cursor(vt, &cursor);
		span.end = span.at - vt_rows(vt) + cursor.row +
		    (cursor.col > 0);
	}
	add_span(l, vt, &span);
	return true;
}

/* --------------------------------------------------------------- reading */

const char *
extract_at(const struct extract *l, size_t i, size_t *len)
{
	size_t begin = i > 0 ? l->all[i - 1].end : 0;

	*len = l->all[i].end - begin;
	return *len > 0 ? (const char *)l->text.data + begin : "";
}

static size_t
line_len(const struct extract *l, size_t i)
{
	size_t len;

	extract_at(l, i, &len);
	return len;
}

void
extract_limit(struct extract *l, size_t max_bytes, bool blank)
{
	size_t total = 0;

	if (l->text.len + l->n <= max_bytes)
		return;
	while (blank && l->n > 0 && line_len(l, l->n - 1) == 0)
		l->n--;
	for (l->first = l->n; l->first > 0; l->first--) {
		total += line_len(l, l->first - 1) + 1;
		if (total > max_bytes)
			return;
	}
}

int
extract_join(const struct extract *l, struct buf *out)
{
	for (size_t i = l->first; i < l->n; i++) {
		size_t len;
		const char *text = extract_at(l, i, &len);

		if (i > l->first)
			buf_putc(out, '\n');
		buf_append(out, text, len);
	}
	return out->full || l->text.full ? -1 : 0;
}

void
extract_put(const struct extract *l, size_t from, size_t to, struct json_out *j)
{
	for (size_t i = from; i < to; i++) {
		size_t len;
		const char *text = extract_at(l, i, &len);

		json_out_string(j, text, len);
	}
}
