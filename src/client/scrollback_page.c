#include "client/scrollback_page.h"

#include "base/buf.h"
#include "vt/vt.h"

#define PAGE_BYTES (16u << 20)

struct drawing {
	struct scrollback_page *page;
	struct scrollback *scrollback;
	const struct scrollback_page_view *view;
	struct buf bytes; /* the drawn rows */
	struct buf folded;
	unsigned cols;
	unsigned cursor_x, cursor_y;
};

static void
add_mark(struct drawing *d, unsigned y, unsigned from, unsigned to, bool found)
{
	struct scrollback_page *p = d->page;

	if (p->n_marks < SCROLLBACK_PAGE_MARKS)
		p->marks[p->n_marks++] = (struct paint_mark){ .y = y,
			.from = from,
			.to = to,
			.found = found };
}

/* Highlight the part of a match in this row, which is on the ruler. */
static void
mark_found(struct drawing *d, const struct scrollback_part *c, size_t row,
    unsigned y, size_t at)
{
	size_t begin = c->rows[row].text, end = c->rows[row + 1].text;
	size_t to = at + d->view->needle->len;

	if (to <= begin || at >= end)
		return;
	add_mark(d, y,
	    ruler_col(&d->scrollback->ruler, at > begin ? at - begin : 0),
	    ruler_col(&d->scrollback->ruler, (to < end ? to : end) - begin),
	    true);
}

/* Search the row together with the rest of its line. */
static void
find_in_row(struct drawing *d, const struct scrollback_part *c, size_t row,
    unsigned y)
{
	const struct needle *n = d->view->needle;
	size_t begin = c->rows[row].text, end = c->rows[row + 1].text;
	size_t from = begin > n->len ? begin - n->len : 0;
	size_t to = end + n->len < c->text.len ? end + n->len : c->text.len;
	const char *text;

	if (n->len == 0)
		return;
	buf_clear(&d->folded);
	buf_append(&d->folded, c->text.data + from, to - from);
	if (d->folded.len == 0)
		return;
	text = (const char *)d->folded.data;
	needle_fold(n, (char *)d->folded.data, d->folded.len);
	for (size_t at = needle_find(n, text, d->folded.len, 0);
	     at != NEEDLE_NONE;
	     at = needle_find(n, text, d->folded.len, at + n->len))
		mark_found(d, c, row, y, from + at);
}

static void
select_in_row(struct drawing *d, const struct scrollback_place *at, unsigned y)
{
	unsigned from, to, cols = ruler_cols(&d->scrollback->ruler);

	if (!selection_columns(d->view->selection, at, &from, &to))
		return;
	cols = cols > 0 ? cols : 1; /* show a row without text as well */
	if (from < cols)
		add_mark(d, y, from, to < cols ? to : cols, false);
}

static void
place_cursor(struct drawing *d, unsigned y)
{
	unsigned cols = ruler_cols(&d->scrollback->ruler);
	unsigned col = d->view->cursor.col;

	d->cursor_y = y;
	d->cursor_x = col < cols ? col : cols > 0 ? cols - 1 : 0;
}

static void
draw_row(struct drawing *d, const struct scrollback_part *c,
    const struct scrollback_place *at, unsigned y)
{
	const struct scrollback_part_row *row = &c->rows[at->row];
	size_t end = at->row + 1 < c->n ? row[1].style : c->style.len;
	const char *text;
	size_t len = scrollback_part_text(c, at->row, &text);

	buf_printf(&d->bytes, "\033[%u;1H", y + 1);
	buf_append(&d->bytes, c->style.data + row->style, end - row->style);
	if (row->cols > d->cols)
		d->cols = row->cols;
	ruler_lay(&d->scrollback->ruler, text, len);
	find_in_row(d, c, at->row, y);
	select_in_row(d, at, y);
	if (place_compare_rows(at, &d->view->cursor) == 0)
		place_cursor(d, y);
}

static void
draw_rows(struct drawing *d)
{
	struct scrollback_place at = d->view->top;

	for (unsigned y = 0; y + 1 < d->view->rows; y++) {
		const struct scrollback_part
		    *c = scrollback_part_at(d->scrollback, at.seq);

		if (c != NULL && at.row < c->n)
			draw_row(d, c, &at, y);
		if (scrollback_forward(d->scrollback, &at, 1) == 0)
			break;
	}
}

void
scrollback_page_draw(struct scrollback_page *p, struct scrollback *b,
    const struct scrollback_page_view *view)
{
	struct drawing d = { .page = p,
		.scrollback = b,
		.view = view,
		.cols = view->cols };
	struct vt_config config = { .rows = (uint16_t)view->rows };

	scrollback_page_finish(p);
	buf_init(&d.bytes, PAGE_BYTES);
	buf_init(&d.folded, SCROLLBACK_PART_BYTES);
	buf_puts(&d.bytes, "\033[?7l");
	draw_rows(&d);
	buf_printf(&d.bytes, "\033[%u;%uH", d.cursor_y + 1, d.cursor_x + 1);
	config.cols = (uint16_t)d.cols;
	p->vt = vt_create(&config, NULL);
	if (p->vt != NULL)
		vt_feed(p->vt, d.bytes.data, d.bytes.len);
	buf_finish(&d.bytes);
	buf_finish(&d.folded);
}

void
scrollback_page_finish(struct scrollback_page *p)
{
	vt_destroy(p->vt);
	*p = (struct scrollback_page){ 0 };
}
