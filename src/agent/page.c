#include "agent/page.h"

#include <stdint.h>

#include "base/utf8.h"
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

static bool
is_single(const struct cell *c)
{
	return (c->ch & CELL_CLUSTER) == 0;
}

/* No fewer bytes than the text of the row. */
static size_t
most_bytes(const struct vt_row *row)
{
	size_t n = 0;

	for (unsigned x = 0; x < row->used; x++) {
		const struct cell *c = &row->cells[x];

		n += c->ch < 0x80 ? 1 : is_single(c) ? 4 : VT_TEXT_MAX;
	}
	return n;
}

/* Write the text of the cell; returns its bytes. */
static size_t
put_cell(const struct vt_row *row, unsigned x, char *out)
{
	const struct cell *c = &row->cells[x];

	if (cell_kind(c) == CELL_TAIL)
		return 0;
	if (is_blank(c)) {
		*out = ' ';
		return 1;
	}
	if (c->ch < 0x80) {
		*out = (char)c->ch;
		return 1;
	}
	return is_single(c) ? utf8_encode(out, c->ch) :
			      vt_cell_text(row, x, out);
}

static void
put_row(struct agent_page *page, unsigned y)
{
	struct vt_row row;
	char *out;
	size_t len = 0;

	vt_screen_row(page->vt, y, &row);
	out = (char *)buf_reserve(&page->text, most_bytes(&row) + VT_TEXT_MAX);
	for (unsigned x = 0; x < row.used; x++)
		len += put_cell(&row, x, out + len);
	while (len > 0 && out[len - 1] == ' ')
		len--;
	buf_commit(&page->text, len);
}

/* The number of rows above `last` that fit into a page. */
static unsigned
rows_that_fit(const struct vt *vt, unsigned last)
{
	size_t left = AGENT_PAGE_BYTES;
	unsigned n = 0;

	while (n < last && n < AGENT_PAGE_ROWS) {
		struct vt_row row;
		size_t bytes;

		vt_screen_row(vt, last - n - 1, &row);
		bytes = most_bytes(&row) + 1;
		if (bytes > left)
			break;
		left -= bytes;
		n++;
	}
	return n;
}

void
agent_page_init(struct agent_page *page, const struct vt *vt)
{
	unsigned last = vt_rows(vt), n;

	*page = (struct agent_page){ .vt = vt };
	buf_init(&page->text, AGENT_PAGE_BYTES + VT_TEXT_MAX);
	while (last > 0 && !has_text(vt, last - 1))
		last--;
	n = rows_that_fit(vt, last);
	page->first = last - n;
	for (page->n = 0; page->n < n; page->n++) {
		if (page->n > 0)
			buf_putc(&page->text, '\n');
		page->at[page->n] = page->text.len;
		put_row(page, page->first + page->n);
	}
	page->at[n] = page->text.len;
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
		at += put_cell(&row, x, text);
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
