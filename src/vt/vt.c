#include "vt/vt.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "vt/dispatch.h"
#include "vt/mode.h"
#include "vt/state.h"

#define HISTORY_BYTES_MIN (64u << 10)

static_assert(MODE_COUNT <= 64, "modes are bits of a word");
static_assert(VT_TEXT_MAX > CLUSTER_MAX * 4, "a cell's text fits");

int
vt_check_size(unsigned cols, unsigned rows, struct error *err)
{
	if (cols < VT_COLS_MIN || cols > VT_COLS_MAX || rows < 1 ||
	    rows > VT_ROWS_MAX || cols * rows > VT_CELLS_MAX)
		return error_set(err, EINVAL,
		    "a screen of %ux%u is not possible: columns are %d to %d, "
		    "rows 1 to %d, and together at most %d cells",
		    cols, rows, VT_COLS_MIN, VT_COLS_MAX, VT_ROWS_MAX,
		    VT_CELLS_MAX);
	return 0;
}

struct vt *
vt_create(const struct vt_config *config, struct error *err)
{
	struct vt *vt;

	if (vt_check_size(config->cols, config->rows, err) < 0)
		return NULL;
	vt = xcalloc(1, sizeof(*vt));
	vt->ops = config->ops;
	vt->arg = config->arg;
	parser_init(&vt->parser, &dispatch_ops, vt);
	screen_init(&vt->screens[0], config->cols, config->rows);
	vt->screen = &vt->screens[0];
	history_init(&vt->history, config->history_lines,
	    config->history_bytes);
	clusters_init(&vt->clusters);
	extras_init(&vt->extras);
	stash_init(&vt->stash);
	titles_init(&vt->titles);
	colours_init(&vt->colours);
	vt->tabs = xcalloc((config->cols + 7u) / 8, 1);
	vt_reset(vt);
	return vt;
}

void
vt_destroy(struct vt *vt)
{
	if (vt == NULL)
		return;
	parser_finish(&vt->parser);
	screen_finish(&vt->screens[0]);
	screen_finish(&vt->screens[1]);
	history_finish(&vt->history);
	ahead_finish(&vt->ahead);
	clusters_finish(&vt->clusters);
	extras_finish(&vt->extras);
	stash_finish(&vt->stash);
	titles_finish(&vt->titles);
	colours_finish(&vt->colours);
	free(vt->cwd);
	free(vt->tabs);
	free(vt);
}

void
vt_set_ops(struct vt *vt, const struct vt_ops *ops, void *arg)
{
	vt->ops = ops;
	vt->arg = arg;
}

void
vt_answer_all(struct vt *vt, bool answer)
{
	vt->answers_all = answer;
}

void
vt_reply(struct vt *vt, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int len;

	if (vt->ops == NULL || vt->ops->reply == NULL)
		return;
	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert(len > 0 && (size_t)len < sizeof(text));
	vt->ops->reply(vt->arg, text, (size_t)len);
}

void
vt_emit(struct vt *vt, const struct vt_event *ev)
{
	if (vt->ops != NULL && vt->ops->event != NULL)
		vt->ops->event(vt->arg, ev);
}

void
vt_lose(const struct vt *vt, enum vt_loss_how how, unsigned top,
    unsigned bottom, unsigned n)
{
	if (vt->ops != NULL && vt->ops->lose != NULL && !vt_on_alt(vt))
		vt->ops->lose(vt->arg,
		    &(struct vt_loss){ how, top, bottom, n });
}

/* Publish all changes so far. */
void
vt_publish(struct vt *vt)
{
	uint64_t cells = vt->screen->changed;

	if (vt->published < vt->changed)
		vt->published = vt->changed;
	if (vt->published < cells)
		vt->published = cells;
}

static void
begin_change(struct vt *vt)
{
	vt->now++;
	vt->screens[0].now = vt->screens[1].now = vt->now;
}

size_t
vt_feed_frame(struct vt *vt, const void *p, size_t len)
{
	struct cursor before = vt->cursor;
	size_t done;

	begin_change(vt);
	done = parser_feed(&vt->parser, p, len);
	if (vt->cursor.x != before.x || vt->cursor.y != before.y)
		vt_touch(vt);
	if (!vt_in_sync(vt))
		vt_publish(vt);
	return done;
}

void
vt_pause(struct vt *vt)
{
	parser_stop(&vt->parser);
}

void
vt_feed(struct vt *vt, const void *p, size_t len)
{
	const uint8_t *bytes = p;

	while (len > 0) {
		size_t done = vt_feed_frame(vt, bytes, len);
		bytes += done;
		len -= done;
	}
}

bool
vt_in_sync(const struct vt *vt)
{
	return vt_mode(vt, MODE_SYNC);
}

bool
vt_is_between(const struct vt *vt)
{
	return vt->parser.state == PARSER_GROUND && vt->parser.utf8.need == 0;
}

void
vt_end_sync(struct vt *vt)
{
	mode_set(vt, MODE_SYNC, false);
}

