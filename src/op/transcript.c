#include "op/transcript.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "vt/keyframe.h"
#include "vt/text.h"
#include "vt/vt.h"

/*
 * The history is emptied before it can overflow: output is fed in pieces that
 * are small enough for it.
 */
#define PIECE 1000
#define HISTORY_TAKEN 500
#define HISTORY_LINES 4096
#define HISTORY_BYTES (32u << 20)
#define KEYFRAME_MAX (64u << 20)
#define ROW_MAX ((size_t)VT_COLS_MAX * VT_TEXT_MAX)

#define NOTES_MAX 256 /* erased lines kept in one frame */

/* A line that was ended and then erased in the current frame. */
struct note {
	const struct cell *row; /* identifies the row */
	unsigned y;
	struct buf text;
};

struct transcript {
	struct vt *vt; /* NULL: no screen yet */
	bool wanted;
	size_t taken;    /* rows of the history already written */
	uint64_t *shown; /* hashes of the first rows, already written */
	unsigned n_shown;
	struct vt_lines lines;   /* `any`: the last row written may continue */
	transcript_row_fn *tell; /* or NULL */
	void *tell_arg;
	struct buf row;
	struct note notes[NOTES_MAX];
	unsigned n_notes;
};

static uint64_t
hash(const struct buf *b)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

	for (size_t i = 0; i < b->len; i++)
		h = (h ^ b->data[i]) * 0x100000001b3;
	return h;
}

static uint64_t
hash_of_blank(void)
{
	return hash(&(struct buf){ 0 });
}

static void
end_line(struct transcript *t)
{
	if (t->lines.any)
		buf_putc(t->lines.out, '\n');
	t->lines.any = false;
}

static void
tell(struct transcript *t, const struct vt_row *row, size_t at)
{
	if (t->tell != NULL)
		t->tell(t->tell_arg, t->vt, row, at);
}

/* Write a row; it continues the line before only if may_go_on. */
static void
write_row(struct transcript *t, const struct vt_row *row, bool may_go_on)
{
	struct vt_row r = *row;

	if (!t->wanted)
		return;
	if (!may_go_on)
		r.flags &= ~(unsigned)ROW_CONTINUES;
	t->lines.cols = vt_cols(t->vt);
	vt_lines_add(&t->lines, &r);
	tell(t, &r, t->lines.at);
}

static const struct buf *
row_text(struct transcript *t, const struct vt_row *row)
{
	buf_clear(&t->row);
	vt_row_text(row, &t->row);
	return &t->row;
}

/*
 * A row is complete.  Its number is y while y rows above it are on the screen.
 * A row that was written before is written again only if it changed.
 */
static uint64_t
finish_row(struct transcript *t, unsigned y, const struct vt_row *row)
{
	uint64_t h = hash(row_text(t, row));

	if (y >= t->n_shown)
		write_row(t, row, true);
	else if (t->shown[y] != h && t->row.len > 0)
		write_row(t, row, false);
	if (y < t->n_shown)
		t->shown[y] = h;
	return h;
}

/* The rows before `to` are complete, as far as is known now. */
static void
finish_rows(struct transcript *t, unsigned to)
{
	struct vt_row row;

	t->shown = xrealloc(t->shown, vt_rows(t->vt), sizeof(*t->shown));
	for (unsigned y = 0; y < to; y++) {
		vt_screen_row(t->vt, y, &row);
		uint64_t h = finish_row(t, y, &row);
		if (y >= t->n_shown) {
			t->shown[y] = h;
			t->n_shown = y + 1;
		}
	}
}

static void
forget_first_row(struct transcript *t)
{
	if (t->n_shown == 0)
		return;
	t->n_shown--;
	memmove(t->shown, t->shown + 1, t->n_shown * sizeof(*t->shown));
}

/* Write the lines that have left the screen since the last call. */
static void
write_history(struct transcript *t)
{
	struct vt_history_iter *it;
	struct vt_row row;
	size_t n = 0;

	if (vt_history_lines(t->vt) == 0)
		return;
	it = vt_history_begin(t->vt);
	while (vt_history_next(it, &row)) {
		if (n++ < t->taken)
			continue;
		finish_row(t, 0, &row);
		forget_first_row(t);
	}
	vt_history_end(it);
	t->taken = n;
}

