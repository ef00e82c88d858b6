/*
 * The cursor: moving, tabs, margins, saving.  Rows and columns in sequences
 * count from 1, ours from 0.
 */
#include <assert.h>
#include <string.h>

#include "vt/handlers.h"
#include "vt/state.h"

static unsigned
min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

void
vt_move_to(struct vt *vt, unsigned x, unsigned y)
{
	const struct screen *s = vt->screen;

	vt->cursor.x = (uint16_t)min(x, s->cols - 1u);
	vt->cursor.y = (uint16_t)min(y, s->rows - 1u);
	vt->cursor.pending = false;
}

/* Move to a position given by the program: with DECOM, inside the margins. */
static void
move_to_origin(struct vt *vt, unsigned x, unsigned y)
{
	const struct screen *s = vt->screen;

	if (vt_mode(vt, MODE_DECOM))
		vt_move_to(vt, min(s->left + x, s->right),
		    min(s->top + y, s->bottom));
	else
		vt_move_to(vt, x, y);
}

static bool
has_text(const struct cell *c)
{
	return c->ch != 0 || cell_kind(c) == CELL_TAIL;
}

/*
 * A wrap is pending where text wraps: at the right margin, or at the edge
 * beyond it.  CBT and the removal of side margins may leave it in another
 * column.  Some pending wraps cannot be rendered as bytes, so they are
 * dropped: in the first column, elsewhere between margins, on the left half of
 * a wide character, and, if DECSCL allows neither side margins nor rectangles,
 * wherever these would be needed.  A pad without a pending wrap behind it
 * becomes a blank.
 */
void
vt_check_wait(struct vt *vt)
{
	struct screen *s = vt->screen;
	struct row *row = screen_row(s, vt->cursor.y);
	unsigned x = vt->cursor.x;
	unsigned end = x <= s->right ? s->right : s->cols - 1u;
	struct cell *c = &row->cells[x];

	if (!vt->cursor.pending)
		return;
	if (vt->level < 4)
		vt->cursor.pending = x == end && has_text(c);
	else if (cell_kind(c) == CELL_WIDE)
		vt->cursor.pending = false;
	else
		vt->cursor.pending = x == end ||
		    (x > 0 && screen_full_width(s));
	if (cell_kind(c) == CELL_PAD) {
		screen_forget_pad(c);
		screen_touch(s, row);
	}
}

void
vt_home(struct vt *vt)
{
	move_to_origin(vt, 0, 0);
}

/* Movement stops at a margin only if it begins inside the margins. */
static void
move_up(struct vt *vt, unsigned n)
{
	unsigned y = vt->cursor.y;
	unsigned limit = y >= vt->screen->top ? vt->screen->top : 0;

	vt_move_to(vt, vt->cursor.x, y - min(n, y - limit));
}

static void
move_down(struct vt *vt, unsigned n)
{
	const struct screen *s = vt->screen;
	unsigned y = vt->cursor.y;
	unsigned limit = y <= s->bottom ? s->bottom : s->rows - 1u;

	vt_move_to(vt, vt->cursor.x, y + min(n, limit - y));
}

static void
move_right(struct vt *vt, unsigned n)
{
	const struct screen *s = vt->screen;
	unsigned x = vt->cursor.x;
	unsigned limit = x <= s->right ? s->right : s->cols - 1u;

	vt_move_to(vt, x + min(n, limit - x), vt->cursor.y);
}

/* True if mode 45 or 1045 is in force. */
static bool
wraps_back(const struct vt *vt)
{
	return vt_mode(vt, MODE_DECAWM) &&
	    (vt_mode(vt, MODE_REVERSE_WRAP) ||
		vt_mode(vt, MODE_REVERSE_WRAP_ANY));
}

/*
 * With mode 1045, move one step back to the row above, or from the top to the
 * bottom.
 */
static bool
step_back(struct vt *vt)
{
	const struct screen *s = vt->screen;
	unsigned y = vt->cursor.y;

	if (y == s->top && vt_between_sides(vt, vt->cursor.x))
		y = s->bottom;
	else
		y = y > 0 ? y - 1 : s->rows - 1u;
	vt_move_to(vt, s->right, y);
	return true;
}

/* With mode 45, move one step back over the wrap of this row. */
static bool
unwrap(struct vt *vt)
{
	struct screen *s = vt->screen;
	unsigned y = vt->cursor.y;

	if (!wraps_back(vt))
		return false;
	if (vt_mode(vt, MODE_REVERSE_WRAP_ANY))
		return step_back(vt);
	if (y <= s->top || y > s->bottom ||
	    !(screen_row(s, y)->flags & ROW_CONTINUES))
		return false;
	screen_row(s, y)->flags &= (uint16_t)~ROW_CONTINUES;
	/*
	 * The empty cell at the end is there because a wide character had no
	 * room.
	 */
	const struct cell *c = &screen_row(s, y - 1)->cells[s->right];
	bool empty = c->ch == 0 && cell_kind(c) != CELL_TAIL;
	vt_move_to(vt, s->right - empty, y - 1);
	return true;
}

