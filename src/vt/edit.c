/*
 * Erasing, inserting and deleting.  While a wrap is pending the cursor is on
 * the last column, as in xterm: its character is erased with the rest.
 * Erasing drops a pending wrap; scrolling and shifting do not.
 */
#include "vt/handlers.h"
#include "vt/state.h"

/* True if erasing spares protected text. */
static bool
spares(const struct vt *vt, bool selective)
{
	return selective || vt->protection == PROTECT_ALWAYS;
}

static void
no_longer_continues(struct vt *vt, unsigned y)
{
	if (y < vt->screen->rows)
		screen_row(vt->screen, y)->flags &= (uint16_t)~ROW_CONTINUES;
}

static void
erase_row(struct vt *vt, unsigned y, bool spare)
{
	struct screen *s = vt->screen;

	if (spare)
		screen_erase(s, y, 0, s->cols, vt_blank(vt), true);
	else
		screen_clear_row(s, y, vt_blank(vt));
	no_longer_continues(vt, y);
}

static void
erase_right(struct vt *vt, bool spare)
{
	struct screen *s = vt->screen;

	screen_erase(s, vt->cursor.y, vt->cursor.x, s->cols, vt_blank(vt),
	    spare);
	if (vt->cursor.x == 0)
		no_longer_continues(vt, vt->cursor.y);
	vt->cursor.pending = false;
}

static void
erase_left(struct vt *vt, bool spare)
{
	screen_erase(vt->screen, vt->cursor.y, 0, vt->cursor.x + 1u,
	    vt_blank(vt), spare);
	vt->cursor.pending = false;
}

/*
 * True if the cursor's line was ended before the cursor came back to it.  If
 * not, erasing it is editing it.
 */
static bool
line_was_left(const struct vt *vt)
{
	const struct screen *s = vt->screen;
	unsigned y = vt->cursor.y;

	while (y + 1u < s->rows && screen_row(s, y + 1)->flags & ROW_CONTINUES)
		y++;
	return screen_row(s, y)->left;
}

/* True if erasing left of the cursor erases the whole row. */
static bool
erases_row_left(const struct vt *vt)
{
	return vt->cursor.x + 1u == vt->screen->cols;
}

/*
 * Report the rows that are lost when the screen is erased from the cursor on.
 */
static void
lose_below(const struct vt *vt)
{
	const struct screen *s = vt->screen;
	bool left = line_was_left(vt);
	unsigned y = vt->cursor.y + !(left && vt->cursor.x == 0);

	while (!left && y < s->rows && screen_row(s, y)->flags & ROW_CONTINUES)
		y++;
	if (y < s->rows)
		vt_lose(vt, VT_LOSS_ERASED, y, s->rows - 1u, 0);
}

static void
lose_above(const struct vt *vt)
{
	unsigned n = vt->cursor.y + (erases_row_left(vt) && line_was_left(vt));

	if (n > 0)
		vt_lose(vt, VT_LOSS_ERASED, 0, n - 1, 0);
}

static void
erase_above(struct vt *vt, bool spare)
{
	lose_above(vt);
	for (unsigned y = 0; y < vt->cursor.y; y++)
		erase_row(vt, y, spare);
	erase_left(vt, spare);
	no_longer_continues(vt, vt->cursor.y);
	if (erases_row_left(vt))
		no_longer_continues(vt, vt->cursor.y + 1u);
}

static void
erase_below(struct vt *vt, bool spare)
{
	lose_below(vt);
	erase_right(vt, spare);
	for (unsigned y = vt->cursor.y + 1u; y < vt->screen->rows; y++)
		erase_row(vt, y, spare);
}

static void
erase_all(struct vt *vt, bool spare)
{
	vt_lose(vt, VT_LOSS_ERASED, 0, vt->screen->rows - 1u, 0);
	for (unsigned y = 0; y < vt->screen->rows; y++)
		erase_row(vt, y, spare);
	vt->cursor.pending = false;
}