static void
intern_all(struct vt *vt, struct screen *s, struct clusters *into)
{
	unsigned n;

	for (unsigned y = 0; y < s->rows; y++) {
		struct row *row = screen_row(s, y);
		for (unsigned x = 0; x < row->used; x++) {
			struct cell *c = &row->cells[x];
			if (!(c->ch & CELL_CLUSTER))
				continue;
			const uint32_t *cps = clusters_get(&vt->clusters,
			    c->ch & ~CELL_CLUSTER, &n);
			c->ch = CELL_CLUSTER | clusters_intern(into, cps, n);
		}
	}
}

void
vt_sweep_clusters(struct vt *vt)
{
	struct clusters fresh;

	clusters_init(&fresh);
	for (unsigned i = 0; i < 2; i++)
		if (screen_exists(&vt->screens[i]))
			intern_all(vt, &vt->screens[i], &fresh);
	if (fresh.sweep_at < fresh.count * 2)
		fresh.sweep_at = fresh.count * 2;
	clusters_finish(&vt->clusters);
	vt->clusters = fresh;
}

static void
mark_screen(struct vt *vt, const struct screen *s)
{
	for (unsigned y = 0; y < s->rows; y++) {
		const struct row *row = screen_row(s, y);
		for (unsigned x = 0; x < row->used; x++)
			extras_mark(&vt->extras, cell_extra(&row->cells[x]));
	}
}

static void
sweep_extras(struct vt *vt)
{
	for (unsigned i = 0; i < 2; i++) {
		if (screen_exists(&vt->screens[i]))
			mark_screen(vt, &vt->screens[i]);
		extras_mark(&vt->extras, cell_extra(&vt->saved[i].pen));
	}
	extras_mark(&vt->extras, cell_extra(&vt->pen));
	history_mark_extras(&vt->history, &vt->extras);
	stash_mark_extras(&vt->stash, &vt->extras);
	extras_sweep(&vt->extras);
}

void
vt_set_pen_extra(struct vt *vt, uint32_t underline, const char *uri,
    const char *id)
{
	/* The strings may belong to an extra that a sweep removes. */
	auto_free char *uri_copy = uri != NULL ? xstrdup(uri) : NULL;
	auto_free char *id_copy = uri != NULL ? xstrdup(id) : NULL;
	bool full;
	uint16_t extra;

	extra = extras_intern(&vt->extras, underline, uri_copy, id_copy, &full);
	if (full && extras_want_sweep(&vt->extras)) {
		vt->pen.attr &= ~ATTR_EXTRA;
		sweep_extras(vt);
		extra = extras_intern(&vt->extras, underline, uri_copy, id_copy,
		    &full);
	}
	vt->pen.attr &= ~ATTR_EXTRA;
	vt->pen.attr |= (uint32_t)extra << ATTR_EXTRA_SHIFT;
}

unsigned
vt_cols(const struct vt *vt)
{
	return vt->screen->cols;
}

unsigned
vt_rows(const struct vt *vt)
{
	return vt->screen->rows;
}

bool
vt_alt_screen(const struct vt *vt)
{
	return vt_on_alt(vt);
}

const char *
vt_title(const struct vt *vt)
{
	return vt->titles.title;
}

const char *
vt_icon(const struct vt *vt)
{
	return vt->titles.icon;
}

const char *
vt_cwd(const struct vt *vt)
{
	return vt->cwd;
}

const struct program_status *
vt_program_status(const struct vt *vt)
{
	return &vt->program;
}

void
vt_set_program_status(struct vt *vt, const struct program_status *s)
{
	if (program_status_same(&vt->program, s))
		return;
	vt->program = *s;
	vt_emit(vt, &(struct vt_event){ .type = VT_EVENT_PROGRAM });
}

void
vt_end_program(struct vt *vt)
{
	vt_set_program_status(vt, &(struct program_status){ 0 });
}

bool
vt_reverse_video(const struct vt *vt)
{
	return vt_mode(vt, MODE_DECSCNM);
}

void
vt_cursor(const struct vt *vt, struct vt_cursor *out)
{
	*out = (struct vt_cursor){
		.row = vt->cursor.y,
		.col = vt->cursor.x,
		.pending_wrap = vt->cursor.pending,
		.visible = vt_mode(vt, MODE_DECTCEM),
		.blink = vt_mode(vt, MODE_CURSOR_BLINK),
		.shape = vt->shape,
	};
}

static enum mouse_mode
mouse_mode(const struct vt *vt)
{
	if (vt_mode(vt, MODE_MOUSE_ANY))
		return MOUSE_ANY;
	if (vt_mode(vt, MODE_MOUSE_BUTTON))
		return MOUSE_BUTTON;
	if (vt_mode(vt, MODE_MOUSE_NORMAL))
		return MOUSE_NORMAL;
	return vt_mode(vt, MODE_X10_MOUSE) ? MOUSE_X10 : MOUSE_OFF;
}