static void
move_left(struct vt *vt, unsigned n)
{
	if (vt->cursor.pending && wraps_back(vt)) {
		vt->cursor.pending = false;
		n--;
	}
	vt->cursor.pending = false;
	while (n > 0) {
		unsigned x = vt->cursor.x;
		unsigned limit = x >= vt->screen->left ? vt->screen->left : 0;
		unsigned step = min(n, x - limit);
		vt->cursor.x = (uint16_t)(x - step);
		n -= step;
		if (n == 0 || !unwrap(vt))
			break;
		n--;
	}
}

static void
to_left_margin(struct vt *vt)
{
	const struct screen *s = vt->screen;
	bool inside = vt_mode(vt, MODE_DECOM) || vt->cursor.x >= s->left;

	vt->cursor.x = inside ? s->left : 0;
	vt->cursor.pending = false;
}

/* True if rows that scroll off the margins' top leave the primary screen. */
static bool
leaves_top(const struct vt *vt)
{
	return !vt_on_alt(vt) && vt->screen->top == 0 &&
	    screen_full_width(vt->screen);
}

static_assert(AHEAD_ROW_MAX <= HISTORY_LINE_MAX,
    "a row packed ahead is a line, or the end of one");

static void
row_to_history(struct vt *vt, struct row *row)
{
	const uint8_t *packed = ahead_find(&vt->ahead, row);
	unsigned cols = vt->screen->cols;

	if (packed != NULL && row->used <= HISTORY_PIECE) {
		history_push_packed_row(&vt->history, packed, row->packed_len,
		    cols - row->used, row->flags);
		return;
	}
	ahead_start(&vt->ahead, vt->screen->rows);
	screen_trim(row);
	history_push(&vt->history, row->cells, row->used, cols, row->flags,
	    &vt->clusters);
}

static void
scroll_up(struct vt *vt, unsigned n)
{
	struct screen *s = vt->screen;

	n = min(n, s->bottom - s->top + 1u);
	if (leaves_top(vt))
		vt->scrolled += n;
	if (leaves_top(vt) && vt->history.lines_max > 0)
		for (unsigned y = 0; y < n; y++)
			row_to_history(vt, screen_row(s, y));
	else if (screen_full_width(s))
		vt_lose(vt, VT_LOSS_UP, s->top, s->bottom, n);
	screen_scroll_up(s, s->top, s->bottom, n, vt_blank(vt));
}

void
vt_scroll_down(struct vt *vt, unsigned top, unsigned n)
{
	struct screen *s = vt->screen;

	if (screen_full_width(s))
		vt_lose(vt, VT_LOSS_DOWN, top, s->bottom,
		    min(n, s->bottom - top + 1u));
	screen_scroll_down(s, top, s->bottom, n, vt_blank(vt));
}

void
vt_delete_rows(struct vt *vt, unsigned top, unsigned n)
{
	struct screen *s = vt->screen;

	if (screen_full_width(s))
		vt_lose(vt, VT_LOSS_UP, top, s->bottom,
		    min(n, s->bottom - top + 1u));
	screen_scroll_up(s, top, s->bottom, n, vt_blank(vt));
}

bool
vt_between_sides(const struct vt *vt, unsigned x)
{
	return x >= vt->screen->left && x <= vt->screen->right;
}

/*
 * Outside the side margins, the top and bottom margins stop the cursor but do
 * not scroll.
 */
void
vt_linefeed(struct vt *vt)
{
	const struct screen *s = vt->screen;

	vt->cursor.pending = false;
	if (vt->cursor.y == s->bottom) {
		if (vt_between_sides(vt, vt->cursor.x))
			scroll_up(vt, 1);
	} else if (vt->cursor.y < s->rows - 1) {
		vt->cursor.y++;
	}
}

/* The same on the program's request, which ends the line. */
static void
end_line(struct vt *vt)
{
	screen_row(vt->screen, vt->cursor.y)->left = true;
	vt_linefeed(vt);
}

/* For sequences that are recognised and have no effect. */
void
seq_ignore(struct vt *vt, const struct seq *seq)
{
	(void)vt;
	(void)seq;
}

void
c0_bel(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt_emit(vt, &(struct vt_event){ .type = VT_EVENT_BELL });
}

void
c0_bs(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	move_left(vt, 1);
}

