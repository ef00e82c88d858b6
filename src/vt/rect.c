/*
 * Rectangles of the screen: filling, erasing, copying, and queries.  The
 * cursor and a pending wrap stay, and margins count only in origin mode, as
 * the origin and the limits of the rectangle.
 */
#include <string.h>

#include "vt/handlers.h"
#include "vt/state.h"
#include "vt/uni.h"

/* Rows and columns from 0, inclusive. */
struct rect {
	unsigned top, left, bottom, right;
};

static unsigned
min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The part of the screen that may contain rectangles. */
static struct rect
limits(const struct vt *vt)
{
	const struct screen *s = vt->screen;

	if (vt_mode(vt, MODE_DECOM))
		return (struct rect){ s->top, s->left, s->bottom, s->right };
	return (struct rect){ 0, 0, s->rows - 1u, s->cols - 1u };
}

/*
 * The four parameters from i on: top, left, bottom, right.  The rectangle is
 * clipped to the limits; false if nothing is left.
 */
static bool
read_rect(const struct vt *vt, const struct seq *seq, unsigned i,
    struct rect *r)
{
	struct rect in = limits(vt);

	r->top = in.top + seq_arg(seq, i, 1) - 1;
	r->left = in.left + seq_arg(seq, i + 1, 1) - 1;
	r->bottom = min(in.bottom,
	    in.top + seq_arg(seq, i + 2, UINT16_MAX) - 1);
	r->right = min(in.right, in.left + seq_arg(seq, i + 3, UINT16_MAX) - 1);
	return vt->level >= 4 && r->top <= r->bottom && r->left <= r->right;
}

/* Report whole rows before they are lost. */
static void
lose(const struct vt *vt, const struct rect *r)
{
	if (r->left == 0 && r->right + 1u == vt->screen->cols)
		vt_lose(vt, VT_LOSS_ERASED, r->top, r->bottom, 0);
}

/* The cells [left, right] of a row, about to be overwritten. */
static struct cell *
open_part(struct vt *vt, unsigned y, const struct rect *r)
{
	struct screen *s = vt->screen;
	struct row *row = screen_row(s, y);

	screen_split(s, row, r->left, vt_blank(vt));
	screen_split(s, row, r->right + 1, vt_blank(vt));
	if (row->used <= r->right)
		row->used = (uint16_t)(r->right + 1);
	screen_touch(s, row);
	return row->cells + r->left;
}

static void
fill(struct vt *vt, const struct rect *r, struct cell with)
{
	lose(vt, r);
	for (unsigned y = r->top; y <= r->bottom; y++) {
		struct cell *cells = open_part(vt, y, r);
		for (unsigned i = 0; i <= r->right - r->left; i++)
			cells[i] = with;
		screen_trim(screen_row(vt->screen, y));
	}
	vt_check_wait(vt);
}

/* With a character of one column, given by its number. */
void
csi_decfra(struct vt *vt, const struct seq *seq)
{
	struct cell with = vt->pen;
	struct rect r;

	with.ch = seq->args[0];
	bool control = with.ch < 0x20 || (with.ch >= 0x7f && with.ch < 0xa0);
	if (!control && uni_width(with.ch) == 1 && read_rect(vt, seq, 1, &r))
		fill(vt, &r, with);
}

void
csi_decera(struct vt *vt, const struct seq *seq)
{
	struct rect r;

	if (read_rect(vt, seq, 0, &r))
		fill(vt, &r, vt_blank(vt));
}

/* DECSCA's protection counts here, SPA's does not, as in xterm. */
void
csi_decsera(struct vt *vt, const struct seq *seq)
{
	bool spare = vt->protection == PROTECT_SELECTIVE;
	struct rect r;

	if (!read_rect(vt, seq, 0, &r))
		return;
	lose(vt, &r);
	for (unsigned y = r.top; y <= r.bottom; y++)
		screen_erase(vt->screen, y, r.left, r.right + 1, vt_blank(vt),
		    spare);
	vt_check_wait(vt);
}

