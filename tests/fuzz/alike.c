/* Compare two terminals by everything that their interface shows. */
#include "props.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "vt/vt.h"

#define ATTR_SHOWN (~(uint32_t)ATTR_EXTRA)

/* A cell's content. Ids that belong to one terminal are resolved. */
struct seen {
	char text[VT_TEXT_MAX];
	struct cell cell;
	uint32_t underline;
	const char *link;
	const char *link_id;
};

static void
see(const struct vt *vt, const struct vt_row *row, unsigned x, struct seen *out)
{
	static const struct cell blank;

	*out = (struct seen){ .cell = blank, .link = "", .link_id = "" };
	if (x >= row->used)
		return;
	out->cell = row->cells[x];
	vt_cell_text(row, x, out->text);
	out->underline = vt_cell_underline_colour(vt, &out->cell);
	out->link = vt_cell_link(vt, &out->cell);
	out->link_id = vt_cell_link_id(vt, &out->cell);
}

static int
alike_cell(unsigned y, unsigned x, const struct seen *a, const struct seen *b,
    struct error *err)
{
	if (strcmp(a->text, b->text) != 0)
		return error_set(err, EPROTO,
		    "row %u column %u: text \"%s\" and \"%s\"", y, x, a->text,
		    b->text);
	if (a->cell.fg != b->cell.fg || a->cell.bg != b->cell.bg ||
	    ((a->cell.attr ^ b->cell.attr) & ATTR_SHOWN) != 0)
		return error_set(err, EPROTO,
		    "row %u column %u (\"%s\"): fg %x bg %x attr %x "
		    "and fg %x bg %x attr %x",
		    y, x, a->text, a->cell.fg, a->cell.bg,
		    a->cell.attr & ATTR_SHOWN, b->cell.fg, b->cell.bg,
		    b->cell.attr & ATTR_SHOWN);
	if (a->underline != b->underline)
		return error_set(err, EPROTO,
		    "row %u column %u: underline colour %x and %x", y, x,
		    a->underline, b->underline);
	if (strcmp(a->link, b->link) != 0 ||
	    strcmp(a->link_id, b->link_id) != 0)
		return error_set(err, EPROTO,
		    "row %u column %u: link \"%.60s\" (%.20s) and "
		    "\"%.60s\" (%.20s)",
		    y, x, a->link, a->link_id, b->link, b->link_id);
	return 0;
}

/*
 * The first row may continue a line of the history. A copy without that
 * history cannot know it.
 */
static unsigned
row_flags(const struct vt_row *row, unsigned y)
{
	return y == 0 ? row->flags & ~(unsigned)ROW_CONTINUES : row->flags;
}

/*
 * The last row may end in a pad if a resize set aside the rest of its line. No
 * bytes can make a pad there without scrolling.
 */
static void
forget_pad(struct cell *c)
{
	if (cell_kind(c) == CELL_PAD)
		c->attr = 0;
}

static int
alike_cells(const struct vt *a, const struct vt *b, const struct vt_row *ra,
    const struct vt_row *rb, unsigned y, struct error *err)
{
	struct seen sa, sb;
	int rc = 0;

	for (unsigned x = 0; x < vt_cols(a) && rc == 0; x++) {
		see(a, ra, x, &sa);
		see(b, rb, x, &sb);
		if (y + 1 == vt_rows(a)) {
			forget_pad(&sa.cell);
			forget_pad(&sb.cell);
		}
		rc = alike_cell(y, x, &sa, &sb, err);
	}
	return rc;
}

static int
alike_row(const struct vt *a, const struct vt *b, unsigned y, struct error *err)
{
	struct vt_row ra, rb;
	int rc;

	vt_screen_row(a, y, &ra);
	vt_screen_row(b, y, &rb);
	rc = alike_cells(a, b, &ra, &rb, y, err);
	if (rc == 0 && row_flags(&ra, y) != row_flags(&rb, y))
		rc = error_set(err, EPROTO, "row %u: flags %x and %x", y,
		    ra.flags, rb.flags);
	return rc;
}

static int
alike_cursor(const struct vt *a, const struct vt *b, struct error *err)
{
	struct vt_cursor ca, cb;

	vt_cursor(a, &ca);
	vt_cursor(b, &cb);
	if (ca.row != cb.row || ca.col != cb.col ||
	    ca.pending_wrap != cb.pending_wrap)
		return error_set(err, EPROTO,
		    "cursor at row %u column %u%s and row %u column %u%s",
		    ca.row, ca.col, ca.pending_wrap ? " (wraps)" : "", cb.row,
		    cb.col, cb.pending_wrap ? " (wraps)" : "");
	if (ca.visible != cb.visible || ca.blink != cb.blink ||
	    ca.shape != cb.shape)
		return error_set(err, EPROTO,
		    "cursor visible %d blink %d shape %d and %d %d %d",
		    ca.visible, ca.blink, ca.shape, cb.visible, cb.blink,
		    cb.shape);
	return 0;
}

