/*
 * Changing the size.
 *
 * The primary screen is split into logical lines, together with as many lines
 * of history as the new screen may take back, and laid out again at the new
 * width.  The cursor keeps its character; its row on the screen stays the same
 * if possible:
 *
 *  - Without history the screen stays at the top of the text, unless the
 *    cursor would then fall below the bottom.
 *  - A taller screen takes lines back from history only if the cursor was on
 *    the last row; otherwise blank rows are added at the bottom.
 *  - A shorter one drops blank rows below the text first, then moves the top
 *    to history.  Rows that still do not fit below the cursor go into the
 *    stash, and come back when the screen grows, if nothing was drawn since.
 *
 * The alternate screen is cut: below the cursor first, then above.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "vt/flow.h"
#include "vt/line.h"
#include "vt/state.h"
#include "vt/vt.h"

void
stash_init(struct stash *s)
{
	memset(s, 0, sizeof(*s));
	buf_init(&s->lines, SIZE_MAX);
}

void
stash_finish(struct stash *s)
{
	buf_finish(&s->lines);
}

static void
stash_clear(struct stash *s)
{
	buf_finish(&s->lines);
	s->rows = 0;
}

/* A row: its length in four bytes, its flags in one, its packed cells. */
#define STASH_HEADER 5

static void
stash_add(struct stash *s, const struct cell *cells, unsigned used,
    unsigned flags, const struct clusters *clusters)
{
	uint8_t header[STASH_HEADER] = { 0 };
	size_t at = s->lines.len;

	buf_append(&s->lines, header, sizeof(header));
	line_pack(&s->lines, cells, used, clusters);
	put_u32le(s->lines.data + at,
	    (uint32_t)(s->lines.len - at - STASH_HEADER));
	s->lines.data[at + 4] = (uint8_t)flags;
	s->rows++;
}

/* True if the line above continues in it. */
static bool
stash_continues(const struct stash *s)
{
	return s->rows > 0 && s->lines.data[4] & ROW_CONTINUES;
}

bool
stash_check(const void *p, size_t len, unsigned rows)
{
	const uint8_t *at = p, *end = at + len;

	for (unsigned i = 0; i < rows; i++) {
		if (end - at < STASH_HEADER ||
		    get_u32le(at) > (size_t)(end - at) - STASH_HEADER)
			return false;
		at += STASH_HEADER + get_u32le(at);
	}
	return at == end;
}

void
stash_mark_extras(const struct stash *s, struct extras *x)
{
	size_t at = 0;

	for (unsigned i = 0; i < s->rows; i++) {
		size_t len = get_u32le(s->lines.data + at);
		line_mark_extras(s->lines.data + at + STASH_HEADER, len, x);
		at += STASH_HEADER + len;
	}
}

/* A position in the text: a line, and a cell of it or beyond its end. */
struct point {
	size_t line, offset;
	bool after; /* a wrap was pending: behind the cell, not on it */
};

/* The text during the change from one screen to the next. */
struct reflow {
	struct vt *vt;
	struct flow *lines;
	size_t count, cap;
	struct point anchor; /* the cursor of the primary screen */
	struct point saved;  /* DECSC */
	bool has_saved;      /* it is not below the text */
};

static struct flow *
new_line(struct reflow *r)
{
	if (r->count == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 64;
		r->lines = xrealloc(r->lines, r->cap, sizeof(*r->lines));
	}
	struct flow *f = &r->lines[r->count++];
	flow_init(f);
	return f;
}

/*
 * Move the last line of the history, with the pieces that it continues, into
 * f.
 */
static bool
take_history_line(struct vt *vt, struct flow *f)
{
	struct history_line line;
	struct buf packed, joined;

	if (!history_last(&vt->history, &line))
		return false;
	buf_init(&packed, SIZE_MAX);
	buf_init(&joined, SIZE_MAX);
	do {
		history_last(&vt->history, &line);
		f->flags = line.flags;
		buf_clear(&joined);
		buf_append(&joined, line.p, line.len);
		buf_append(&joined, packed.data, packed.len);
		struct buf swap = packed;
		packed = joined;
		joined = swap;
		history_pop(&vt->history);
	} while (
	    (f->flags & ROW_CONTINUES) && history_last(&vt->history, &line));
	flow_add_packed(f, packed.data, packed.len, &vt->clusters);
	buf_finish(&packed);
	buf_finish(&joined);
	return true;
}