void
c0_lf(struct vt *vt, const struct seq *seq)
{
	unsigned before = vt->cursor.y;

	(void)seq;
	end_line(vt);
	/* The column before CR decides whether it scrolls. */
	if (vt_mode(vt, MODE_LNM))
		to_left_margin(vt);
	/* An explicit line feed begins a new line, whatever the row held. */
	if (vt->cursor.y != before)
		screen_row(vt->screen, vt->cursor.y)
		    ->flags &= (uint16_t)~ROW_CONTINUES;
}

void
c0_cr(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	to_left_margin(vt);
}

void
c0_so(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt->charsets.current = 1;
}

void
c0_si(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt->charsets.current = 0;
}

void
esc_ind(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	end_line(vt);
}

void
esc_nel(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	end_line(vt);
	to_left_margin(vt);
}

void
esc_ri(struct vt *vt, const struct seq *seq)
{
	struct screen *s = vt->screen;

	(void)seq;
	vt->cursor.pending = false;
	if (vt->cursor.y == s->top) {
		if (vt_between_sides(vt, vt->cursor.x))
			vt_scroll_down(vt, s->top, 1);
	} else if (vt->cursor.y > 0) {
		vt->cursor.y--;
	}
}

void
esc_ss2(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt->charsets.single = 2;
}

void
esc_ss3(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt->charsets.single = 3;
}

void
esc_ls2(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt->charsets.current = 2;
}

void
esc_ls3(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt->charsets.current = 3;
}

void
esc_scs(struct vt *vt, const struct seq *seq)
{
	charsets_name(&vt->charsets, seq->intermediate - '(', seq->final);
}

void
csi_cuu(struct vt *vt, const struct seq *seq)
{
	move_up(vt, seq_arg(seq, 0, 1));
}

void
csi_cud(struct vt *vt, const struct seq *seq)
{
	move_down(vt, seq_arg(seq, 0, 1));
}

void
csi_cuf(struct vt *vt, const struct seq *seq)
{
	move_right(vt, seq_arg(seq, 0, 1));
}

void
csi_cub(struct vt *vt, const struct seq *seq)
{
	move_left(vt, seq_arg(seq, 0, 1));
}

void
csi_cnl(struct vt *vt, const struct seq *seq)
{
	move_down(vt, seq_arg(seq, 0, 1));
	to_left_margin(vt);
}

void
csi_cpl(struct vt *vt, const struct seq *seq)
{
	move_up(vt, seq_arg(seq, 0, 1));
	to_left_margin(vt);
}

void
csi_cha(struct vt *vt, const struct seq *seq)
{
	const struct screen *s = vt->screen;
	unsigned x = seq_arg(seq, 0, 1) - 1;

	if (vt_mode(vt, MODE_DECOM))
		x = min(s->left + x, s->right);
	vt_move_to(vt, x, vt->cursor.y);
}

void
csi_cup(struct vt *vt, const struct seq *seq)
{
	move_to_origin(vt, seq_arg(seq, 1, 1) - 1, seq_arg(seq, 0, 1) - 1);
}

/* HPR and VPR stop at the edge of the screen, or with DECOM of the margins. */
void
csi_hpr(struct vt *vt, const struct seq *seq)
{
	const struct screen *s = vt->screen;
	unsigned x = vt->cursor.x + seq_arg(seq, 0, 1);

	vt_move_to(vt, vt_mode(vt, MODE_DECOM) ? min(x, s->right) : x,
	    vt->cursor.y);
}

void
csi_vpa(struct vt *vt, const struct seq *seq)
{
	const struct screen *s = vt->screen;
	unsigned y = seq_arg(seq, 0, 1) - 1;

	if (vt_mode(vt, MODE_DECOM))
		y = min(s->top + y, s->bottom);
	vt_move_to(vt, vt->cursor.x, y);
}

void
csi_vpr(struct vt *vt, const struct seq *seq)
{
	const struct screen *s = vt->screen;
	unsigned y = vt->cursor.y + seq_arg(seq, 0, 1);

	vt_move_to(vt, vt->cursor.x,
	    vt_mode(vt, MODE_DECOM) ? min(y, s->bottom) : y);
}

static bool
is_tab(const struct vt *vt, unsigned x)
{
	return vt->tabs[x / 8] >> (x % 8) & 1;
}

static void
set_tab(struct vt *vt, unsigned x, bool on)
{
	uint8_t bit = (uint8_t)(1u << (x % 8));

	if (on)
		vt->tabs[x / 8] |= bit;
	else
		vt->tabs[x / 8] &= (uint8_t)~bit;
}

void
vt_default_tabs(struct vt *vt, unsigned from)
{
	for (unsigned x = from; x < vt->screen->cols; x++)
		set_tab(vt, x, x % 8 == 0);
}

/*
 * Tabs stop at the right margin, and lead back to it from beyond, as in
 * xterm.  They do not wrap, unless mode 41 is set; a pending wrap stays.
 */
