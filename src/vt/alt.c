/*
 * The alternate screen.  It exists only while it is shown, so most sessions
 * never pay for it.  It is empty when it appears, and so is its stack of
 * keyboard flags.  Its saved cursor stays.  The margins belong to the
 * terminal: they apply to the screen that is shown.
 */
#include "vt/state.h"

static void
carry_margins(struct screen *to, const struct screen *from)
{
	to->top = from->top;
	to->bottom = from->bottom;
	to->left = from->left;
	to->right = from->right;
}

/* The cursor keeps its place; with DECOM it must be inside the margins. */
static void
carry_cursor(struct vt *vt)
{
	const struct screen *s = vt->screen;
	struct cursor *c = &vt->cursor;

	if (vt_mode(vt, MODE_DECOM)) {
		c->y = c->y < s->top ? s->top :
		    c->y > s->bottom ? s->bottom :
				       c->y;
		c->x = c->x < s->left ? s->left :
		    c->x > s->right   ? s->right :
					c->x;
	}
	vt_check_wait(vt);
}

void
vt_enter_alt(struct vt *vt)
{
	struct screen *alt = &vt->screens[1];
	const struct screen *primary = &vt->screens[0];

	if (vt_on_alt(vt))
		return;
	screen_init(alt, primary->cols, primary->rows);
	alt->now = vt->now;
	carry_margins(alt, primary);
	vt->screen = alt;
	carry_cursor(vt);
	vt_touch(vt);
}

void
vt_leave_alt(struct vt *vt)
{
	if (!vt_on_alt(vt))
		return;
	carry_margins(&vt->screens[0], &vt->screens[1]);
	screen_finish(&vt->screens[1]);
	vt->screen = &vt->screens[0];
	vt->keyboard.kitty_depth[1] = 0;
	vt->keyboard.kitty[1][0] = 0;
	carry_cursor(vt);
	vt->screen->moved = vt->screen->changed = vt->now;
}