/* The same for a line that continues on the screen, with the row's end. */
static void
take_history_beginning(struct vt *vt, struct flow *f)
{
	unsigned missing = vt->history.missing;

	if (take_history_line(vt, f))
		flow_go_on(f, missing);
}

static void
note_point(struct point *p, const struct reflow *r, size_t before, unsigned x,
    bool pending)
{
	p->line = r->count - 1;
	p->offset = before + x;
	p->after = pending;
}

/* The last row with content or the cursor. */
static unsigned
last_row(const struct screen *s, unsigned cursor_y)
{
	unsigned y = s->rows - 1u;

	for (; y > cursor_y; y--) {
		struct row *row = screen_row(s, y);
		screen_trim(row);
		if (row->used > 0 || row->flags != 0)
			break;
	}
	return y;
}

/* A row that is the blank end of its line stays a row, from start on. */
static void
keep_blank_row(struct flow *f, size_t start)
{
	if (start == 0 || f->text > start)
		return;
	if (f->len == start)
		flow_add_row(f, NULL, 0, 1, true);
	f->text = start + 1;
}

static void
gather_row(struct reflow *r, const struct screen *s, unsigned y, unsigned last,
    struct cursor anchor, struct cursor saved)
{
	const struct row *row = screen_row(s, y);
	bool whole = y < last ? screen_row(s, y + 1)->flags & ROW_CONTINUES :
				stash_continues(&r->vt->stash);
	struct flow *f;

	if (y == 0 || !(row->flags & ROW_CONTINUES)) {
		f = new_line(r);
		f->flags = row->flags;
		if (row->flags & ROW_CONTINUES)
			take_history_beginning(r->vt, f);
	}
	f = &r->lines[r->count - 1];
	flow_join(f, row->cells);
	size_t start = f->len;
	if (y == anchor.y)
		note_point(&r->anchor, r, start, anchor.x, anchor.pending);
	if (y == saved.y) {
		note_point(&r->saved, r, start, saved.x, false);
		r->has_saved = true;
	}
	flow_add_row(f, row->cells, row->used, s->cols, whole);
	keep_blank_row(f, start);
}

static void
gather_stash(struct reflow *r)
{
	struct stash *s = &r->vt->stash;
	size_t at = 0;

	for (unsigned i = 0; i < s->rows; i++) {
		size_t len = get_u32le(s->lines.data + at);
		unsigned flags = s->lines.data[at + 4];
		struct flow *f;
		if (flags & ROW_CONTINUES)
			f = &r->lines[r->count - 1];
		else
			f = new_line(r);
		if (!(flags & ROW_CONTINUES))
			f->flags = flags;
		flow_add_packed(f, s->lines.data + at + STASH_HEADER, len,
		    &r->vt->clusters);
		at += STASH_HEADER + len;
	}
	stash_clear(s);
}

/* The row of the text, broken at cols, and the column of a point. */
static size_t
locate(const struct reflow *r, const struct point *p, unsigned cols,
    struct cursor *out)
{
	const struct flow *f = &r->lines[p->line];
	struct flow_row row = { 0 };
	size_t index = 0;

	for (size_t i = 0; i < p->line; i++)
		index += flow_count_rows(&r->lines[i], cols);
	for (size_t at = 0; flow_next_row(f, cols, &at, &row); index++)
		if (p->offset < row.to && p->offset >= row.from)
			break;
		else if (at >= f->text)
			break; /* beyond the end: the last row */
	size_t x = p->offset - row.from + p->after;
	/* Behind a row that is full of text, a wrap is pending. */
	out->pending = x >= cols && row.to == f->text &&
	    row.to - row.from == cols;
	out->x = (uint16_t)(x < cols ? x : cols - 1);
	return index;
}

