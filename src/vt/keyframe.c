#include "vt/keyframe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "vt/line.h"
#include "vt/mode.h"
#include "vt/state.h"
#include "vt/vt.h"

/*
 * The format.  Everything is a number of line.h (base 128, low part first), a
 * string (its length, its bytes) or packed cells (the same).
 *
 *	"TKF" version engine
 *	cols rows history-lines history-bytes
 *	extras parser primary [alternate] cursor saved saved pen charsets last
 *	modes saved-modes tabs shape keyboard titles cwd program colours
 *	history stash
 *
 * The functions below define the content of each part, because the same
 * functions write and read.  Keyframes of earlier engines are readable too:
 * parts that these lacked are as in a fresh terminal.  Reading trusts nothing
 * and refuses everything that no terminal could have written.  Generations,
 * which count from the restoring on, and memory positions are not kept.
 */
#define KEYFRAME_VERSION 1
/*
 * The engine version in a keyframe is the first that can read it.  A part that
 * came with engine 2 is left out if it is as in a fresh terminal.
 */
#define ENGINE_FIRST 1
#define ENGINE_SECOND 2
#define MODES_1 (MODE_SCHEME + 1) /* those of engine 1 */

struct codec {
	struct buf *out; /* NULL: reading */
	const uint8_t *p, *end;
	bool bad;
	bool no_history; /* when writing: leave it out */
	uint64_t engine; /* the first that can read it */
};

static void
number(struct codec *k, uint64_t *n, uint64_t min, uint64_t max)
{
	if (k->out != NULL) {
		line_put_number(k->out, *n);
		return;
	}
	if (k->bad || !line_get_number(&k->p, k->end, n) || *n < min ||
	    *n > max) {
		k->bad = true;
		*n = min;
	}
}

/* A field of any integer type, at most max. */
#define NUMBER(k, field, max) NUMBER_FROM(k, field, 0, max)
#define NUMBER_FROM(k, field, min, max) \
	do { \
		uint64_t n_ = (uint64_t)(field); \
		number(k, &n_, min, max); \
		if ((k)->out == NULL) \
			(field) = (__typeof__(field))n_; \
	} while (0)

/* Bytes: when reading, a pointer to them. */
static void
bytes(struct codec *k, const void **p, size_t *len, size_t max)
{
	NUMBER(k, *len, max);
	if (k->out != NULL) {
		buf_append(k->out, *p, *len);
		return;
	}
	if (k->bad || *len > (size_t)(k->end - k->p)) {
		k->bad = true;
		*len = 0;
	}
	*p = k->p;
	k->p += *len;
}

/* Text for display: UTF-8 without control characters. */
static bool
is_clean(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] < 0x20 || p[i] == 0x7f ||
		    (p[i] == 0xc2 && i + 1 < len && p[i + 1] < 0xa0))
			return false;
	return utf8_valid(p, len);
}

static void
string(struct codec *k, char **s, size_t max)
{
	const void *p = *s;
	size_t len = *s != NULL ? strlen(*s) : 0;

	bytes(k, &p, &len, max);
	if (k->out != NULL)
		return;
	if (!is_clean(p, len)) {
		k->bad = true;
		len = 0;
	}
	free(*s);
	*s = xmalloc(len + 1);
	memcpy(*s, p, len);
	(*s)[len] = '\0';
}

static void
colour(struct codec *k, uint32_t *c)
{
	NUMBER(k, *c, COLOUR_RGB | 0xffffff);
	if (COLOUR_KIND(*c) == COLOUR_PALETTE && COLOUR_VALUE(*c) > 255)
		k->bad = true;
	if (COLOUR_KIND(*c) == COLOUR_DEFAULT && *c != 0)
		k->bad = true;
}

static void
pen(struct codec *k, struct cell *c)
{
	colour(k, &c->fg);
	colour(k, &c->bg);
	NUMBER(k, c->attr, UINT32_MAX);
	if (c->attr & ~(ATTR_EXTRA | ATTR_SGR | ATTR_PROTECTED))
		k->bad = true;
	if (cell_underline(c) > UNDERLINE_DASHED)
		k->bad = true;
}

static void
charsets(struct codec *k, struct charsets *c)
{
	for (unsigned i = 0; i < 4; i++) {
		NUMBER(k, c->set[i], 255);
		if (k->out == NULL && !charsets_name(c, i, c->set[i]))
			k->bad = true;
	}
	NUMBER(k, c->current, 3);
	NUMBER(k, c->single, 3);
	if (c->single == 1)
		k->bad = true;
}

