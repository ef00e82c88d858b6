#include "client/follow.h"

#include "base/buf.h"

static void
put_mode(struct buf *out, unsigned mode, bool on)
{
	buf_printf(out, "\033[?%u%c", mode, on ? 'h' : 'l');
}

static void
follow_mouse(struct follow *f, const struct input_modes *m, struct buf *out)
{
	static const unsigned modes[] = { [MOUSE_X10] = 9,
		[MOUSE_NORMAL] = 1000,
		[MOUSE_BUTTON] = 1002,
		[MOUSE_ANY] = 1003 };
	bool pixels = m->mouse_format == MOUSE_SGR_PIXELS;

	if (!f->known || m->mouse != f->now.mouse) {
		buf_puts(out, "\033[?9;1000;1002;1003l");
		if (m->mouse != MOUSE_OFF)
			put_mode(out, modes[m->mouse], true);
	}
	if (!f->known || pixels != (f->now.mouse_format == MOUSE_SGR_PIXELS)) {
		put_mode(out, 1016, pixels);
		put_mode(out, 1006, true);
		if (pixels) /* some use the last one that was set */
			put_mode(out, 1016, true);
	}
	if (!f->known || m->alt_scroll != f->now.alt_scroll)
		put_mode(out, 1007, m->alt_scroll);
}

static void
follow_keys(struct follow *f, const struct input_modes *m, struct buf *out)
{
	if (f->kitty && (!f->known || m->kitty_flags != f->now.kitty_flags))
		buf_printf(out, "\033[=%u;1u", m->kitty_flags);
	if (!f->known || m->modify_other_keys != f->now.modify_other_keys)
		buf_printf(out, "\033[>4;%um", m->modify_other_keys);
	if (!f->known || m->app_keypad != f->now.app_keypad)
		buf_puts(out, m->app_keypad ? "\033=" : "\033>");
}

void
follow_modes(struct follow *f, const struct input_modes *m, struct buf *out)
{
	follow_mouse(f, m, out);
	follow_keys(f, m, out);
	if (!f->known || m->bracketed_paste != f->now.bracketed_paste)
		put_mode(out, 2004, m->bracketed_paste);
	if (!f->known || m->focus_events != f->now.focus_events)
		put_mode(out, 1004, m->focus_events);
	f->now = *m;
	f->known = true;
}
