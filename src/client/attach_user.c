#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "client/attach_state.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define NOTICE_MS 3000 /* duration of a notice */

void
attach_notice(struct attach *a, const char *text)
{
	view_notice(&a->view, text);
	a->greeting = false;
	a->notice_ms = text == NULL ? 0 : clock_ms(CLOCK_MONOTONIC) + NOTICE_MS;
	if (text == NULL)
		attach_draw(a);
}

void
attach_detach(struct attach *a)
{
	attach_finish_detached(a, NULL);
}

void
attach_send_size(struct attach *a)
{
	if (a->options->readonly || !a->connected)
		return;
	(void)frame_put_resize(&a->send, a->view.cols, a->view.rows);
	a->sized = true;
}

void
attach_look_at_terminal(struct attach *a)
{
	unsigned cols, rows;

	term_size(&a->term, &cols, &rows);
	view_resize(&a->view, cols, rows);
	attach_draw(a);
}

/* Stop as a shell expects it; when continued, redraw everything. */
void
attach_suspend(struct attach *a)
{
	(void)term_write_all(&a->term, a->view.out.data, a->view.out.len, 0);
	buf_clear(&a->view.out);
	term_give_back(&a->term);
	(void)kill(getpid(), SIGSTOP);
	if (term_take(&a->term, &a->error) < 0)
		attach_fail(a);
	attach_look_at_terminal(a);
	attach_send_size(a);
}

/* The caller then shows the list of sessions; print nothing. */
static void
leave_for_another(struct attach *a)
{
	if (!a->options->has_other(a->options->arg)) {
		attach_notice(a, " there is no other session");
		return;
	}
	*a->options->other = true;
	attach_finish(a, DETACHED, 0);
}

static void
on_command(void *arg, enum keys_command command)
{
	struct attach *a = arg;
	char name[ATTACH_PREFIX_MAX], text[256];

	attach_prefix(a, name);
	if (attach_refuses(a, command))
		return;
	switch (command) {
	case KEYS_DETACH:
		attach_detach(a);
		break;
	case KEYS_SUSPEND:
		attach_suspend(a);
		break;
	case KEYS_HISTORY:
		attach_open_history(a);
		break;
	case KEYS_SESSIONS:
		leave_for_another(a);
		break;
	case KEYS_RENAME:
		attach_rename(a);
		break;
	case KEYS_MARK:
		attach_mark(a);
		break;
	case KEYS_TAKE:
		attach_take_lease(a);
		break;
	case KEYS_OTHERS:
		attach_detach_others(a);
		break;
	case KEYS_KILL:
		attach_kill(a);
		break;
	case KEYS_HELP:
		attach_open_help(a);
		break;
	case KEYS_UNKNOWN:
		snprintf(text, sizeof(text),
		    " no such command; %s %s shows all keys", name,
		    keys_of(&a->keys.bound, KEYS_HELP));
		attach_notice(a, text);
		break;
	}
}

/* Programs that ask get the colours of the client that types (O-10). */
static void
tell_colours(struct attach *a)
{
	struct buf json;

	if (a->coloured || !a->probe.has_fg || !a->probe.has_bg ||
	    a->keys.muted)
		return;
	a->coloured = true; /* or as soon as we are connected again */
	buf_init(&json, 256);
	buf_printf(&json,
	    "{\"id\":1,\"op\":\"session.colours\","
	    "\"args\":{\"fg\":\"%06x\",\"bg\":\"%06x\"}}",
	    (unsigned)a->probe.fg, (unsigned)a->probe.bg);
	(void)frame_put(&a->send, FRAME_REQUEST, json.data, json.len);
	buf_finish(&json);
}

static void
on_reply(void *arg, const struct key_reply *r)
{
	struct attach *a = arg;

	probe_answer(&a->probe, r);
	tell_colours(a);
	a->view.painter.sync = a->probe.sync;
	a->view.painter.widths_differ = a->probe.widths;
	a->view.follow.kitty = a->probe.kitty;
	a->view.measured |= a->probe.done;
	a->keys.decoder.cpr_expected = a->probe.done ?
	    0 :
	    PROBE_REPORTS - a->probe.measured;
}

const struct keys_ops attach_keys_ops = {
	.command = on_command,
	.key = attach_on_key,
	.mouse = attach_on_mouse,
	.reply = on_reply,
};

/* The user types and the terminal is behind: show the present screen. */
static void
catch_up(struct attach *a)
{
	if (!a->view.passing || a->view.out.len < ATTACH_BEHIND)
		return;
	buf_clear(&a->view.out);
	a->mirror.stale = true;
	a->view.redraw = true;
}

void
attach_on_terminal(struct attach *a)
{
	uint8_t bytes[16 << 10];
	ssize_t n = read(a->term.fd, bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		attach_finish(a, HUNG_UP, 0);
		return;
	}
	a->key_ms = clock_ms(CLOCK_MONOTONIC);
	a->keys.left = a->view.passing ? 0 : a->view.painter.left;
	a->keys.top = a->view.passing ? 0 : a->view.painter.top;
	a->keys.cols = a->mirror.cols;
	a->keys.rows = a->mirror.rows;
	a->keys.decoder.mouse_format = MOUSE_SGR;
	if (a->view.passing ?
		a->view.filter.pixels :
		a->view.follow.now.mouse_format == MOUSE_SGR_PIXELS)
		a->keys.decoder.mouse_format = MOUSE_SGR_PIXELS;
	keys_feed(&a->keys, bytes, (size_t)n);
	if (a->keys.typed)
		attach_on_typed(a);
	catch_up(a);
}