static void
one_extra(struct codec *k, struct extras *x, uint64_t id)
{
	const struct extra *e = extras_get(x, (uint16_t)id);
	uint32_t underline = e != NULL ? e->underline : 0;
	bool linked = e != NULL && e->uri != NULL;
	auto_free char *uri = linked ? xstrdup(e->uri) : NULL;
	auto_free char *link_id = linked ? xstrdup(e->id) : NULL;

	colour(k, &underline);
	NUMBER(k, linked, 1);
	if (linked) {
		string(k, &uri, LINK_URI_MAX);
		string(k, &link_id, LINK_ID_MAX);
	}
	if (k->out == NULL && !k->bad &&
	    extras_put(x, (uint16_t)id, underline, linked ? uri : NULL,
		linked ? link_id : NULL) < 0)
		k->bad = true;
}

/* Each follows its id; 0 ends them. */
static void
extras(struct codec *k, struct extras *x)
{
	uint64_t id = 0;

	if (k->out != NULL) {
		for (id = 1; id < x->count; id++)
			if (extras_get(x, (uint16_t)id) != NULL) {
				number(k, &id, 0, EXTRAS_MAX);
				one_extra(k, x, id);
			}
		id = 0;
		number(k, &id, 0, 0);
	} else {
		for (number(k, &id, 0, EXTRAS_MAX); id != 0 && !k->bad;
		     number(k, &id, 0, EXTRAS_MAX))
			one_extra(k, x, id);
	}
	NUMBER(k, x->patience, UINT32_MAX);
}

static void
check_seq(struct codec *k, const struct seq *s)
{
	if (s->private != 0 && (s->private < '<' || s->private > '?'))
		k->bad = true;
	if (s->intermediate != 0 && s->intermediate != SEQ_INTERMEDIATES &&
	    (s->intermediate < 0x20 || s->intermediate > 0x2f))
		k->bad = true;
}

static void
sequence(struct codec *k, struct seq *s)
{
	NUMBER(k, s->private, 255);
	NUMBER(k, s->intermediate, 255);
	NUMBER(k, s->final, 0x7e);
	NUMBER_FROM(k, s->nargs, 1, SEQ_ARGS_MAX);
	for (unsigned i = 0; i < s->nargs; i++)
		NUMBER(k, s->args[i], SEQ_ARG_MAX);
	NUMBER(k, s->sub, UINT32_MAX);
	check_seq(k, s);
}

/* An incomplete character; only significant bits. */
static void
utf8(struct codec *k, struct utf8 *u)
{
	NUMBER(k, u->need, 3);
	if (u->need == 0)
		return;
	NUMBER(k, u->cp, 0x1fffff);
	NUMBER_FROM(k, u->lo, 0x80, 0xbf);
	NUMBER_FROM(k, u->hi, 0x80, 0xbf);
}

static void
parser(struct codec *k, struct parser *ps)
{
	NUMBER(k, ps->state, PARSER_STATES - 1);
	if (ps->state == PARSER_GROUND) {
		utf8(k, &ps->utf8);
		return;
	}
	if (ps->state == PARSER_CSI_IGNORE)
		return;
	if (ps->state != PARSER_SWALLOW) {
		sequence(k, &ps->seq);
		NUMBER(k, ps->overflow, 1);
		NUMBER(k, ps->started, 1);
	}
	if (ps->state != PARSER_SWALLOW && ps->state != PARSER_STRING)
		return;
	NUMBER(k, ps->escaped, 1);
	NUMBER(k, ps->lead_c2, 1);
	if (ps->state == PARSER_SWALLOW)
		return;
	const void *p = ps->string;
	size_t len = ps->overflow ? 0 : ps->string_len;
	NUMBER(k, ps->is_osc, 1);
	bytes(k, &p, &len, SEQ_STRING_MAX + (size_t)ps->lead_c2);
	if (k->out == NULL && !ps->overflow)
		parser_set_string(ps, p, len);
	if (ps->lead_c2 && !ps->overflow && len == 0)
		k->bad = true;
}

