#include "op/logical.h"

#include <string.h>

#include "vt/vt.h"

#define HASH_BEGIN 0xcbf29ce484222325u
#define HASH_FACTOR 0x100000001b3u

/* The text of a line, for the hash. */
struct mixer {
	uint64_t hash;
	unsigned blanks; /* they count only if text follows */
	bool any;
};

static void
mix(struct mixer *m, uint32_t value)
{
	m->hash = (m->hash ^ value) * HASH_FACTOR;
}

static void
mix_cluster(struct mixer *m, const struct vt_row *row, unsigned x)
{
	char text[VT_TEXT_MAX];
	size_t len = vt_cell_text(row, x, text);

	for (size_t i = 0; i < len; i++)
		mix(m, (uint8_t)text[i]);
}

static bool
is_blank(const struct cell *c)
{
	return c->ch == 0 || c->ch == ' ';
}

static void
mix_cell(struct mixer *m, const struct vt_row *row, unsigned x)
{
	const struct cell *c = &row->cells[x];

	if (cell_kind(c) == CELL_TAIL || cell_kind(c) == CELL_PAD)
		return;
	if (is_blank(c)) {
		m->blanks++;
		return;
	}
	for (; m->any && m->blanks > 0; m->blanks--)
		mix(m, ' ');
	m->blanks = 0;
	m->any = true;
	if (c->ch & CELL_CLUSTER)
		mix_cluster(m, row, x);
	else
		mix(m, c->ch);
}

unsigned
logical_read(struct logical *line, const struct vt *vt, unsigned row)
{
	struct mixer m = { .hash = HASH_BEGIN };
	unsigned y = row, rows = vt_rows(vt), cols = vt_cols(vt);
	struct vt_row cells;

	vt_screen_row(vt, y, &cells);
	line->cut = (cells.flags & ROW_CONTINUES) != 0;
	do {
		for (unsigned x = 0; x < cells.used; x++)
			mix_cell(&m, &cells, x);
		m.blanks += cols - cells.used;
		if (++y < rows)
			vt_screen_row(vt, y, &cells);
	} while (y < rows && (cells.flags & ROW_CONTINUES));
	line->hash = m.any ? m.hash | 1 : 0;
	line->row = (uint16_t)row;
	line->rows = (uint16_t)(y - row);
	return y;
}

unsigned
logical_first_row(const struct vt *vt, unsigned row)
{
	struct vt_row cells;

	for (; row > 0; row--) {
		vt_screen_row(vt, row, &cells);
		if (!(cells.flags & ROW_CONTINUES))
			break;
	}
	return row;
}

unsigned
logical_end(const struct logical *line, const struct vt *vt)
{
	unsigned cols = vt_cols(vt);
	struct vt_row row;

	for (unsigned i = line->rows; i > 0; i--) {
		vt_screen_row(vt, line->row + i - 1, &row);
		for (unsigned x = row.used; x > 0; x--)
			if (!is_blank(&row.cells[x - 1]) ||
			    cell_kind(&row.cells[x - 1]) == CELL_TAIL)
				return (i - 1) * cols + x;
	}
	return 0;
}

bool
logical_is_full(const struct logical *line, const struct vt *vt)
{
	struct vt_row row;

	vt_screen_row(vt, line->row + line->rows - 1u, &row);
	return row.used == vt_cols(vt);
}

/* The cell and its row; NULL if nothing was written there. */
static const struct cell *
cell_at(const struct logical *line, const struct vt *vt, unsigned at,
    struct vt_row *row)
{
	unsigned cols = vt_cols(vt);

	if (at / cols >= line->rows)
		return NULL;
	vt_screen_row(vt, line->row + at / cols, row);
	return at % cols < row->used ? &row->cells[at % cols] : NULL;
}

bool
logical_is_blank(const struct logical *line, const struct vt *vt, unsigned at)
{
	struct vt_row row;
	const struct cell *c = cell_at(line, vt, at, &row);

	return c == NULL || (is_blank(c) && cell_kind(c) != CELL_TAIL);
}

/* The cells [0, to) of a row, as part of the line. */
static void
mix_cells(struct mixer *m, const struct vt_row *row, unsigned to)
{
	for (unsigned x = 0; x < to; x++)
		if (x >= row->used || is_blank(&row->cells[x]))
			mix(m, ' ');
		else
			mix_cell(m, row, x);
}

uint64_t
logical_prefix(const struct logical *line, const struct vt *vt, unsigned to)
{
	struct mixer m = { .hash = HASH_BEGIN };
	unsigned cols = vt_cols(vt);
	struct vt_row row;

	for (unsigned y = 0; to > 0; y++) {
		unsigned n = to < cols ? to : cols;

		row.used = 0;
		if (y < line->rows)
			vt_screen_row(vt, line->row + y, &row);
		mix_cells(&m, &row, n);
		to -= n;
	}
	return m.hash;
}

size_t
logical_match(const struct logical *line, const struct vt *vt, unsigned *at,
    const char *text, size_t len)
{
	unsigned cells = line->rows * vt_cols(vt);
	char cell[VT_TEXT_MAX];
	struct vt_row row;
	size_t done = 0;

	for (; *at < cells; ++*at) {
		const struct cell *c = cell_at(line, vt, *at, &row);
		size_t n;

		/* The tail of the last character is a part of it. */
		if (c != NULL && cell_kind(c) == CELL_TAIL)
			continue;
		if (done == len)
			break;
		if (c != NULL && cell_kind(c) == CELL_PAD)
			continue;
		n = c != NULL ? vt_cell_text(&row, *at % vt_cols(vt), cell) : 0;
		if (n == 0)
			cell[n++] = ' ';
		if (n > len - done || memcmp(cell, text + done, n) != 0)
			return done;
		done += n;
	}
	return done;
}