/* A part of a row by itself: without halves of wide characters, and pads. */
static void
take_part(const struct row *row, const struct rect *r, struct cell *out)
{
	unsigned last = r->right - r->left;

	memcpy(out, row->cells + r->left, (last + 1) * sizeof(*out));
	if (cell_kind(&out[0]) == CELL_TAIL)
		out[0] = (struct cell){ .bg = out[0].bg };
	if (cell_kind(&out[last]) == CELL_WIDE)
		out[last] = (struct cell){ .bg = out[last].bg };
	screen_forget_pad(&out[last]);
}

/* Copy cells to another place of the same size; they may overlap. */
static void
copy(struct vt *vt, const struct rect *from, const struct rect *to)
{
	unsigned height = to->bottom - to->top + 1;
	struct cell part[VT_COLS_MAX];

	lose(vt, to);
	for (unsigned i = 0; i < height; i++) {
		unsigned n = to->top > from->top ? height - 1 - i : i;
		take_part(screen_row(vt->screen, from->top + n), from, part);
		memcpy(open_part(vt, to->top + n, to), part,
		    (to->right - to->left + 1) * sizeof(*part));
		screen_trim(screen_row(vt->screen, to->top + n));
	}
	vt_check_wait(vt);
}

/* There is one page, so the page parameters are ignored. */
void
csi_deccra(struct vt *vt, const struct seq *seq)
{
	struct rect from, to, in = limits(vt);

	if (!read_rect(vt, seq, 0, &from))
		return;
	to.top = in.top + seq_arg(seq, 5, 1) - 1;
	to.left = in.left + seq_arg(seq, 6, 1) - 1;
	to.bottom = min(in.bottom, to.top + from.bottom - from.top);
	to.right = min(in.right, to.left + from.right - from.left);
	if (to.top > to.bottom || to.left > to.right)
		return;
	from.bottom = from.top + to.bottom - to.top;
	from.right = from.left + to.right - to.left;
	copy(vt, &from, &to);
}

static uint32_t
first_code_point(const struct vt *vt, const struct cell *c)
{
	unsigned n;

	if (c->ch & CELL_CLUSTER)
		return clusters_get(&vt->clusters, c->ch & ~CELL_CLUSTER,
		    &n)[0];
	return c->ch == 0 ? ' ' : c->ch;
}

/* A cell's contribution: its character, and some of its attributes. */
static unsigned
weight(const struct vt *vt, const struct cell *c)
{
	static const struct {
		uint32_t attr;
		unsigned weight;
	} extra[] = { { ATTR_UNDERLINE, 0x10 }, { ATTR_INVERSE, 0x20 },
		{ ATTR_BLINK, 0x40 }, { ATTR_BOLD, 0x80 } };
	unsigned sum = first_code_point(vt, c) & 0xff;

	for (size_t i = 0; i < sizeof(extra) / sizeof(extra[0]); i++)
		if (c->attr & extra[i].attr)
			sum += extra[i].weight;
	return sum;
}

/* Blanks count only in the first cell. */
static unsigned
checksum(const struct vt *vt, const struct rect *r)
{
	unsigned sum = 0;

	for (unsigned y = r->top; y <= r->bottom; y++) {
		const struct row *row = screen_row(vt->screen, y);
		for (unsigned x = r->left; x <= r->right; x++) {
			unsigned w = weight(vt, &row->cells[x]);
			if (w != ' ' || (y == r->top && x == r->left))
				sum += w;
		}
	}
	return -sum & 0xffff;
}

void
csi_decrqcra(struct vt *vt, const struct seq *seq)
{
	struct rect r;

	if (!vt->answers_all)
		return;
	unsigned sum = read_rect(vt, seq, 2, &r) ? checksum(vt, &r) : 0;
	vt_reply(vt, "\033P%u!~%04X\033\\", seq->args[0], sum);
}