/* Read packed cells into a zeroed row. */
static void
unpack_row(struct codec *k, struct vt *vt, struct screen *s, struct row *row,
    const void *p, size_t len)
{
	struct line_reader r;
	struct cell c;
	unsigned x = 0;

	line_read(&r, p, len);
	while (x < s->cols && line_next(&r, &vt->clusters, &c))
		row->cells[x++] = c;
	/* A full row may still be followed by the end of its style. */
	if (line_next(&r, &vt->clusters, &c) || r.broken)
		k->bad = true;
	row->used = (uint16_t)x;
	screen_trim(row);
}

static void
row(struct codec *k, struct vt *vt, struct screen *s, struct row *row)
{
	struct buf packed;
	const void *p = NULL;
	size_t len = 0;

	buf_init(&packed, SIZE_MAX);
	if (k->out != NULL) {
		screen_trim(row);
		line_pack(&packed, row->cells, row->used, &vt->clusters);
		p = packed.data;
		len = packed.len;
	}
	NUMBER(k, row->flags, ROW_CONTINUES | ROW_PROMPT | ROW_OUTPUT);
	bytes(k, &p, &len, SIZE_MAX);
	if (k->out == NULL && !k->bad)
		unpack_row(k, vt, s, row, p, len);
	buf_finish(&packed);
}

static void
screen(struct codec *k, struct vt *vt, struct screen *s)
{
	NUMBER(k, s->top, s->rows - 1u);
	NUMBER_FROM(k, s->bottom, s->top, s->rows - 1u);
	NUMBER(k, s->left, s->cols - 1u);
	NUMBER_FROM(k, s->right, s->left, s->cols - 1u);
	for (unsigned y = 0; y < s->rows && !k->bad; y++)
		row(k, vt, s, screen_row(s, y));
}

static void
saved_cursor(struct codec *k, struct vt *vt, struct saved_cursor *s)
{
	NUMBER(k, s->x, vt->screen->cols - 1u);
	NUMBER(k, s->y, vt->screen->rows - 1u);
	if (k->engine >= ENGINE_SECOND)
		NUMBER(k, s->pending, 1);
	NUMBER(k, s->origin, 1);
	pen(k, &s->pen);
	charsets(k, &s->charsets);
	if (s->charsets.single != 0)
		k->bad = true;
}

static void
cursor(struct codec *k, struct vt *vt)
{
	NUMBER(k, vt->cursor.x, vt->screen->cols - 1u);
	NUMBER(k, vt->cursor.y, vt->screen->rows - 1u);
	NUMBER(k, vt->cursor.pending, 1);
	saved_cursor(k, vt, &vt->saved[0]);
	saved_cursor(k, vt, &vt->saved[1]);
	pen(k, &vt->pen);
	charsets(k, &vt->charsets);
	NUMBER(k, vt->last.join, 255);
	if (vt->last.join != 0)
		NUMBER(k, vt->last.cell, vt->screen->cols - 1u);
	NUMBER(k, vt->shape, CURSOR_BAR);
	if (k->engine >= ENGINE_SECOND) {
		NUMBER(k, vt->protection, PROTECT_ALWAYS);
		NUMBER_FROM(k, vt->level, 1, LEVEL_MAX);
	}
}

static void
tabs(struct codec *k, struct vt *vt)
{
	for (size_t i = 0; i < (vt->screen->cols + 7u) / 8; i++)
		NUMBER(k, vt->tabs[i], 255);
}

static void
keyboard(struct codec *k, struct keyboard *b)
{
	for (unsigned i = 0; i < 2; i++) {
		NUMBER(k, b->kitty_depth[i], KITTY_STACK_MAX - 1);
		for (unsigned n = 0; n <= b->kitty_depth[i]; n++)
			NUMBER(k, b->kitty[i][n], 31);
	}
	NUMBER(k, b->modify_other_keys, 2);
	NUMBER(k, b->format_other_keys, 1);
}

/* The last character of a title may exceed the limit. */
#define TITLE_BYTES (TITLE_MAX + 4)

static void
saved_title(struct codec *k, char **s)
{
	bool saved = *s != NULL;

	NUMBER(k, saved, 1);
	if (saved)
		string(k, s, TITLE_BYTES);
}

static void
titles(struct codec *k, struct titles *t)
{
	unsigned depth = t->depth;

	if (k->engine >= ENGINE_SECOND)
		NUMBER(k, t->hex, TITLE_HEX_SET | TITLE_HEX_TOLD);

	string(k, &t->title, TITLE_BYTES);
	string(k, &t->icon, TITLE_BYTES);
	NUMBER(k, depth, TITLE_STACK_MAX);
	for (unsigned i = 0; i < depth && !k->bad; i++) {
		saved_title(k, &t->stack[i].title);
		saved_title(k, &t->stack[i].icon);
		/* Even if it is invalid, so that it gets freed. */
		if (k->out == NULL)
			t->depth = i + 1;
	}
}

