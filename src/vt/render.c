/*
 * Writes a terminal's state as bytes.
 *
 * The order is: colours and titles; the saved cursor of the primary screen and
 * its rows, on request with the history before them, as text that wraps and
 * scrolls by itself; other state of that screen; the same for the alternate
 * screen; then their shared state, with the cursor and the pen last.
 */
#include "vt/render.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "vt/mode.h"
#include "vt/state.h"
#include "vt/uni.h"
#include "vt/vt.h"

struct render {
	const struct vt *vt;
	struct buf *out;
	unsigned cols, rows;
	struct cell pen; /* of the terminal that we draw on */
	uint8_t join;    /* its join state for the next text */
	unsigned skip;   /* columns to move right before the next text */
	bool wrapping;   /* the next text wraps to a row that may scroll in */
};

static void
escape(struct render *r, const char *s)
{
	buf_puts(r->out, s);
	r->join = 0;
}

static void
put_link(struct render *r, const struct cell *c)
{
	const struct vt *vt = r->vt;
	const char *uri = vt_cell_link(vt, c), *id = vt_cell_link_id(vt, c);

	if (strcmp(uri, vt_cell_link(vt, &r->pen)) == 0 &&
	    strcmp(id, vt_cell_link_id(vt, &r->pen)) == 0)
		return;
	buf_printf(r->out, "\033]8;%s%s;%s\033\\", *id != '\0' ? "id=" : "", id,
	    uri);
}

/* Set the pen to that of the cell. */
static void
set_pen(struct render *r, const struct cell *c)
{
	uint32_t ul = vt_cell_underline_colour(r->vt, c);

	if (cell_same_style(c, &r->pen))
		return;
	put_link(r, c);
	if ((c->attr ^ r->pen.attr) & ATTR_PROTECTED)
		escape(r, c->attr & ATTR_PROTECTED ? "\033[1\"q" : "\033[\"q");
	if (c->fg != r->pen.fg || c->bg != r->pen.bg ||
	    ((c->attr ^ r->pen.attr) & ATTR_SGR) ||
	    ul != vt_cell_underline_colour(r->vt, &r->pen)) {
		buf_puts(r->out, "\033[");
		vt_put_sgr(r->out, c, ul, SGR_COLONS);
		buf_putc(r->out, 'm');
	}
	r->pen = *c;
	r->pen.ch = 0;
	r->pen.attr &= ~(uint32_t)ATTR_KIND;
}

static void
plain_pen(struct render *r)
{
	const struct cell plain = { 0 };

	set_pen(r, &plain);
}

static void
flush_skip(struct render *r)
{
	if (r->skip == 0)
		return;
	buf_printf(r->out, "\033[%uC", r->skip);
	r->skip = 0;
	r->join = 0;
}

/* The width of the code points as one cluster; 0 if they are not one. */
static unsigned
cluster_width(const uint32_t *cps, unsigned n)
{
	uint8_t st = 0;
	unsigned width = 0;

	for (unsigned i = 0; i < n; i++) {
		if (uni_joins(&st, cps[i]) != (i > 0))
			return 0;
		if (cps[i] == 0xfe0f && i > 0 &&
		    (uni_props(cps[i - 1]) & UNI_VARIES))
			width = 2;
		else if (uni_class(cps[i]) == UNI_REGIONAL && i > 0)
			width = 2;
		else if (uni_width(cps[i]) > width)
			width = uni_width(cps[i]);
	}
	return width;
}

static bool
would_join(const struct render *r, uint32_t cp)
{
	uint8_t st = r->join;

	return cp >= 0x80 && st != 0 && uni_joins(&st, cp);
}

/*
 * Print a cell's text so that it becomes that cell: apart from the one before
 * it, and with mode 2027 off if that made it.
 */
