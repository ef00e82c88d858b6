#include "client/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/mirror.h"
#include "client/term.h"
#include "vt/keyframe.h"
#include "vt/render.h"
#include "vt/vt.h"

#define OUT_MAX (256u << 20)
#define FRAME_MS 8  /* between two paintings, unless it was quiet */
#define SYNC_MS 150 /* an update that takes longer is shown */

void
view_init(struct view *v, bool in_line)
{
	memset(v, 0, sizeof(*v));
	v->in_line = in_line;
	buf_init(&v->out, OUT_MAX);
	painter_init(&v->painter);
}

void
view_finish(struct view *v)
{
	buf_finish(&v->out);
	painter_finish(&v->painter);
}

void
view_resize(struct view *v, unsigned cols, unsigned rows)
{
	v->cols = cols;
	v->rows = rows;
	painter_resize(&v->painter, cols, rows);
	v->follow.known = false;
	v->redraw = true;
}

void
view_notice(struct view *v, const char *text)
{
	snprintf(v->notice, sizeof(v->notice), "%s", text == NULL ? "" : text);
	v->waiting = true;
}

void
view_output(struct view *v, const void *p, size_t len)
{
	if (!v->passing)
		v->waiting = true;
	else if (!v->filter.redraw)
		filter_feed(&v->filter, p, len, &v->out);
}

/* The terminal's present content scrolls up first. */
void
view_introduce(struct view *v, const struct vt *scrollback)
{
	struct vt *copy = NULL;
	struct buf key;

	buf_puts(&v->out, "\033[999H");
	for (unsigned y = 0; y < v->rows; y++)
		buf_putc(&v->out, '\n');
	buf_puts(&v->out, "\033[H");
	buf_init(&key, OUT_MAX);
	if (keyframe_save(scrollback, &key) == 0)
		copy = keyframe_restore(key.data, key.len, NULL, NULL, NULL);
	if (copy != NULL && vt_resize(copy, v->cols, v->rows, NULL) == 0) {
		(void)vt_render(copy, RENDER_HISTORY, &v->out);
		buf_puts(&v->out, term_reset);
		if (vt_alt_screen(copy))
			buf_puts(&v->out, "\033[?1047l");
	}
	vt_destroy(copy);
	buf_finish(&key);
	painter_forget(&v->painter);
}

void
view_replaced(struct view *v)
{
	v->redraw = true;
	v->as_is = false;
	painter_look_again(&v->painter);
}

static bool
may_pass(const struct view *v, const struct mirror *m)
{
	if (v->notice[0] != '\0' || v->page != NULL)
		return false;
	if (v->as_is)
		return true;
	return v->measured && !v->painter.widths_differ && m->cols == v->cols &&
	    m->rows == v->rows;
}

static void
stop_passing(struct view *v)
{
	v->passing = false;
	buf_puts(&v->out, term_reset);
	painter_forget(&v->painter);
	v->follow.known = false;
}

/* Set the program's modes; the mouse format is our own. */
static void
start_passing(struct view *v, const struct vt *vt)
{
	struct input_modes modes;

	vt_input_modes(vt, &modes);
	if (v->painter.sync)
		buf_puts(&v->out, "\033[?2026h");
	buf_puts(&v->out, term_reset);
	buf_puts(&v->out, "\033[H\033[2J");
	(void)vt_render(vt, v->in_line ? 0 : RENDER_SHOWN, &v->out);
	buf_puts(&v->out, "\033[?1005;1015l\033[?1006h");
	filter_init(&v->filter, v->in_line ? 0 : FILTER_ONE_SCREEN);
	v->filter.pixels = modes.mouse_format == MOUSE_SGR_PIXELS;
	if (v->filter.pixels)
		buf_puts(&v->out, "\033[?1016h");
	if (v->painter.sync)
		buf_puts(&v->out, "\033[?2026l");
	v->passing = true;
	v->redraw = false;
}

static void
paint(struct view *v, const struct vt *vt, int64_t now_ms)
{
	struct scene scene = { .vt = v->page != NULL ? v->page : vt,
		.marks = v->marks,
		.n_marks = v->page != NULL ? v->n_marks : 0,
		.notice = v->notice[0] != '\0' ? v->notice : NULL,
		.asking = v->asking,
		.ask_column = v->ask_column };
	struct input_modes modes;

	vt_input_modes(vt, &modes);
	if (v->page != NULL) /* the wheel scrolls, and dragging selects */
		modes = (struct input_modes){ .mouse = MOUSE_BUTTON };
	else if (v->asking)
		modes = (struct input_modes){ 0 };
	if (v->redraw)
		painter_look_again(&v->painter);
	(void)painter_draw(&v->painter, &scene, &v->out);
	follow_modes(&v->follow, &modes, &v->out);
	v->painted_ms = now_ms;
	v->waiting = false;
	v->redraw = false;
}

/*
 * True if painting must wait: for unwritten bytes, for the end of an update,
 * or for its time.
 */
static bool
too_early(struct view *v, const struct vt *vt, int64_t now_ms)
{
	if (!vt_in_sync(vt))
		v->sync_ms = 0;
	else if (v->sync_ms == 0)
		v->sync_ms = now_ms;
	if (v->out.len > 0)
		return true;
	if (v->redraw)
		return false;
	if (v->sync_ms != 0 && now_ms - v->sync_ms < SYNC_MS)
		return true;
	return now_ms - v->painted_ms < FRAME_MS;
}

int
view_update(struct view *v, struct mirror *m, int64_t now_ms)
{
	bool pass = may_pass(v, m);
	struct vt *vt;

	if (v->passing && pass && !v->redraw && !v->filter.redraw)
		return 0;
	vt = mirror_look(m);
	if (vt == NULL)
		return -ESTALE;
	if (v->passing)
		stop_passing(v);
	if (pass && vt_is_between(vt) && !vt_in_sync(vt)) {
		start_passing(v, vt);
		return 0;
	}
	if (too_early(v, vt, now_ms))
		v->waiting = true;
	else if (v->waiting || v->redraw)
		paint(v, vt, now_ms);
	return 0;
}

int
view_wait_ms(const struct view *v, int64_t now_ms)
{
	int64_t due = v->painted_ms + FRAME_MS;

	if (v->passing || !v->waiting || v->out.len > 0)
		return -1;
	if (v->sync_ms != 0)
		due = v->sync_ms + SYNC_MS;
	return due > now_ms ? (int)(due - now_ms) : 0;
}

void
view_notice_only(struct view *v)
{
	if (v->notice[0] == '\0')
		return;
	buf_printf(&v->out, "\0337\033[%u;1H\033[0;7m%s\033[K\033[0m\0338",
	    v->rows, v->notice);
	v->redraw = true;
}
