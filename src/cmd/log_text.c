#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "cmd/log_sink.h"
#include "cmd/out.h"
#include "log/reader.h"
#include "vt/keyframe.h"
#include "vt/text.h"
#include "vt/vt.h"

/*
 * A terminal is fed and its lines are written when they are done: when they
 * have left the top of the screen, or (following) when the cursor has left
 * them, or at the end.  Lines that the margin broke are put together again.
 *
 * The history is taken out before it could overflow: so little is fed between
 * two looks that no more lines than it can hold have come.
 */
#define PIECE 1000
#define HISTORY_TAKEN 500
#define KEYFRAME_PREFIX 16 /* offset, cols, rows, engine version */
#define KEYFRAME_MAX (64u << 20)
#define ROW_MAX ((size_t)VT_COLS_MAX * VT_TEXT_MAX)

struct text {
	struct log_sink sink;
	bool follow;
	bool wanted;         /* what comes is to be written */
	struct vt *vt;       /* NULL until the first keyframe */
	bool lost;           /* the next keyframe replaces what we have */
	struct buf keyframe; /* its records so far */
	uint64_t *shown;     /* hashes of the first rows, written already */
	unsigned n_shown;
	struct vt_lines lines; /* `any`: the last row written may go on */
	struct buf row;
};

static uint64_t
hash(const struct buf *b)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

	for (size_t i = 0; i < b->len; i++)
		h = (h ^ b->data[i]) * 0x100000001b3;
	return h;
}

static void
end_line(struct text *t)
{
	if (t->lines.any)
		buf_putc(t->lines.out, '\n');
	t->lines.any = false;
}

/* Write a row, which goes on with the line before only if it may. */
static void
write_row(struct text *t, const struct vt_row *row, bool may_go_on)
{
	struct vt_row r = *row;

	if (!t->wanted)
		return;
	if (!may_go_on)
		r.flags &= ~(unsigned)ROW_CONTINUES;
	t->lines.cols = vt_cols(t->vt);
	vt_lines_add(&t->lines, &r);
}

/*
 * A row is done.  Its number is y while y rows above it are on the screen.
 * One that was written before is written again only if it is another now.
 */
static void
finish_row(struct text *t, unsigned y, const struct vt_row *row)
{
	uint64_t h;

	buf_clear(&t->row);
	vt_row_text(row, &t->row);
	h = hash(&t->row);
	if (y >= t->n_shown)
		write_row(t, row, true);
	else if (t->shown[y] != h && t->row.len > 0)
		write_row(t, row, false);
	if (y < t->n_shown)
		t->shown[y] = h;
}

static void
forget_first_row(struct text *t)
{
	if (t->n_shown == 0)
		return;
	t->n_shown--;
	memmove(t->shown, t->shown + 1, t->n_shown * sizeof(*t->shown));
}

static void
replace(struct text *t, struct vt *vt)
{
	vt_destroy(t->vt);
	t->vt = vt;
}

/*
 * Write the lines that have left the screen, and go on without them: with a
 * terminal that is the same but for its history.
 */
static void
take_history(struct text *t)
{
	struct vt_history_iter *it;
	struct vt_row row;
	struct vt *vt = NULL;
	struct buf state;

	if (vt_history_lines(t->vt) == 0)
		return;
	it = vt_history_begin(t->vt);
	while (vt_history_next(it, &row)) {
		finish_row(t, 0, &row);
		forget_first_row(t);
	}
	vt_history_end(it);
	buf_init(&state, KEYFRAME_MAX);
	if (keyframe_save_screen(t->vt, &state) == 0)
		vt = keyframe_restore(state.data, state.len, NULL, NULL, NULL);
	buf_finish(&state);
	if (vt != NULL)
		replace(t, vt);
}

static unsigned
cursor_row(const struct vt *vt)
{
	struct vt_cursor c;

	vt_cursor(vt, &c);
	return c.row;
}

/* The row in which the line with the cursor begins. */
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

/* Behind the last row with something on it. */
static unsigned
rows_used(struct text *t)
{
	unsigned used = 0;
	struct vt_row row;

	for (unsigned y = 0; y < vt_rows(t->vt); y++) {
		vt_screen_row(t->vt, y, &row);
		buf_clear(&t->row);
		vt_row_text(&row, &t->row);
		if (t->row.len > 0)
			used = y + 1;
	}
	return used;
}

/* The rows before `to` are done, as far as anybody can tell now. */
static void
finish_rows(struct text *t, unsigned to)
{
	struct vt_row row;

	t->shown = xrealloc(t->shown, vt_rows(t->vt), sizeof(*t->shown));
	for (unsigned y = 0; y < to; y++) {
		vt_screen_row(t->vt, y, &row);
		finish_row(t, y, &row);
		if (y >= t->n_shown) {
			t->shown[y] = hash(&t->row);
			t->n_shown = y + 1;
		}
	}
}