static void
put_text(struct render *r, const struct vt_row *row, unsigned x)
{
	const struct cell *c = &row->cells[x];
	const uint32_t *cps = &c->ch;
	unsigned n = 1, width = cell_kind(c) == CELL_WIDE ? 2 : 1;
	char text[VT_TEXT_MAX];

	if (c->ch & CELL_CLUSTER)
		cps = clusters_get(row->clusters, c->ch & ~CELL_CLUSTER, &n);
	if (would_join(r, cps[0]))
		buf_printf(r->out, "\033[%uG", x + 1);
	size_t len = vt_cell_text(row, x, text);
	bool legacy = n > 1 && cluster_width(cps, n) != width;
	if (legacy)
		escape(r, "\033[?2027l");
	buf_append(r->out, text, len);
	if (legacy)
		escape(r, "\033[?2027h");
	r->join = 0;
	for (unsigned i = 0; i < n && !legacy; i++)
		uni_joins(&r->join, cps[i]);
}

/* The number of equally erased cells from x on. */
static unsigned
erased_run(const struct vt_row *row, unsigned x)
{
	unsigned n = 1;

	while (x + n < row->used && row->cells[x + n].ch == 0 &&
	    cell_kind(&row->cells[x + n]) == CELL_NARROW &&
	    row->cells[x + n].bg == row->cells[x].bg)
		n++;
	return n;
}

/* Marks apply to the cursor's row, so they come after it. */
static void
put_mark(struct render *r, unsigned flags)
{
	if (flags & ROW_PROMPT)
		buf_puts(r->out, "\033]133;A\033\\");
	if (flags & ROW_OUTPUT)
		buf_puts(r->out, "\033]133;C\033\\");
}

/* A row that scrolled in has the background of the text that wrapped to it. */
static void
clear_wrapped(struct render *r, const struct vt_row *row, unsigned x)
{
	const struct cell *c = &row->cells[x];

	r->wrapping = false;
	if (c->bg == 0 || (cell_kind(c) == CELL_WIDE ? 2u : 1u) == r->cols)
		return;
	plain_pen(r);
	escape(r, "\033[K");
}

/*
 * Draw a row from its first column on, where the cursor is or will wrap to.
 * The junction makes the pads.
 */
static void
put_row(struct render *r, const struct vt_row *row)
{
	r->skip = 0;
	for (unsigned x = 0; x < row->used; x++) {
		const struct cell *c = &row->cells[x];
		enum cell_kind kind = cell_kind(c);
		if (kind == CELL_TAIL || kind == CELL_PAD)
			continue;
		if (c->ch != 0) {
			set_pen(r, c);
			flush_skip(r);
			put_text(r, row, x);
			if (r->wrapping)
				clear_wrapped(r, row, x);
			continue;
		}
		unsigned n = erased_run(row, x);
		if (c->bg != 0) {
			set_pen(r, c);
			flush_skip(r);
			buf_printf(r->out, "\033[%uX", n);
			r->join = 0;
		}
		r->skip += n;
		x += n - 1;
	}
}

void
vt_put_row(const struct vt *vt, const struct vt_row *row, struct buf *out)
{
	struct render r = { .vt = vt, .out = out, .cols = vt_cols(vt) };

	put_row(&r, row);
	plain_pen(&r);
}

static bool
has_text(const struct vt_row *row, unsigned x)
{
	return x < row->used &&
	    (row->cells[x].ch != 0 || cell_kind(&row->cells[x]) == CELL_TAIL);
}

static bool
ends_in_pad(const struct render *r, const struct vt_row *row)
{
	return row->used == r->cols &&
	    cell_kind(&row->cells[r->cols - 1]) == CELL_PAD;
}

/* True if printing the text is enough to continue on the next row. */
static bool
wraps_itself(const struct render *r, const struct vt_row *row,
    const struct vt_row *next)
{
	uint32_t cp;
	unsigned n;

	if (!(next->flags & ROW_CONTINUES) || !has_text(next, 0))
		return false;
	cp = next->cells[0].ch;
	if (cp & CELL_CLUSTER)
		cp = clusters_get(next->clusters, cp & ~CELL_CLUSTER, &n)[0];
	if (would_join(r, cp))
		return false;
	if (ends_in_pad(r, row))
		return cell_kind(&next->cells[0]) == CELL_WIDE &&
		    next->cells[0].bg == row->cells[r->cols - 1].bg;
	return has_text(row, r->cols - 1);
}

/*
 * Force the wrap, or the pad, with characters that are erased again.  The
 * cursor ends at the start of the next row.
 */