/* clang-format off */
#define INPUT_FIELDS(F) \
	F(app_cursor) \
	F(app_keypad) \
	F(backarrow_bs) \
	F(newline) \
	F(bracketed_paste) \
	F(focus_events) \
	F(alt_scroll) \
	F(alt_screen) \
	F(modify_other_keys) \
	F(format_other_keys) \
	F(kitty_flags) \
	F(mouse) \
	F(mouse_format)
/* clang-format on */

static int
alike_input(const struct vt *a, const struct vt *b, struct error *err)
{
	struct input_modes ia, ib;

	vt_input_modes(a, &ia);
	vt_input_modes(b, &ib);
#define F(field) \
	if (ia.field != ib.field) \
		return error_set(err, EPROTO, "input mode %s: %d and %d", \
		    #field, (int)ia.field, (int)ib.field);
	INPUT_FIELDS(F)
#undef F
	return 0;
}

static int
alike_string(const char *what, const char *a, const char *b, struct error *err)
{
	if (strcmp(a, b) != 0)
		return error_set(err, EPROTO, "%s \"%.80s\" and \"%.80s\"",
		    what, a, b);
	return 0;
}

static int
alike_colours(const struct vt *a, const struct vt *b, struct error *err)
{
	static const enum vt_colour_role roles[] = { VT_FOREGROUND,
		VT_BACKGROUND, VT_CURSOR_COLOUR };

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = COLOUR_PALETTE | i;

		if (vt_colour(a, c, VT_FOREGROUND) !=
		    vt_colour(b, c, VT_FOREGROUND))
			return error_set(err, EPROTO,
			    "palette colour %u: %06x and %06x", i,
			    vt_colour(a, c, VT_FOREGROUND),
			    vt_colour(b, c, VT_FOREGROUND));
	}
	for (unsigned i = 0; i < 3; i++) {
		if (vt_colour(a, COLOUR_DEFAULT, roles[i]) !=
		    vt_colour(b, COLOUR_DEFAULT, roles[i]))
			return error_set(err, EPROTO,
			    "default colour %u: %06x and %06x", i,
			    vt_colour(a, COLOUR_DEFAULT, roles[i]),
			    vt_colour(b, COLOUR_DEFAULT, roles[i]));
	}
	return 0;
}

static int
alike_rest(const struct vt *a, const struct vt *b, struct error *err)
{
	int rc;

	if ((rc = alike_string("title", vt_title(a), vt_title(b), err)) < 0 ||
	    (rc = alike_string("icon", vt_icon(a), vt_icon(b), err)) < 0 ||
	    (rc = alike_string("cwd", vt_cwd(a), vt_cwd(b), err)) < 0)
		return rc;
	if (vt_reverse_video(a) != vt_reverse_video(b))
		return error_set(err, EPROTO, "reverse video %d and %d",
		    vt_reverse_video(a), vt_reverse_video(b));
	if (vt_in_sync(a) != vt_in_sync(b))
		return error_set(err, EPROTO, "synchronized update %d and %d",
		    vt_in_sync(a), vt_in_sync(b));
	return alike_colours(a, b, err);
}

int
prop_alike(const struct vt *a, const struct vt *b, struct error *err)
{
	int rc = 0;

	if (vt_cols(a) != vt_cols(b) || vt_rows(a) != vt_rows(b))
		return error_set(err, EPROTO, "size %ux%u and %ux%u",
		    vt_cols(a), vt_rows(a), vt_cols(b), vt_rows(b));
	if (vt_alt_screen(a) != vt_alt_screen(b))
		return error_set(err, EPROTO, "alternate screen %d and %d",
		    vt_alt_screen(a), vt_alt_screen(b));
	for (unsigned y = 0; y < vt_rows(a) && rc == 0; y++)
		rc = alike_row(a, b, y, err);
	if (rc == 0)
		rc = alike_cursor(a, b, err);
	if (rc == 0)
		rc = alike_input(a, b, err);
	if (rc == 0)
		rc = alike_rest(a, b, err);
	return rc;
}

/* One row of each history; 1 when both have ended. */
static int
alike_next(const struct vt *a, const struct vt *b, struct vt_history_iter *ia,
    struct vt_history_iter *ib, unsigned y, struct error *err)
{
	struct vt_row ra, rb;
	bool more_a = vt_history_next(ia, &ra);
	bool more_b = vt_history_next(ib, &rb);

	if (more_a != more_b)
		return error_set(err, EPROTO,
		    "the %s history ends after %u rows, the other does not",
		    more_a ? "second" : "first", y);
	if (!more_a)
		return 1;
	if (ra.flags != rb.flags)
		return error_set(err, EPROTO, "row %u: flags %x and %x", y,
		    ra.flags, rb.flags);
	return alike_cells(a, b, &ra, &rb, y, err);
}

int
prop_alike_history(const struct vt *a, const struct vt *b, struct error *err)
{
	struct vt_history_iter *ia = vt_history_begin(a);
	struct vt_history_iter *ib = vt_history_begin(b);
	struct error why;
	int rc = 0;

	for (unsigned y = 0; rc == 0; y++)
		rc = alike_next(a, b, ia, ib, y, &why);
	vt_history_end(ia);
	vt_history_end(ib);
	if (rc < 0)
		error_set(err, EPROTO, "history: %s", why.msg);
	return rc < 0 ? rc : 0;
}