static size_t
count_rows(const struct reflow *r, unsigned cols)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += flow_count_rows(&r->lines[i], cols);
	return n;
}

/*
 * Take lines from history until `want` rows are above the anchor, and one more
 * that goes back: the missing cells of its last row depend on cols.
 */
static void
pull_history(struct reflow *r, unsigned cols, size_t want, size_t *anchor)
{
	for (bool enough = false; !enough;) {
		struct flow f;
		enough = *anchor >= want;
		flow_init(&f);
		if (!take_history_line(r->vt, &f)) {
			flow_finish(&f);
			return;
		}
		*anchor += flow_count_rows(&f, cols);
		new_line(r);
		memmove(r->lines + 1, r->lines,
		    (r->count - 1) * sizeof(*r->lines));
		r->lines[0] = f;
		r->anchor.line++;
		r->saved.line++;
	}
}

/*
 * Put one row of the text into history, screen, or stash.  If it is not the
 * line's last, the stash must keep the blanks at its end.
 */
static void
place_row(struct vt *vt, struct screen *s, const struct cell *cells,
    unsigned used, unsigned flags, bool whole, size_t index, size_t top)
{
	if (index < top) {
		history_push(&vt->history, cells, used, s->cols, flags,
		    &vt->clusters);
	} else if (index < top + s->rows) {
		struct row *row = screen_row(s, (unsigned)(index - top));
		if (used > 0)
			memcpy(row->cells, cells, used * sizeof(*cells));
		row->used = (uint16_t)used;
		row->flags = (uint16_t)flags;
	} else {
		stash_add(&vt->stash, cells, whole ? s->cols : used, flags,
		    &vt->clusters);
	}
}

static void
place_all(struct reflow *r, struct screen *s, size_t top)
{
	auto_free struct cell *cells = xcalloc(s->cols, sizeof(*cells));
	size_t index = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct flow *f = &r->lines[i];
		struct flow_row row;
		unsigned flags = f->flags;
		for (size_t at = 0; flow_next_row(f, s->cols, &at, &row);
		     index++) {
			unsigned used = flow_copy_row(f, &row, cells);
			place_row(r->vt, s, cells, used, flags, at < f->text,
			    index, top);
			memset(cells, 0, s->cols * sizeof(*cells));
			flags = ROW_CONTINUES;
		}
	}
}

/* The row on the screen for the anchor; see the top of this file. */
static size_t
wanted_row(const struct screen *old, unsigned rows, unsigned y,
    bool has_history)
{
	if (!has_history)
		return rows - 1;
	if (rows > old->rows && y == old->rows - 1u)
		return rows - 1;
	return y < rows - 1 ? y : rows - 1;
}

static void
gather(struct reflow *r, const struct screen *old, struct cursor anchor,
    struct cursor saved)
{
	struct stash *stash = &r->vt->stash;
	unsigned last = old->rows - 1u;

	if (stash->generation != old->changed)
		stash_clear(stash);
	if (stash->rows == 0)
		last = last_row(old, anchor.y);
	for (unsigned y = 0; y <= last; y++)
		gather_row(r, old, y, last, anchor, saved);
	gather_stash(r);
}

/*
 * DECSC's position moves with the text, if there is any; no wrap is pending
 * there.
 */
static void
move_saved(const struct reflow *r, unsigned cols, unsigned rows, size_t top)
{
	struct saved_cursor *saved = &r->vt->saved[0];
	struct cursor at = { .x = saved->x };
	size_t y = saved->y;

	if (r->has_saved) {
		y = locate(r, &r->saved, cols, &at);
		y = y < top ? 0 : y - top;
	}
	saved->x = at.x < cols ? at.x : (uint16_t)(cols - 1);
	saved->y = (uint16_t)(y < rows ? y : rows - 1);
	saved->pending = false;
}

