/*
 * The alternate screen.  It exists only while it is shown, and is empty when
 * it appears, as is its stack of keyboard flags; most sessions never pay for
 * it.  Its saved cursor stays.  The margins are the terminal's: they go along
 * to the screen that is shown.
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

/* The cursor goes along; with DECOM it has to be inside the margins. */
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