static bool
has_protected(const struct screen *s)
{
	for (unsigned y = 0; y < s->rows; y++) {
		const struct row *row = screen_row(s, y);
		for (unsigned x = 0; x < row->used; x++)
			if (row->cells[x].attr & ATTR_PROTECTED)
				return true;
	}
	return false;
}

/* SPA's protection ends when everything was erased and nothing was spared. */
static void
end_protection(struct vt *vt, unsigned what)
{
	const struct screen *s = vt->screen;
	const struct cursor *c = &vt->cursor;
	bool all = what == 2 || (what == 0 && c->x == 0 && c->y == 0) ||
	    (what == 1 && c->x == s->cols - 1 && c->y == s->rows - 1);

	if (vt->protection == PROTECT_ALWAYS && all && !has_protected(s))
		vt->protection = PROTECT_SELECTIVE;
}

static void
erase_display(struct vt *vt, unsigned what, bool selective)
{
	bool spare = spares(vt, selective);

	if (what == 0)
		erase_below(vt, spare);
	else if (what == 1)
		erase_above(vt, spare);
	else if (what == 2)
		erase_all(vt, spare);
	else if (what == 3 && !vt_on_alt(vt)) {
		vt_lose(vt, VT_LOSS_HISTORY, 0, 0, 0);
		history_clear(&vt->history);
	}
	end_protection(vt, what);
}

static void
lose_line(const struct vt *vt, unsigned what)
{
	bool whole = what == 2 || (what == 0 && vt->cursor.x == 0) ||
	    (what == 1 && erases_row_left(vt));

	if (whole && line_was_left(vt))
		vt_lose(vt, VT_LOSS_LINE, vt->cursor.y, vt->cursor.y, 0);
}

static void
erase_line(struct vt *vt, unsigned what, bool selective)
{
	struct screen *s = vt->screen;
	bool spare = spares(vt, selective);

	lose_line(vt, what);
	if (what == 0) {
		erase_right(vt, spare);
	} else if (what == 1) {
		erase_left(vt, spare);
	} else if (what == 2) {
		screen_erase(s, vt->cursor.y, 0, s->cols, vt_blank(vt), spare);
		no_longer_continues(vt, vt->cursor.y);
		vt->cursor.pending = false;
	}
}

void
csi_ed(struct vt *vt, const struct seq *seq)
{
	erase_display(vt, seq->args[0], false);
}

void
csi_decsed(struct vt *vt, const struct seq *seq)
{
	erase_display(vt, seq->args[0], true);
}

void
csi_el(struct vt *vt, const struct seq *seq)
{
	erase_line(vt, seq->args[0], false);
}

void
csi_decsel(struct vt *vt, const struct seq *seq)
{
	erase_line(vt, seq->args[0], true);
}

void
csi_ech(struct vt *vt, const struct seq *seq)
{
	struct screen *s = vt->screen;
	unsigned x = vt->cursor.x, to = x + seq_arg(seq, 0, 1);

	vt->cursor.pending = false;
	screen_erase(s, vt->cursor.y, x, to < s->cols ? to : s->cols,
	    vt_blank(vt), spares(vt, false));
}

/* True if the cursor is where rows and columns can be edited. */
static bool
inside_margins(const struct vt *vt)
{
	const struct screen *s = vt->screen;

	return vt->cursor.y >= s->top && vt->cursor.y <= s->bottom &&
	    vt->cursor.x >= s->left && vt->cursor.x <= s->right;
}

/* Characters move only between the left and right margins. */
void
csi_ich(struct vt *vt, const struct seq *seq)
{
	vt->cursor.pending = false;
	if (vt_between_sides(vt, vt->cursor.x))
		screen_insert_cells(vt->screen, vt->cursor.y, vt->cursor.x,
		    seq_arg(seq, 0, 1), vt_blank(vt));
}