/* The same, and clear the history. */
static void
take_history(struct transcript *t)
{
	write_history(t);
	vt_limit_history(t->vt, 0, 0);
	vt_limit_history(t->vt, HISTORY_LINES, HISTORY_BYTES);
	t->taken = 0;
}

static unsigned
cursor_row(const struct vt *vt)
{
	struct vt_cursor c;

	vt_cursor(vt, &c);
	return c.row;
}

/* The first row of the line with the cursor. */
static unsigned
cursor_line(const struct vt *vt)
{
	unsigned y = cursor_row(vt);
	struct vt_row row;

	for (; y > 0; y--) {
		vt_screen_row(vt, y, &row);
		if (!(row.flags & ROW_CONTINUES))
			break;
	}
	return y;
}

/* The row after the last with text before `to`, or `from`. */
static unsigned
used_between(struct transcript *t, unsigned from, unsigned to)
{
	struct vt_row row;

	for (; to > from; to--) {
		vt_screen_row(t->vt, to - 1, &row);
		if (row_text(t, &row)->len > 0)
			break;
	}
	return to;
}

static unsigned
rows_used(struct transcript *t)
{
	return used_between(t, 0, vt_rows(t->vt));
}

/* Count the rows before `to` as written, whatever they are now. */
static void
take_for_written(struct transcript *t, unsigned to)
{
	bool wanted = t->wanted;

	t->wanted = false;
	take_history(t);
	t->n_shown = 0;
	finish_rows(t, to);
	t->wanted = wanted;
}

/* ---------------------------------------------------- lines erased in place */

/* Remember a line until the frame is complete; see transcript.h. */
static void
note_line(struct transcript *t, unsigned y)
{
	struct note *n = &t->notes[t->n_notes];
	struct vt_row row;

	vt_screen_row(t->vt, y, &row);
	for (unsigned i = 0; i < t->n_notes; i++)
		if (t->notes[i].row == row.cells && t->notes[i].y == y)
			return;
	if (t->n_notes == NOTES_MAX || row_text(t, &row)->len == 0)
		return;
	*n = (struct note){ .row = row.cells, .y = y };
	buf_init(&n->text, ROW_MAX);
	buf_append(&n->text, t->row.data, t->row.len);
	t->n_notes++;
}

static void
drop_notes(struct transcript *t)
{
	for (unsigned i = 0; i < t->n_notes; i++)
		buf_finish(&t->notes[i].text);
	t->n_notes = 0;
}

/* Write the line if it is still blank. */
static void
write_note(struct transcript *t, const struct note *n)
{
	struct vt_row row;

	if (n->y >= vt_rows(t->vt))
		return;
	vt_screen_row(t->vt, n->y, &row);
	if (row.cells != n->row || row_text(t, &row)->len > 0)
		return;
	if (n->y < t->n_shown && t->shown[n->y] == hash(&n->text)) {
		t->shown[n->y] = hash_of_blank();
		return; /* already written */
	}
	finish_rows(t, n->y);
	end_line(t);
	if (t->wanted) {
		size_t at = t->lines.out->len;

		buf_append(t->lines.out, n->text.data, n->text.len);
		buf_putc(t->lines.out, '\n');
		tell(t, NULL, at);
	}
	if (n->y >= t->n_shown)
		t->n_shown = n->y + 1;
	t->shown[n->y] = hash_of_blank();
}

/* Write the notes in the rows [from, to). */
static void
write_notes(struct transcript *t, unsigned from, unsigned to)
{
	for (unsigned i = 0; i < t->n_notes; i++) {
		struct note *n = &t->notes[i];

		if (n->row != NULL && n->y >= from && n->y < to) {
			write_note(t, n);
			n->row = NULL; /* done */
		}
	}
}

/* --------------------------------------------------------------- lost rows */

/* The rows [from, to) are blank now. */
static void
forget_rows(struct transcript *t, unsigned from, unsigned to)
{
	if (to >= t->n_shown && from < t->n_shown)
		t->n_shown = from;
	for (unsigned y = from; y < to && y < t->n_shown; y++)
		t->shown[y] = hash_of_blank();
}