static void
program(struct codec *k, struct program_status *s)
{
	auto_free char *app = xstrdup(s->app);
	auto_free char *text = xstrdup(s->text);

	if (k->engine < ENGINE_SECOND)
		return;
	NUMBER(k, s->state, PROGRAM_STATES - 1);
	if (s->state == PROGRAM_SILENT)
		return;
	NUMBER(k, s->kind, PROGRAM_KINDS - 1);
	string(k, &app, PROGRAM_APP_MAX);
	string(k, &text, PROGRAM_TEXT_MAX);
	if (k->out != NULL)
		return;
	memcpy(s->app, app, strlen(app) + 1);
	memcpy(s->text, text, strlen(text) + 1);
	if (s->kind != PROGRAM_NO_KIND && s->state != PROGRAM_BLOCKED)
		k->bad = true;
}

static void
colours(struct codec *k, struct colours *c)
{
	bool changed = c->palette != NULL;

	NUMBER(k, changed, 1);
	for (unsigned i = 0; changed && i < PALETTE_SIZE; i++) {
		uint32_t rgb = colours_palette(c, i);
		NUMBER(k, rgb, 0xffffff);
		if (k->out == NULL)
			colours_set_palette(c, i, rgb);
	}
	for (unsigned i = 0; i < 3; i++) {
		NUMBER(k, c->own[i], 0xffffff);
		NUMBER(k, c->is_set[i], 1);
		if (c->is_set[i])
			NUMBER(k, c->set[i], 0xffffff);
	}
	for (unsigned i = 0; i < SPECIAL_COLOURS && k->engine >= ENGINE_SECOND;
	     i++) {
		NUMBER(k, c->special_is_set[i], 1);
		if (c->special_is_set[i])
			NUMBER(k, c->special[i], 0xffffff);
	}
}

static void
history_line(struct codec *k, struct history *h, struct history_line *line)
{
	const void *p = line->p;

	NUMBER(k, line->flags, ROW_CONTINUES | ROW_PROMPT | ROW_OUTPUT);
	bytes(k, &p, &line->len, HISTORY_LINE_MAX);
	if (k->out == NULL && !k->bad)
		history_push_packed(h, p, line->len, line->flags);
}

static void
history(struct codec *k, struct history *h)
{
	struct history_place place = { 0 };
	struct history_line line = { 0 };
	uint32_t lines = k->no_history ? 0 : h->lines;

	NUMBER(k, lines, h->lines_max);
	for (uint32_t i = 0; i < lines && !k->bad; i++) {
		if (k->out != NULL)
			history_next(h, &place, &line);
		history_line(k, h, &line);
	}
	NUMBER(k, h->missing, VT_COLS_MAX);
}

static void
stash(struct codec *k, struct vt *vt)
{
	struct stash *s = &vt->stash;
	bool valid = s->generation == vt->screens[0].changed;
	const void *p = s->lines.data;
	size_t len = s->lines.len;
	unsigned rows = s->rows;

	if (k->out != NULL && !valid)
		len = rows = 0;
	NUMBER(k, rows, VT_CELLS_MAX);
	bytes(k, &p, &len, SIZE_MAX);
	if (k->out != NULL || k->bad)
		return;
	if (!stash_check(p, len, rows)) {
		k->bad = true;
		return;
	}
	buf_append(&s->lines, p, len);
	s->rows = rows;
	s->generation = vt->screens[0].changed;
}

static void
modes(struct codec *k, struct vt *vt)
{
	const bool all = k->engine >= ENGINE_SECOND;
	const uint64_t known = (1ull << (all ? MODE_COUNT : MODES_1)) - 1;
	const uint64_t fresh = mode_initial() & ~known;
	uint64_t now = vt->modes & known, saved = vt->saved_modes & known;

	NUMBER(k, now, known);
	NUMBER(k, saved, known);
	vt->modes = now | fresh;
	vt->saved_modes = saved | fresh;
}