static void
force_wrap(struct render *r, const struct vt_row *row,
    const struct vt_row *next)
{
	bool pad = ends_in_pad(r, row);
	bool keep = pad || has_text(row, r->cols - 1);
	struct cell last = { 0 };

	if (row->used == r->cols)
		last.bg = row->cells[r->cols - 1].bg;
	set_pen(r, &last);
	if (pad || !keep)
		buf_printf(r->out, "\033[%uG", r->cols);
	buf_puts(r->out, pad ? "\u3000" : keep ? "x" : "xx");
	if (!keep)
		buf_printf(r->out, "\033[A\033[%uG\033[X\033[B", r->cols);
	plain_pen(r);
	buf_printf(r->out, "\r\033[%uX", r->cols);
	r->join = 0;
	if (!(next->flags & ROW_CONTINUES))
		buf_puts(r->out, "\033[A\n");
}

/* Go from the end of one row to the start of the next. */
static void
junction(struct render *r, const struct vt_row *row, const struct vt_row *next)
{
	if (wraps_itself(r, row, next)) {
		if (ends_in_pad(r, row))
			buf_printf(r->out, "\033[%uG", r->cols);
		r->skip = 0;
		r->wrapping = true;
	} else if (r->rows > 1 &&
	    ((next->flags & ROW_CONTINUES) || ends_in_pad(r, row))) {
		force_wrap(r, row, next);
	} else {
		plain_pen(r);
		escape(r, "\r\n");
	}
}

/* The first row continues a line: wrap to it, and drop the row before. */
static void
begin_continued(struct render *r)
{
	if (r->rows < 2)
		return;
	buf_printf(r->out, "\033[%uGxx\033[S\033[H\033[X", r->cols);
}

/* The rows of history and screen, one after the other. */
struct row_source {
	const struct vt *vt;
	const struct screen *screen;
	struct vt_history_iter *history; /* NULL: none, or no more */
	unsigned y, end;
};

static bool
next_row(struct row_source *s, struct vt_row *out)
{
	if (s->history != NULL) {
		if (vt_history_next(s->history, out))
			return true;
		vt_history_end(s->history);
		s->history = NULL;
	}
	if (s->y >= s->end)
		return false;
	const struct row *row = screen_row(s->screen, s->y++);
	*out = (struct vt_row){ .cells = row->cells,
		.used = row->used,
		.flags = row->flags,
		.clusters = &s->vt->clusters };
	while (out->used > 0 && cell_is_zero(&out->cells[out->used - 1]))
		out->used--;
	return true;
}

/* Without history, blank rows at the bottom are left out. */
static unsigned
rows_to_draw(const struct screen *s, bool history)
{
	unsigned end = s->rows;

	for (; !history && end > 0; end--) {
		struct row *row = screen_row(s, end - 1);
		screen_trim(row);
		if (row->used > 0 || row->flags != 0)
			break;
	}
	return end;
}

/* A copy of a row that stays valid after the source's next. */
static void
keep_row(struct vt_row *to, struct cell *cells, struct clusters *clusters,
    const struct vt_row *from)
{
	*to = *from;
	to->cells = cells;
	to->clusters = clusters;
	clusters_clear(clusters);
	for (unsigned x = 0; x < from->used; x++) {
		unsigned n;
		cells[x] = from->cells[x];
		if (!(cells[x].ch & CELL_CLUSTER))
			continue;
		const uint32_t *cps = clusters_get(from->clusters,
		    cells[x].ch & ~CELL_CLUSTER, &n);
		cells[x].ch = CELL_CLUSTER | clusters_intern(clusters, cps, n);
	}
}

/* On the last row no text can leave a pad, so it becomes a blank. */
static void
forget_pad(const struct render *r, struct vt_row *row, struct cell *cells)
{
	if (!ends_in_pad(r, row))
		return;
	cells[r->cols - 1].attr = 0;
	while (row->used > 0 && cell_is_zero(&cells[row->used - 1]))
		row->used--;
}