static void
tab_forward(struct vt *vt, unsigned n)
{
	const struct screen *s = vt->screen;

	if (vt->cursor.pending && vt_mode(vt, MODE_MORE_FIX) &&
	    vt_mode(vt, MODE_DECAWM)) {
		vt_linefeed(vt);
		vt->cursor.x = 0;
	}
	unsigned x = min(vt->cursor.x, s->right);
	while (n > 0 && x < s->right)
		if (is_tab(vt, ++x))
			n--;
	vt->cursor.x = (uint16_t)x;
}

static void
tab_back(struct vt *vt, unsigned n)
{
	const struct screen *s = vt->screen;
	unsigned x = vt->cursor.x;
	unsigned limit = vt_mode(vt, MODE_DECOM) && x >= s->left ? s->left : 0;
	const struct cursor was = vt->cursor;

	while (n > 0 && x > limit)
		if (is_tab(vt, --x))
			n--;
	vt->cursor.x = (uint16_t)x;
	if (!was.pending)
		return;
	vt_check_wait(vt);
	/* The next text wraps from any column, so restore the cursor. */
	if (!vt->cursor.pending && vt_mode(vt, MODE_DECAWM))
		vt->cursor = was;
}

void
c0_ht(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	tab_forward(vt, 1);
}

void
csi_cht(struct vt *vt, const struct seq *seq)
{
	tab_forward(vt, seq_arg(seq, 0, 1));
}

void
csi_cbt(struct vt *vt, const struct seq *seq)
{
	tab_back(vt, seq_arg(seq, 0, 1));
}

void
esc_hts(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	set_tab(vt, vt->cursor.x, true);
}

void
csi_tbc(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] == 0)
		set_tab(vt, vt->cursor.x, false);
	else if (seq->args[0] == 3)
		memset(vt->tabs, 0, (vt->screen->cols + 7u) / 8);
}

void
csi_decst8c(struct vt *vt, const struct seq *seq)
{
	if (seq->args[0] == 5)
		vt_default_tabs(vt, 0);
}

void
csi_decstbm(struct vt *vt, const struct seq *seq)
{
	struct screen *s = vt->screen;
	unsigned top = seq_arg(seq, 0, 1);
	unsigned bottom = min(seq_arg(seq, 1, s->rows), s->rows);

	if (top >= bottom)
		return;
	s->top = (uint16_t)(top - 1);
	s->bottom = (uint16_t)(bottom - 1);
	vt_home(vt);
}

static void
set_side_margins(struct vt *vt, const struct seq *seq)
{
	struct screen *s = vt->screen;
	unsigned left = seq_arg(seq, 0, 1);
	unsigned right = min(seq_arg(seq, 1, s->cols), s->cols);

	if (left >= right)
		return;
	s->left = (uint16_t)(left - 1);
	s->right = (uint16_t)(right - 1);
	vt_home(vt);
}

void
csi_scosc_or_slrm(struct vt *vt, const struct seq *seq)
{
	if (vt_mode(vt, MODE_DECLRMM))
		set_side_margins(vt, seq);
	else
		vt_save_cursor(vt);
}

void
csi_scorc(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt_restore_cursor(vt);
}

void
vt_save_cursor(struct vt *vt)
{
	vt->saved[vt_on_alt(vt)] = (struct saved_cursor){
		.x = vt->cursor.x,
		.y = vt->cursor.y,
		.pending = vt->cursor.pending,
		.origin = vt_mode(vt, MODE_DECOM),
		.pen = vt->pen,
		.charsets = vt->charsets,
	};
	/* A single shift applies to the next character, wherever that is. */
	vt->saved[vt_on_alt(vt)].charsets.single = 0;
}

void
vt_restore_cursor(struct vt *vt)
{
	const struct saved_cursor *saved = &vt->saved[vt_on_alt(vt)];
	const struct screen *s = vt->screen;
	unsigned x = saved->x, y = saved->y;

	vt->pen = saved->pen;
	vt->charsets = saved->charsets;
	vt->modes &= ~(1ull << MODE_DECOM);
	vt->modes |= (uint64_t)saved->origin << MODE_DECOM;
	if (saved->origin) {
		x = x < s->left ? s->left : min(x, s->right);
		y = y < s->top ? s->top : min(y, s->bottom);
	}
	vt_move_to(vt, x, y);
	vt->cursor.pending = saved->pending;
	vt_check_wait(vt);
}

void
vt_reset_saved_cursor(struct vt *vt, unsigned which)
{
	vt->saved[which] = (struct saved_cursor){ 0 };
	charsets_init(&vt->saved[which].charsets);
}

void
esc_decsc(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt_save_cursor(vt);
}

void
esc_decrc(struct vt *vt, const struct seq *seq)
{
	(void)seq;
	vt_restore_cursor(vt);
}
