#include "vt/text.h"

#include <errno.h>

#include "base/buf.h"
#include "base/sha256.h"
#include "vt/vt.h"

/* One past the last cell that is not an ASCII blank. */
static unsigned
text_end(const struct vt_row *row)
{
	unsigned x = row->used;

	for (; x > 0; x--) {
		const struct cell *c = &row->cells[x - 1];

		if (cell_kind(c) == CELL_TAIL || (c->ch != 0 && c->ch != ' '))
			break;
	}
	return x;
}

/*
 * Copy the ASCII from x on, the bulk of most text; returns the number of
 * cells.
 */
static unsigned
take_ascii(const struct vt_row *row, unsigned x, unsigned end,
    char out[VT_TEXT_MAX])
{
	unsigned n = 0;

	for (; x < end && n < VT_TEXT_MAX; x++, n++) {
		const struct cell *c = &row->cells[x];

		if (c->ch >= 0x80 || cell_kind(c) == CELL_TAIL)
			break;
		out[n] = c->ch != 0 ? (char)c->ch : ' ';
	}
	return n;
}

static void
put_cells(const struct vt_row *row, unsigned end, struct buf *out)
{
	char text[VT_TEXT_MAX];

	for (unsigned x = 0, n; x < end; x += n) {
		size_t len = n = take_ascii(row, x, end, text);

		if (n == 0) {
			n = 1;
			len = vt_cell_text(row, x, text); /* a tail has none */
		}
		buf_append(out, text, len);
	}
}

int
vt_row_text(const struct vt_row *row, struct buf *out)
{
	put_cells(row, text_end(row), out);
	return out->full ? -ENOBUFS : 0;
}

void
vt_lines_begin(struct vt_lines *l, const struct vt *vt, struct buf *out)
{
	*l = (struct vt_lines){ .out = out, .cols = vt_cols(vt) };
}

static bool
begins_wide(const struct vt_row *row)
{
	return row->used > 0 && cell_kind(&row->cells[0]) == CELL_WIDE;
}

bool
vt_lines_add(struct vt_lines *l, const struct vt_row *row)
{
	bool goes_on = l->any && (row->flags & ROW_CONTINUES);
	unsigned blank = goes_on ? l->blank : 0, end = text_end(row);

	if (l->any && !goes_on)
		buf_putc(l->out, '\n');
	if (blank > 0 && l->padded && begins_wide(row))
		blank--;
	while (blank-- > 0)
		buf_putc(l->out, ' ');
	l->any = true;
	l->at = l->out->len;
	put_cells(row, end, l->out);
	l->blank = l->cols - end;
	l->padded = row->used == l->cols &&
	    cell_kind(&row->cells[l->cols - 1]) == CELL_PAD;
	return goes_on;
}

int
vt_text(const struct vt *vt, struct buf *out)
{
	struct vt_row row;

	for (unsigned y = 0; y < vt_rows(vt); y++) {
		if (y > 0)
			buf_putc(out, '\n');
		vt_screen_row(vt, y, &row);
		vt_row_text(&row, out);
	}
	return out->full ? -ENOBUFS : 0;
}

int
vt_history_text(const struct vt *vt, struct buf *out)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct vt_row row;

	while (vt_history_next(it, &row)) {
		vt_row_text(&row, out);
		buf_putc(out, '\n');
	}
	vt_history_end(it);
	return out->full ? -ENOBUFS : 0;
}

void
vt_hash(const struct vt *vt, char out[65])
{
	struct sha256 s;
	struct buf line;
	struct vt_row row;
	uint8_t digest[32];

	sha256_init(&s);
	buf_init(&line, SIZE_MAX);
	for (unsigned y = 0; y < vt_rows(vt); y++) {
		buf_clear(&line);
		if (y > 0)
			buf_putc(&line, '\n');
		vt_screen_row(vt, y, &row);
		vt_row_text(&row, &line);
		sha256_update(&s, line.data, line.len);
	}
	sha256_final(&s, digest);
	sha256_hex(digest, out);
	buf_finish(&line);
}