/* The rows [top, bottom] move up by n: those at their end are blank now. */
static void
shift_up(struct transcript *t, unsigned top, unsigned bottom, unsigned n)
{
	unsigned end = bottom + 1;

	if (t->n_shown <= top)
		return;
	if (t->n_shown < end)
		end = t->n_shown;
	if (top + n < end)
		memmove(t->shown + top, t->shown + top + n,
		    (end - top - n) * sizeof(*t->shown));
	forget_rows(t, top + n < end ? end - n : top, end);
}

static void
shift_down(struct transcript *t, unsigned top, unsigned bottom, unsigned n)
{
	unsigned end = bottom + 1;

	if (t->n_shown <= top)
		return;
	if (t->n_shown + n < end)
		end = t->n_shown + n;
	if (t->n_shown < end)
		t->n_shown = end;
	if (top + n < end)
		memmove(t->shown + top + n, t->shown + top,
		    (end - top - n) * sizeof(*t->shown));
	for (unsigned y = top; y < top + n && y < end; y++)
		t->shown[y] = hash_of_blank();
}

/* The rows that are lost: [from, to). */
static void
lost_rows(const struct vt_loss *l, unsigned *from, unsigned *to)
{
	*from = l->how == VT_LOSS_DOWN ? l->bottom + 1 - l->n : l->top;
	*to = l->how == VT_LOSS_UP ? l->top + l->n : l->bottom + 1;
}

static void
lose_rows(struct transcript *t, const struct vt_loss *l)
{
	unsigned from, to, used;

	lost_rows(l, &from, &to);
	write_notes(t, from, to);
	used = used_between(t, from, to);
	if (used > from)
		finish_rows(t, used);
	if (l->how == VT_LOSS_ERASED)
		forget_rows(t, from, to);
	else if (l->how == VT_LOSS_UP)
		shift_up(t, l->top, l->bottom, l->n);
	else
		shift_down(t, l->top, l->bottom, l->n);
}

static void
on_lose(void *arg, const struct vt_loss *l)
{
	struct transcript *t = arg;

	if (l->how == VT_LOSS_LINE) {
		note_line(t, l->top);
		return;
	}
	write_history(t);
	if (l->how == VT_LOSS_HISTORY)
		t->taken = 0;
	else
		lose_rows(t, l);
}

/* ---------------------------------------------------- the alternate screen */

static void
leave_alternate_screen(struct vt *vt)
{
	static const char leave[] = "\030\033[?1049l"; /* CAN first */

	vt_feed(vt, leave, sizeof(leave) - 1);
}

/*
 * Replace a terminal on its alternate screen by one that shows the primary
 * screen.  Returns the former for put_back(), or NULL.
 */
static struct vt *
put_primary(struct transcript *t)
{
	struct vt *real = t->vt, *behind = NULL;
	struct buf state;

	if (!vt_alt_screen(real))
		return NULL;
	buf_init(&state, KEYFRAME_MAX);
	if (keyframe_save_screen(real, &state) == 0)
		behind = keyframe_restore(state.data, state.len, NULL, NULL,
		    NULL);
	buf_finish(&state);
	if (behind == NULL)
		return NULL;
	leave_alternate_screen(behind);
	t->vt = behind;
	return real;
}

static void
put_back(struct transcript *t, struct vt *real)
{
	if (real == NULL)
		return;
	vt_destroy(t->vt);
	t->vt = real;
}

/* Write the rows of the visible screen, as a separate screen. */
static void
write_alternate_screen(struct transcript *t)
{
	struct vt_row row;
	unsigned used = rows_used(t);

	for (unsigned y = 0; y < used; y++) {
		vt_screen_row(t->vt, y, &row);
		write_row(t, &row, true);
	}
	end_line(t);
}

/* Write the rest of the primary screen, then the alternate one. */
static void
finish_screen(struct transcript *t)
{
	struct vt *real;

	write_history(t);
	real = put_primary(t);
	finish_rows(t, rows_used(t));
	end_line(t);
	put_back(t, real);
	if (real != NULL)
		write_alternate_screen(t);
}

