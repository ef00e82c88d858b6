#include "vt/text.h"

#include <errno.h>

#include "base/buf.h"
#include "base/sha256.h"
#include "vt/vt.h"

int
vt_row_text(const struct vt_row *row, struct buf *out)
{
	char text[VT_TEXT_MAX];
	size_t start = out->len;

	for (unsigned x = 0; x < row->used; x++) {
		if (cell_kind(&row->cells[x]) == CELL_TAIL)
			continue;
		size_t len = vt_cell_text(row, x, text);
		if (len == 0)
			buf_putc(out, ' ');
		else
			buf_append(out, text, len);
	}
	while (out->len > start && out->data[out->len - 1] == ' ')
		out->len--;
	return out->full ? -ENOBUFS : 0;
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