/* The alternate screen is present if the modes say so. */
static void
screens(struct codec *k, struct vt *vt)
{
	screen(k, vt, &vt->screens[0]);
	if (k->out == NULL && vt_mode(vt, MODE_ALT_1049))
		vt_enter_alt(vt);
	if (vt_on_alt(vt))
		screen(k, vt, vt->screen);
}

static void
walk(struct codec *k, struct vt *vt)
{
	extras(k, &vt->extras);
	parser(k, &vt->parser);
	modes(k, vt);
	screens(k, vt);
	cursor(k, vt);
	tabs(k, vt);
	keyboard(k, &vt->keyboard);
	titles(k, &vt->titles);
	string(k, &vt->cwd, CWD_MAX + 4);
	program(k, &vt->program);
	colours(k, &vt->colours);
	history(k, &vt->history);
	stash(k, vt);
}

/* True if all parts that came with engine 2 are as in a fresh terminal. */
static bool
is_as_in_first(const struct vt *vt)
{
	const uint64_t fresh = mode_initial() >> MODES_1;

	for (unsigned i = 0; i < SPECIAL_COLOURS; i++)
		if (vt->colours.special_is_set[i])
			return false;
	return vt->titles.hex == 0 && vt->program.state == PROGRAM_SILENT &&
	    !vt->saved[0].pending && !vt->saved[1].pending &&
	    vt->protection == PROTECT_SELECTIVE && vt->level == LEVEL_MAX &&
	    vt->modes >> MODES_1 == fresh &&
	    vt->saved_modes >> MODES_1 == fresh;
}

static uint64_t
oldest_reader(const struct vt *vt)
{
	return is_as_in_first(vt) ? ENGINE_FIRST : ENGINE_SECOND;
}

static int
save(const struct vt *vt, bool history, struct buf *out)
{
	struct codec k = { .out = out,
		.no_history = !history,
		.engine = oldest_reader(vt) };
	/* Writing changes nothing, but the same code reads. */
	struct vt *self = (struct vt *)vt;

	buf_append(out, "TKF", 3);
	line_put_number(out, KEYFRAME_VERSION);
	line_put_number(out, k.engine);
	line_put_number(out, vt->screen->cols);
	line_put_number(out, vt->screen->rows);
	line_put_number(out, vt->history.lines_max);
	line_put_number(out, vt->history.limit);
	walk(&k, self);
	return out->full ? -ENOBUFS : 0;
}

int
keyframe_save(const struct vt *vt, struct buf *out)
{
	return save(vt, true, out);
}

int
keyframe_save_screen(const struct vt *vt, struct buf *out)
{
	return save(vt, false, out);
}

static int
read_header(struct codec *k, struct vt_config *config, struct error *err)
{
	uint64_t version = 0;

	if (k->end - k->p < 3 || memcmp(k->p, "TKF", 3) != 0)
		return error_set(err, EINVAL, "this is not a keyframe");
	k->p += 3;
	NUMBER(k, version, UINT32_MAX);
	NUMBER_FROM(k, k->engine, ENGINE_FIRST, UINT32_MAX);
	if (version != KEYFRAME_VERSION || k->engine > VT_ENGINE_VERSION)
		return error_set(err, EPROTONOSUPPORT,
		    "the keyframe is of version %u, engine %u; "
		    "this is version %d, engine %d",
		    (unsigned)version, (unsigned)k->engine, KEYFRAME_VERSION,
		    VT_ENGINE_VERSION);
	NUMBER(k, config->cols, VT_COLS_MAX);
	NUMBER(k, config->rows, VT_ROWS_MAX);
	NUMBER(k, config->history_lines, UINT32_MAX);
	NUMBER(k, config->history_bytes, UINT32_MAX);
	return k->bad ? error_set(err, EINVAL, "the keyframe is damaged") : 0;
}

struct vt *
keyframe_restore(const void *p, size_t len, const struct vt_ops *ops, void *arg,
    struct error *err)
{
	struct codec k = { .p = p, .end = (const uint8_t *)p + len };
	struct vt_config config = { .ops = ops, .arg = arg };
	struct vt *vt;

	if (read_header(&k, &config, err) < 0)
		return NULL;
	vt = vt_create(&config, err);
	if (vt == NULL)
		return NULL;
	walk(&k, vt);
	if (k.bad || k.p != k.end) {
		error_set(err, EINVAL, "the keyframe is damaged at byte %zu",
		    (size_t)(k.p - (const uint8_t *)p));
		vt_destroy(vt);
		return NULL;
	}
	return vt;
}