static void
put_rows(struct render *r, const struct screen *screen, bool history)
{
	struct cell cells[VT_COLS_MAX];
	struct clusters clusters;
	struct vt_row row, next;
	struct row_source source = {
		.vt = r->vt,
		.screen = screen,
		.history = history ? vt_history_begin(r->vt) : NULL,
		.end = rows_to_draw(screen, history && r->vt->history.lines),
	};

	clusters_init(&clusters);
	r->pen = (struct cell){ 0 };
	r->join = 0;
	if (next_row(&source, &next)) {
		if (next.flags & ROW_CONTINUES)
			begin_continued(r);
		for (;;) {
			keep_row(&row, cells, &clusters, &next);
			if (source.y == source.end)
				forget_pad(r, &row, cells);
			put_row(r, &row);
			put_mark(r, row.flags);
			if (!next_row(&source, &next))
				break;
			junction(r, &row, &next);
		}
	}
	plain_pen(r);
	clusters_finish(&clusters);
}

static void
put_charsets(struct render *r, const struct charsets *c)
{
	for (unsigned i = 0; i < 4; i++)
		if (c->set[i] != 'B')
			buf_printf(r->out, "\033%c%c", "()*+"[i], c -> set[i]);
	if (c->current != 0)
		buf_puts(r->out,
		    (const char *const[]){ "", "\016", "\033n",
			"\033o" }[c->current]);
	if (c->single != 0)
		buf_puts(r->out, c->single == 2 ? "\033N" : "\033O");
}

static void
reset_charsets(struct render *r, const struct charsets *c)
{
	for (unsigned i = 0; i < 4; i++)
		if (c->set[i] != 'B')
			buf_printf(r->out, "\033%cB", "()*+"[i]);
	if (c->current != 0)
		buf_putc(r->out, '\017');
}

static bool
is_plain_save(const struct saved_cursor *s)
{
	return s->x == 0 && s->y == 0 && !s->pending && !s->origin &&
	    cell_is_zero(&s->pen) && s->charsets.current == 0 &&
	    s->charsets.single == 0 && memcmp(s->charsets.set, "BBBB", 4) == 0;
}

/*
 * Written on the empty screen: there a wrap can be made pending in any column,
 * and the margins are those of the screen, so origin mode is harmless.
 */
static void
put_saved_cursor(struct render *r, const struct saved_cursor *s)
{
	bool narrow = s->pending && s->x + 1u < r->cols;

	if (is_plain_save(s))
		return;
	r->pen = (struct cell){ 0 };
	if (narrow)
		buf_printf(r->out, "\033[?69h\033[1;%ds", s->x + 1);
	if (s->origin)
		buf_puts(r->out, "\033[?6h");
	set_pen(r, &s->pen);
	buf_printf(r->out, "\033[%d;%dH%s", s->y + 1, s->x + 1,
	    s->pending ? "x" : "");
	put_charsets(r, &s->charsets);
	buf_puts(r->out, "\0337");
	reset_charsets(r, &s->charsets);
	plain_pen(r);
	if (s->pending)
		buf_puts(r->out, "\033[2K");
	if (s->origin)
		buf_puts(r->out, "\033[?6l");
	if (narrow)
		buf_puts(r->out, "\033[?69l");
	buf_puts(r->out, "\033[H");
}

static void
put_margins(struct render *r, const struct screen *s)
{
	if (!screen_full_width(s))
		buf_printf(r->out, "\033[?69h\033[%d;%ds", s->left + 1,
		    s->right + 1);
	if (s->top != 0 || s->bottom != s->rows - 1)
		buf_printf(r->out, "\033[%d;%dr", s->top + 1, s->bottom + 1);
}

static void
put_kitty(struct render *r, unsigned which)
{
	const struct keyboard *k = &r->vt->keyboard;

	if (k->kitty[which][0] != 0)
		buf_printf(r->out, "\033[=%uu", k->kitty[which][0]);
	for (unsigned i = 1; i <= k->kitty_depth[which]; i++)
		buf_printf(r->out, "\033[>%uu", k->kitty[which][i]);
}

static void
put_screen(struct render *r, unsigned which, bool history)
{
	const struct screen *s = &r->vt->screens[which];

	put_saved_cursor(r, &r->vt->saved[which]);
	put_rows(r, s, history);
	put_kitty(r, which);
	if (s == r->vt->screen)
		put_margins(r, s);
}