/* ------------------------------------------------------------------ public */

struct transcript *
transcript_create(struct buf *out)
{
	struct transcript *t = xcalloc(1, sizeof(*t));

	t->lines.out = out;
	buf_init(&t->row, ROW_MAX);
	return t;
}

void
transcript_destroy(struct transcript *t)
{
	if (t == NULL)
		return;
	drop_notes(t);
	vt_destroy(t->vt);
	buf_finish(&t->row);
	free(t->shown);
	free(t);
}

void
transcript_on_row(struct transcript *t, transcript_row_fn *fn, void *arg)
{
	t->tell = fn;
	t->tell_arg = arg;
}

bool
transcript_has_screen(const struct transcript *t)
{
	return t->vt != NULL;
}

void
transcript_take(struct transcript *t, struct vt *vt, bool written)
{
	static const struct vt_ops ops = { .lose = on_lose };

	drop_notes(t);
	if (t->vt != NULL)
		finish_screen(t);
	vt_destroy(t->vt);
	t->vt = vt;
	vt_set_ops(vt, &ops, t);
	t->n_shown = 0;
	t->taken = 0;
	if (written)
		take_for_written(t, cursor_line(vt));
	else
		take_history(t);
}

void
transcript_want(struct transcript *t)
{
	if (t->wanted)
		return;
	if (t->vt != NULL) {
		take_history(t);
		struct vt *real = put_primary(t);
		take_for_written(t, cursor_line(t->vt));
		put_back(t, real);
	}
	t->wanted = true;
}

void
transcript_feed(struct transcript *t, const void *p, size_t len)
{
	const uint8_t *bytes = p;

	while (len > 0) {
		size_t n = len < PIECE ? len : PIECE;

		vt_feed(t->vt, bytes, n);
		bytes += n;
		len -= n;
		if (vt_history_lines(t->vt) >= HISTORY_TAKEN || t->taken > 0)
			take_history(t);
	}
}

void
transcript_frame(struct transcript *t)
{
	if (t->n_notes == 0 || vt_alt_screen(t->vt) || vt_in_sync(t->vt))
		return;
	write_history(t);
	write_notes(t, 0, vt_rows(t->vt));
	drop_notes(t);
}

/* True if text below the cursor may not fit any more. */
static bool
may_cut_off(struct transcript *t, unsigned cols, unsigned rows)
{
	unsigned used = rows_used(t);

	return used > cursor_row(t->vt) + 1 &&
	    (cols < vt_cols(t->vt) || rows < used);
}

/*
 * A new margin changes rows that were already written, so that they could not
 * be recognised.  Therefore all lines above the cursor are written first.
 */
int
transcript_resize(struct transcript *t, unsigned cols, unsigned rows)
{
	struct vt *real;
	bool cut_off;
	int rc;

	transcript_frame(t);
	drop_notes(t);
	take_history(t);
	real = put_primary(t);
	cut_off = may_cut_off(t, cols, rows);
	if (cut_off)
		finish_rows(t, rows_used(t));
	else if (t->n_shown > 0)
		finish_rows(t, cursor_line(t->vt));
	put_back(t, real);
	rc = vt_resize(t->vt, cols, rows, NULL);
	if (rc < 0 || t->n_shown == 0)
		return rc;
	take_for_written(t, 0); /* lines that it pushed off the screen */
	real = put_primary(t);
	take_for_written(t, cut_off ? rows_used(t) : cursor_line(t->vt));
	put_back(t, real);
	return 0;
}

void
transcript_pause(struct transcript *t)
{
	if (t->vt == NULL || vt_alt_screen(t->vt))
		return;
	take_history(t);
	finish_rows(t, used_between(t, 0, cursor_line(t->vt)));
	end_line(t);
}

void
transcript_end(struct transcript *t)
{
	if (t->vt != NULL)
		finish_screen(t);
	end_line(t);
}

void
transcript_part(struct transcript *t)
{
	struct vt *real;

	if (t->vt == NULL)
		return;
	transcript_frame(t);
	take_history(t);
	real = put_primary(t);
	finish_rows(t, cursor_line(t->vt));
	put_back(t, real);
	end_line(t);
}
