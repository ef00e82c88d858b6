#include "agent/page.h"

#include <stdint.h>
#include <string.h>

#include "vt/text.h"
#include "vt/vt.h"

#define NO_BREAK_SPACE 0xa0

static bool
is_blank(const struct cell *c)
{
	return c->ch == 0 || c->ch == ' ' || c->ch == NO_BREAK_SPACE;
}

static bool
has_text(const struct vt *vt, unsigned y)
{
	struct vt_row row;

	vt_screen_row(vt, y, &row);
	for (unsigned x = 0; x < row.used; x++)
		if (!is_blank(&row.cells[x]))
			return true;
	return false;
}

/* Replace them from byte `at` on, and trim. */
static void
turn_no_break_spaces(struct buf *b, size_t at)
{
	size_t to = at;

	if (memchr(b->data + at, 0xc2, b->len - at) == NULL)
		return;
	for (size_t i = at; i < b->len; i++) {
		bool is = b->data[i] == 0xc2 && i + 1 < b->len &&
		    b->data[i + 1] == NO_BREAK_SPACE;

		b->data[to++] = is ? ' ' : b->data[i];
		i += is;
	}
	while (to > at && b->data[to - 1] == ' ')
		to--;
	b->len = to;
}

static void
put_row(struct agent_page *page, unsigned y)
{
	struct vt_row row;
	size_t at = page->text.len;

	vt_screen_row(page->vt, y, &row);
	vt_row_text(&row, &page->text);
	if (page->text.len > at)
		turn_no_break_spaces(&page->text, at);
}

/* Read the rows [page->first, page->first + n). */
static void
read_rows(struct agent_page *page, unsigned n)
{
	buf_clear(&page->text);
	for (page->n = 0; page->n < n; page->n++) {
		if (page->n > 0)
			buf_putc(&page->text, '\n');
		page->at[page->n] = page->text.len;
		put_row(page, page->first + page->n);
	}
	page->at[n] = page->text.len;
}

void
agent_page_init(struct agent_page *page, const struct vt *vt)
{
	unsigned last = vt_rows(vt), n;

	*page = (struct agent_page){ .vt = vt };
	buf_init(&page->text, AGENT_PAGE_BYTES);
	while (last > 0 && !has_text(vt, last - 1))
		last--;
	n = last < AGENT_PAGE_ROWS ? last : AGENT_PAGE_ROWS;
	page->first = last - n;
	read_rows(page, n);
	while (page->text.full && n > 0) {
		page->first++;
		read_rows(page, --n);
	}
}

void
agent_page_finish(struct agent_page *page)
{
	buf_finish(&page->text);
}

size_t
agent_page_tail(const struct agent_page *page, unsigned rows)
{
	return page->at[rows < page->n ? page->n - rows : 0];
}

unsigned
agent_page_row(const struct agent_page *page, size_t at)
{
	unsigned i = page->n;

	while (i > 1 && page->at[i - 1] > at)
		i--;
	return i > 0 ? i - 1 : 0;
}

/* The styles of the cells of a placeholder. */
struct styles {
	unsigned faint, drawn_on, other;
};

static void
count_cell(struct styles *s, const struct cell *c)
{
	if (is_blank(c))
		return;
	if (c->attr & ATTR_FAINT)
		s->faint++;
	else if (c->attr & ATTR_INVERSE)
		s->drawn_on++;
	else
		s->other++;
}

/* The cells of row i whose bytes are in [from, to) of the page. */
static void
count_row(struct styles *s, const struct agent_page *page, unsigned i,
    size_t from, size_t to)
{
	size_t at = page->at[i];
	struct vt_row row;
	char text[VT_TEXT_MAX];

	vt_screen_row(page->vt, page->first + i, &row);
	for (unsigned x = 0; x < row.used && at < to; x++) {
		const struct cell *c = &row.cells[x];

		if (at >= from)
			count_cell(s, c);
		if (cell_kind(c) != CELL_TAIL)
			at += is_blank(c) ? 1 : vt_cell_text(&row, x, text);
	}
}

bool
agent_page_faint(const struct agent_page *page, size_t from, size_t to)
{
	struct styles s = { 0 };

	for (unsigned i = agent_page_row(page, from);
	     i < page->n && page->at[i] < to; i++)
		count_row(&s, page, i, from,
		    to < page->at[i + 1] ? to : page->at[i + 1]);
	return s.faint > 0 && s.drawn_on <= 1 && s.other == 0;
}