static void
put_tabs(struct render *r)
{
	const uint8_t *tabs = r->vt->tabs;
	bool usual = true;

	for (unsigned x = 0; x < r->cols; x++)
		usual &= (tabs[x / 8] >> (x % 8) & 1) == (x % 8 == 0);
	if (usual)
		return;
	buf_puts(r->out, "\033[3g");
	for (unsigned x = 0; x < r->cols; x++)
		if (tabs[x / 8] >> (x % 8) & 1)
			buf_printf(r->out, "\033[%uG\033H", x + 1);
}

void
vt_put_colours(const struct vt *vt, struct buf *out)
{
	const struct colours *c = &vt->colours;
	struct colours usual;

	colours_init(&usual);
	for (unsigned i = 0; i < PALETTE_SIZE && c->palette != NULL; i++) {
		uint32_t rgb = c->palette[i];
		if (rgb != colours_palette(&usual, i))
			buf_printf(out, "\033]4;%u;rgb:%02x/%02x/%02x\033\\", i,
			    rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff);
	}
	for (unsigned i = 0; i < 3; i++)
		if (c->is_set[i])
			buf_printf(out, "\033]%u;rgb:%02x/%02x/%02x\033\\",
			    10 + i, c->set[i] >> 16, c->set[i] >> 8 & 0xff,
			    c->set[i] & 0xff);
	for (unsigned i = 0; i < SPECIAL_COLOURS; i++)
		if (c->special_is_set[i])
			buf_printf(out, "\033]5;%u;rgb:%02x/%02x/%02x\033\\", i,
			    c->special[i] >> 16, c->special[i] >> 8 & 0xff,
			    c->special[i] & 0xff);
}

static void
put_title(struct render *r, const char *title, const char *icon)
{
	buf_printf(r->out, "\033]1;%s\033\\\033]2;%s\033\\", icon, title);
}

static void
put_titles(struct render *r)
{
	const struct titles *t = &r->vt->titles;

	for (unsigned i = 0; i < t->depth; i++) {
		const char *title = t->stack[i].title, *icon = t->stack[i].icon;
		put_title(r, title != NULL ? title : "",
		    icon != NULL ? icon : "");
		buf_printf(r->out, "\033[22;%dt",
		    icon == NULL      ? 2 :
			title == NULL ? 1 :
					0);
	}
	if (t->depth > 0 || *t->title != '\0' || *t->icon != '\0')
		put_title(r, t->title, t->icon);
	if (*r->vt->cwd != '\0')
		buf_printf(r->out, "\033]7;%s\033\\", r->vt->cwd);
	for (unsigned bit = 0; bit < 2; bit++)
		if (t->hex >> bit & 1)
			buf_printf(r->out, "\033[>%ut", bit);
}

#define BIT(id) (1ull << MODE_##id)

/* Modes that are written elsewhere, or that only follow from others. */
#define ELSEWHERE \
	(BIT(ALT_47) | BIT(ALT_1047) | BIT(ALT_1049) | BIT(SAVE_1048) | \
	    BIT(DECOM) | BIT(SYNC) | BIT(CURSOR_BLINK))

static void
put_mode(struct render *r, unsigned id, bool on)
{
	buf_printf(r->out, "\033[%s%u%c", mode_table[id].private ? "?" : "",
	    mode_table[id].number, on ? 'h' : 'l');
}

/* XTSAVE saves the present value, so set that value for a moment. */
static void
put_saved_modes(struct render *r)
{
	uint64_t usual = mode_initial(), saved = r->vt->saved_modes;

	for (unsigned id = 0; id < MODE_COUNT; id++)
		if ((saved ^ usual) >> id & 1) {
			bool on = saved >> id & 1;
			put_mode(r, id, on);
			buf_printf(r->out, "\033[?%us", mode_table[id].number);
			put_mode(r, id, !on);
		}
}

static void
put_modes(struct render *r)
{
	uint64_t differ = (r->vt->modes ^ mode_initial()) & ~ELSEWHERE;

	/*
	 * Side margins turned it on already, and turning it off would reset
	 * them.
	 */
	for (unsigned id = 0; id < MODE_COUNT; id++)
		if (differ >> id & 1 && id != MODE_DECLRMM)
			put_mode(r, id, r->vt->modes >> id & 1);
}