/* Take all above the cursor for written, whatever it is now. */
static void
take_for_written(struct text *t)
{
	bool wanted = t->wanted;

	t->wanted = false;
	take_history(t);
	t->n_shown = 0;
	finish_rows(t, cursor_line(t->vt));
	t->wanted = wanted;
}

/* The first that is wanted: what is on the screen already is not. */
static void
set_wanted(struct text *t, bool wanted)
{
	if (!wanted || t->wanted)
		return;
	if (t->vt != NULL)
		take_for_written(t);
	t->wanted = true;
}

static void
on_output(struct log_sink *s, const struct record *rec, uint64_t offset,
    const uint8_t *p, size_t len, bool wanted)
{
	struct text *t = (struct text *)s;

	(void)offset;
	set_wanted(t, wanted);
	if (t->vt == NULL || (rec->flags & RECORD_HIDDEN))
		return;
	while (len > 0) {
		size_t n = len < PIECE ? len : PIECE;

		vt_feed(t->vt, p, n);
		p += n;
		len -= n;
		if (vt_history_lines(t->vt) >= HISTORY_TAKEN)
			take_history(t);
	}
}

/* The keyframe is the truth where ours is not: at first, after damage. */
static void
take_keyframe(struct text *t)
{
	struct vt *vt;

	if (t->keyframe.len <= KEYFRAME_PREFIX)
		return;
	vt = keyframe_restore(t->keyframe.data + KEYFRAME_PREFIX,
	    t->keyframe.len - KEYFRAME_PREFIX, NULL, NULL, NULL);
	if (vt == NULL)
		return;
	if (t->vt != NULL)
		finish_rows(t, rows_used(t));
	replace(t, vt);
	t->n_shown = 0;
	if (t->lost)
		take_for_written(t);
	t->lost = false;
}

static void
on_keyframe(struct text *t, const struct record *rec)
{
	if (t->vt != NULL && !t->lost)
		return;
	buf_append(&t->keyframe, rec->payload, rec->len);
	if (rec->flags & RECORD_MORE)
		return;
	take_keyframe(t);
	buf_clear(&t->keyframe);
}

static void
on_resize(struct text *t, const struct record *rec)
{
	if (t->vt == NULL || rec->len < 4)
		return;
	take_history(t);
	if (vt_resize(t->vt, get_u16le(rec->payload),
		get_u16le(rec->payload + 2), NULL) < 0)
		t->lost = true;
	else if (t->follow)
		take_for_written(t);
}

static void
on_event(struct log_sink *s, const struct record *rec, bool wanted)
{
	struct text *t = (struct text *)s;

	set_wanted(t, wanted);
	switch (rec->type) {
	case RECORD_KEYFRAME:
		on_keyframe(t, rec);
		break;
	case RECORD_RESIZE:
		on_resize(t, rec);
		break;
	case RECORD_GAP:
	case RECORD_ENGINE_GAP:
		t->lost = true;
		break;
	default:
		break;
	}
}

static void
on_damage(struct log_sink *s, const struct log_damage *d)
{
	struct text *t = (struct text *)s;

	(void)d;
	t->lost = true;
	buf_clear(&t->keyframe);
}

static void
on_pause(struct log_sink *s)
{
	struct text *t = (struct text *)s;

	if (t->vt == NULL || !t->follow || vt_alt_screen(t->vt))
		return;
	take_history(t);
	finish_rows(t, cursor_line(t->vt));
	end_line(t);
}

static void
on_end(struct log_sink *s)
{
	struct text *t = (struct text *)s;

	if (t->vt != NULL) {
		take_history(t);
		finish_rows(t, rows_used(t));
	}
	end_line(t);
}

static void
destroy(struct log_sink *s)
{
	struct text *t = (struct text *)s;

	vt_destroy(t->vt);
	buf_finish(&t->keyframe);
	buf_finish(&t->row);
	free(t->shown);
	free(t);
}

struct log_sink *
log_text_create(struct out *out, bool follow)
{
	static const struct log_sink_ops ops = {
		.output = on_output,
		.event = on_event,
		.damage = on_damage,
		.pause = on_pause,
		.end = on_end,
		.destroy = destroy,
		.needs_screen = true,
	};
	struct text *t = xcalloc(1, sizeof(*t));

	t->sink = (struct log_sink){ &ops, out };
	t->follow = follow;
	t->lines.out = &out->buf;
	buf_init(&t->keyframe, KEYFRAME_MAX);
	buf_init(&t->row, ROW_MAX);
	return &t->sink;
}