static enum mouse_format
mouse_format(const struct vt *vt)
{
	if (vt_mode(vt, MODE_MOUSE_PIXELS))
		return MOUSE_SGR_PIXELS;
	if (vt_mode(vt, MODE_MOUSE_SGR))
		return MOUSE_SGR;
	if (vt_mode(vt, MODE_MOUSE_URXVT))
		return MOUSE_URXVT;
	return vt_mode(vt, MODE_MOUSE_UTF8) ? MOUSE_UTF8 : MOUSE_LEGACY;
}

void
vt_input_modes(const struct vt *vt, struct input_modes *out)
{
	const struct keyboard *k = &vt->keyboard;
	unsigned which = vt_on_alt(vt);

	*out = (struct input_modes){
		.app_cursor = vt_mode(vt, MODE_DECCKM),
		.app_keypad = vt_mode(vt, MODE_DECNKM),
		.backarrow_bs = vt_mode(vt, MODE_DECBKM),
		.newline = vt_mode(vt, MODE_LNM),
		.bracketed_paste = vt_mode(vt, MODE_PASTE),
		.focus_events = vt_mode(vt, MODE_FOCUS),
		.alt_scroll = vt_mode(vt, MODE_ALT_SCROLL),
		.alt_screen = vt_on_alt(vt),
		.modify_other_keys = k->modify_other_keys,
		.format_other_keys = k->format_other_keys,
		.kitty_flags = k->kitty[which][k->kitty_depth[which]],
		.mouse = mouse_mode(vt),
		.mouse_format = mouse_format(vt),
	};
}

void
vt_screen_row(const struct vt *vt, unsigned y, struct vt_row *out)
{
	const struct row *row = screen_row(vt->screen, y);

	*out = (struct vt_row){
		.cells = row->cells,
		.used = row->used,
		.flags = row->flags,
		.clusters = &vt->clusters,
	};
}

size_t
vt_cell_text(const struct vt_row *row, unsigned x, char out[VT_TEXT_MAX])
{
	const struct cell *c = &row->cells[x];
	const uint32_t *cps = &c->ch;
	unsigned n = 1;
	size_t len = 0;

	if (c->ch == 0)
		n = 0;
	else if (c->ch & CELL_CLUSTER)
		cps = clusters_get(row->clusters, c->ch & ~CELL_CLUSTER, &n);
	for (unsigned i = 0; i < n; i++)
		len += utf8_encode(out + len, cps[i]);
	out[len] = '\0';
	return len;
}

uint32_t
vt_cell_underline_colour(const struct vt *vt, const struct cell *c)
{
	const struct extra *e = extras_get(&vt->extras, cell_extra(c));

	return e != NULL ? e->underline : COLOUR_DEFAULT;
}

const char *
vt_cell_link(const struct vt *vt, const struct cell *c)
{
	const struct extra *e = extras_get(&vt->extras, cell_extra(c));

	return e != NULL && e->uri != NULL ? e->uri : "";
}

const char *
vt_cell_link_id(const struct vt *vt, const struct cell *c)
{
	const struct extra *e = extras_get(&vt->extras, cell_extra(c));

	return e != NULL && e->uri != NULL ? e->id : "";
}

uint64_t
vt_generation(const struct vt *vt)
{
	return vt->published;
}

uint64_t
vt_scrolled(const struct vt *vt)
{
	return vt->scrolled;
}

uint64_t
vt_row_generation(const struct vt *vt, unsigned y)
{
	return screen_row_generation(vt->screen, y);
}

bool
vt_row_is_new(const struct vt *vt, unsigned y)
{
	return screen_row(vt->screen, y)->generation == vt->now;
}

size_t
vt_history_bytes(uint32_t lines)
{
	size_t bytes = (size_t)lines * VT_HISTORY_BYTES / VT_HISTORY_LINES;

	return bytes > HISTORY_BYTES_MIN ? bytes : HISTORY_BYTES_MIN;
}

void
vt_history_limits(const struct vt *vt, struct vt_config *config)
{
	config->history_lines = vt->history.lines_max;
	config->history_bytes = vt->history.limit;
}

uint32_t
vt_history_lines(const struct vt *vt)
{
	return vt->history.lines;
}

void
vt_limit_history(struct vt *vt, uint32_t lines, size_t bytes)
{
	history_limit(&vt->history, lines, bytes);
}

size_t
vt_memory(const struct vt *vt)
{
	return sizeof(*vt) + screen_memory(&vt->screens[0]) +
	    screen_memory(&vt->screens[1]) + history_memory(&vt->history) +
	    ahead_memory(&vt->ahead) + clusters_memory(&vt->clusters) +
	    extras_memory(&vt->extras) + vt->stash.lines.cap +
	    vt->parser.string_cap + (vt->screen->cols + 7u) / 8 +
	    titles_memory(&vt->titles) + strlen(vt->cwd) + 1 +
	    (vt->colours.palette != NULL ? PALETTE_SIZE * 4 : 0);
}