/* Make a wrap pending by printing its character again, or by erasing it. */
static void
put_wait(struct render *r, const struct vt_row *row, unsigned x, unsigned top,
    unsigned left)
{
	const struct cell *c = &row->cells[x];
	unsigned y = r->vt->cursor.y - top + 1;

	set_pen(r, c);
	if (c->ch != 0) {
		put_text(r, row, x);
		return;
	}
	buf_printf(r->out, "x\033[%u;%u;%u;%u$z", y, x - left + 1, y,
	    x - left + 1);
	r->join = 0;
}

static void
put_cursor(struct render *r)
{
	const struct vt *vt = r->vt;
	const struct screen *s = vt->screen;
	unsigned x = vt->cursor.x, y = vt->cursor.y;
	struct vt_row row;

	vt_screen_row(vt, y, &row);
	if (vt->cursor.pending && cell_kind(&row.cells[x]) == CELL_TAIL)
		x--;
	unsigned top = 0, left = 0;
	unsigned end = vt->cursor.x <= s->right ? s->right : r->cols - 1;
	bool narrow = vt->cursor.pending && vt->cursor.x != end;
	if (vt_mode(vt, MODE_DECOM)) {
		buf_puts(r->out, "\033[?6h");
		top = s->top;
		left = s->left;
	}
	if (narrow)
		buf_printf(r->out, "\033[?69h\033[1;%ds", vt->cursor.x + 1);
	buf_printf(r->out, "\033[%u;%uH", y - top + 1, x - left + 1);
	r->join = 0;
	if (vt->cursor.pending)
		put_wait(r, &row, x, top, left);
	if (narrow)
		buf_puts(r->out,
		    vt_mode(vt, MODE_DECLRMM) ? "\033[?69l\033[?69h" :
						"\033[?69l");
}

static void
put_keyboard(struct render *r)
{
	const struct keyboard *k = &r->vt->keyboard;

	if (k->modify_other_keys != 0)
		buf_printf(r->out, "\033[>4;%um", k->modify_other_keys);
	if (k->format_other_keys != 0)
		buf_printf(r->out, "\033[>4;%uf", k->format_other_keys);
}

static void
put_shape(struct render *r)
{
	bool blink = vt_mode(r->vt, MODE_CURSOR_BLINK);

	if (r->vt->shape != CURSOR_BLOCK || blink)
		buf_printf(r->out, "\033[%u q",
		    2 + 2 * (unsigned)r->vt->shape - blink);
}

int
vt_render(const struct vt *vt, unsigned flags, struct buf *out)
{
	struct render r = {
		.vt = vt,
		.out = out,
		.cols = vt->screen->cols,
		.rows = vt->screen->rows,
	};

	vt_put_colours(vt, out);
	put_titles(&r);
	put_saved_modes(&r);
	if (vt->level != LEVEL_MAX)
		buf_printf(out, "\033[%d\"p", 60 + vt->level);
	if (!vt_on_alt(vt) && !is_plain_save(&vt->saved[1])) {
		buf_puts(out, "\033[?1047h");
		put_saved_cursor(&r, &vt->saved[1]);
		buf_puts(out, "\033[?1047l\033[H");
	}
	if (!vt_on_alt(vt) || !(flags & RENDER_SHOWN))
		put_screen(&r, 0, flags & RENDER_HISTORY);
	if (vt_on_alt(vt)) {
		if (!(flags & RENDER_SHOWN))
			buf_puts(out, "\033[?1047h\033[H");
		put_screen(&r, 1, false);
	}
	put_tabs(&r);
	if (vt_mode(vt, MODE_DECLRMM))
		buf_puts(out, "\033[?69h");
	put_cursor(&r);
	put_modes(&r);
	put_keyboard(&r);
	put_shape(&r);
	set_pen(&r, &vt->pen);
	if (vt->protection == PROTECT_ALWAYS)
		buf_puts(out,
		    vt->pen.attr & ATTR_PROTECTED ? "\033V" : "\033V\033W");
	put_charsets(&r, &vt->charsets);
	if (vt_mode(vt, MODE_SYNC))
		buf_puts(out, "\033[?2026h");
	return out->full ? -ENOBUFS : 0;
}