static void
resize_primary(struct vt *vt, unsigned cols, unsigned rows)
{
	struct screen *old = &vt->screens[0], fresh;
	struct reflow r = { .vt = vt };
	struct saved_cursor *saved = &vt->saved[0];
	struct cursor at_saved = { .x = saved->x, .y = saved->y }, at;
	struct cursor anchor = vt_on_alt(vt) ? at_saved : vt->cursor;
	bool has_history = vt->history.lines > 0;

	gather(&r, old, anchor, at_saved);
	size_t y = wanted_row(old, rows, anchor.y, has_history);
	size_t index = locate(&r, &r.anchor, cols, &at);
	if (has_history)
		pull_history(&r, cols, y, &index);
	if (y > index)
		y = index;
	/* Rows below the cursor stay on the screen if possible. */
	size_t below = count_rows(&r, cols) - index;
	if (y + below > rows)
		y = below < rows ? rows - below : 0;
	size_t top = index - y;

	screen_init(&fresh, cols, rows);
	place_all(&r, &fresh, top);
	move_saved(&r, cols, rows, top);
	if (!vt_on_alt(vt)) {
		vt->cursor = at;
		vt->cursor.y = (uint16_t)y;
	}
	for (size_t i = 0; i < r.count; i++)
		flow_finish(&r.lines[i]);
	free(r.lines);
	screen_finish(old);
	*old = fresh;
}

static void
resize_alt(struct vt *vt, unsigned cols, unsigned rows)
{
	struct screen *old = &vt->screens[1], fresh;
	unsigned top = vt->cursor.y >= rows ? vt->cursor.y - rows + 1u : 0;
	unsigned was = old->cols, keep = cols < was ? cols : was;
	const struct cell zero = { 0 };

	screen_init(&fresh, cols, rows);
	for (unsigned y = 0; y < rows && top + y < old->rows; y++) {
		struct row *from = screen_row(old, top + y);
		struct row *to = screen_row(&fresh, y);
		screen_split(old, from, keep, zero);
		screen_forget_pad(&from->cells[was - 1]);
		to->used = from->used < keep ? from->used : (uint16_t)keep;
		to->flags = from->flags;
		memcpy(to->cells, from->cells, to->used * sizeof(*to->cells));
	}
	screen_finish(old);
	*old = fresh;
	/* A wider screen has the column that a pending wrap waits for. */
	vt_move_to(vt, vt->cursor.x + (vt->cursor.pending && cols > was),
	    vt->cursor.y - top);
}

/* The cursor that DECSC saved on the alternate screen, shown or not. */
static void
clamp_saved(struct saved_cursor *s, unsigned cols, unsigned rows)
{
	if (s->x >= cols)
		s->x = (uint16_t)(cols - 1);
	if (s->y >= rows)
		s->y = (uint16_t)(rows - 1);
	s->pending = false;
}

static void
resize_tabs(struct vt *vt, unsigned was, unsigned cols)
{
	size_t old = (was + 7u) / 8, need = (cols + 7u) / 8;

	vt->tabs = xrealloc(vt->tabs, need, 1);
	if (need > old)
		memset(vt->tabs + old, 0, need - old);
	if (cols > was)
		vt_default_tabs(vt, was);
}

int
vt_resize(struct vt *vt, unsigned cols, unsigned rows, struct error *err)
{
	unsigned was = vt->screen->cols;
	int r = vt_check_size(cols, rows, err);

	if (r < 0 || (cols == was && rows == vt->screen->rows))
		return r;
	resize_primary(vt, cols, rows);
	if (vt_on_alt(vt))
		resize_alt(vt, cols, rows);
	clamp_saved(&vt->saved[1], cols, rows);
	resize_tabs(vt, was, cols);
	vt->last.join = 0;
	vt->now++;
	for (unsigned i = 0; i < 2; i++) {
		struct screen *s = &vt->screens[i];
		s->now = s->moved = s->changed = vt->now;
	}
	vt->stash.generation = vt->now;
	vt_touch(vt);
	if (!vt_in_sync(vt))
		vt_publish(vt);
	return 0;
}