void
csi_dch(struct vt *vt, const struct seq *seq)
{
	if (!vt_between_sides(vt, vt->cursor.x))
		return;
	vt->cursor.pending = false;
	screen_delete_cells(vt->screen, vt->cursor.y, vt->cursor.x,
	    seq_arg(seq, 0, 1), vt_blank(vt));
}

void
csi_il(struct vt *vt, const struct seq *seq)
{
	struct screen *s = vt->screen;

	if (!inside_margins(vt))
		return;
	vt_scroll_down(vt, vt->cursor.y, seq_arg(seq, 0, 1));
	vt_move_to(vt, s->left, vt->cursor.y);
}

void
csi_dl(struct vt *vt, const struct seq *seq)
{
	struct screen *s = vt->screen;

	if (!inside_margins(vt))
		return;
	vt_delete_rows(vt, vt->cursor.y, seq_arg(seq, 0, 1));
	vt_move_to(vt, s->left, vt->cursor.y);
}

void
csi_su(struct vt *vt, const struct seq *seq)
{
	vt_delete_rows(vt, vt->screen->top, seq_arg(seq, 0, 1));
	vt_check_wait(vt);
}

void
csi_sd(struct vt *vt, const struct seq *seq)
{
	/*
	 * Five parameters, or a zero, mean the highlight tracking of old mice.
	 */
	bool tracks = seq->final == 'T' &&
	    (seq->nargs > 1 || (!seq->bare && seq->args[0] == 0));

	if (tracks)
		return;
	vt_scroll_down(vt, vt->screen->top, seq_arg(seq, 0, 1));
	vt_check_wait(vt);
}

/* Insert or delete columns at x in every row between the margins. */
static void
shift_columns(struct vt *vt, unsigned x, unsigned n, bool insert)
{
	struct screen *s = vt->screen;

	if (!inside_margins(vt))
		return;
	for (unsigned y = s->top; y <= s->bottom; y++) {
		if (insert)
			screen_insert_cells(s, y, x, n, vt_blank(vt));
		else
			screen_delete_cells(s, y, x, n, vt_blank(vt));
		no_longer_continues(vt, y);
	}
	vt_check_wait(vt);
}

void
csi_decic(struct vt *vt, const struct seq *seq)
{
	shift_columns(vt, vt->cursor.x, seq_arg(seq, 0, 1), true);
}

void
csi_decdc(struct vt *vt, const struct seq *seq)
{
	shift_columns(vt, vt->cursor.x, seq_arg(seq, 0, 1), false);
}

void
csi_sl(struct vt *vt, const struct seq *seq)
{
	shift_columns(vt, vt->screen->left, seq_arg(seq, 0, 1), false);
}

void
csi_sr(struct vt *vt, const struct seq *seq)
{
	shift_columns(vt, vt->screen->left, seq_arg(seq, 0, 1), true);
}

void
esc_decbi(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	if (vt->cursor.x == vt->screen->left)
		shift_columns(vt, vt->screen->left, 1, true);
	else if (vt->cursor.x > 0)
		vt_move_to(vt, vt->cursor.x - 1u, vt->cursor.y);
}

void
esc_decfi(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	if (vt->cursor.x == vt->screen->right)
		shift_columns(vt, vt->screen->left, 1, false);
	else
		vt_move_to(vt, vt->cursor.x + 1u, vt->cursor.y);
}

void
csi_decsca(struct vt *vt, const struct seq *seq)
{
	vt->protection = PROTECT_SELECTIVE;
	if (seq->args[0] == 1)
		vt->pen.attr |= ATTR_PROTECTED;
	else if (seq->args[0] == 0 || seq->args[0] == 2)
		vt->pen.attr &= ~(uint32_t)ATTR_PROTECTED;
}

void
esc_spa(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt->protection = PROTECT_ALWAYS;
	vt->pen.attr |= ATTR_PROTECTED;
}

void
esc_epa(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt->pen.attr &= ~(uint32_t)ATTR_PROTECTED;
}
