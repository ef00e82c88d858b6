#include "host/stream/engine.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/error.h"
#include "base/failpoint.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/store/event_log.h"
#include "vt/vt.h"

static void
on_reply(void *arg, const char *p, size_t len)
{
	const struct display *d = arg;

	d->hooks->on_reply(d->arg, p, len);
}

static void
on_event(void *arg, const struct vt_event *ev)
{
	const struct display *d = arg;

	d->hooks->on_event(d->arg, ev);
}

static const struct vt_ops answering = { .reply = on_reply, .event = on_event };
static const struct vt_ops silent = { .event = on_event };

static struct vt *
fresh(struct session *session)
{
	struct vt_config config = {
		.cols = session->manifest.cols,
		.rows = session->manifest.rows,
		.history_lines = session->manifest.scrollback,
		.history_bytes = vt_history_bytes(session->manifest.scrollback),
	};

	return vt_create(&config, NULL);
}

/*
 * For tests of terminals; set in the environment in which the session was
 * created.
 */
static bool
replies_all(void)
{
	const char *text = getenv("TEND_CHECKSUMS");

	return text != NULL && strcmp(text, "1") == 0;
}

void
engine_adopt(struct session *session, struct vt *vt)
{
	session->display.vt = vt == NULL ? fresh(session) : vt;
	if (session->display.vt == NULL)
		return;
	vt_set_ops(session->display.vt, &answering, &session->display);
	vt_answer_all(session->display.vt, replies_all());
}

void
engine_reset(struct session *session)
{
	vt_destroy(session->display.vt);
	engine_adopt(session, NULL);
	changes_all(&session->display.changes, session->display.vt,
	    event_log_seq(session->event_log));
	session->display.hooks->on_replaced(session->display.arg);
}

void
engine_answers(struct session *session, bool answer)
{
	vt_set_ops(session->display.vt, answer ? &answering : &silent,
	    &session->display);
}

int
engine_resize(struct session *session, unsigned cols, unsigned rows,
    const char *by, struct error *err)
{
	struct display *d = &session->display;
	struct winsize ws = {
		.ws_col = (unsigned short)cols,
		.ws_row = (unsigned short)rows,
	};
	int rc = vt_check_size(cols, rows, err);

	if (rc < 0)
		return rc;
	if (session->ended)
		return error_set(err, ESRCH, "the program has ended");
	if (cols == session->manifest.cols && rows == session->manifest.rows)
		return 0;
	if (ioctl(session->terminal.master, TIOCSWINSZ, &ws) < 0)
		return error_set(err, errno, "cannot resize the terminal: %s",
		    strerror(errno));
	failpoint("resized");
	atomic_store(&session->terminal.ring.shared->sized, cols << 16 | rows);
	session->manifest.cols = (uint16_t)cols;
	session->manifest.rows = (uint16_t)rows;
	d->hooks->on_change(d->arg);
	if (d->vt != NULL)
		vt_resize(d->vt, cols, rows, NULL);
	if (event_resize(session, cols, rows, by) != 0)
		event_log_join(session->event_log);
	event_keyframe(session, true);
	changes_all(&d->changes, d->vt, event_log_seq(session->event_log));
	output_flow_keyframe_done(&session->output_flow);
	/* Clients resize in storms; after a crash, the terminal has the size. */
	session_save_later(session);
	d->hooks->on_resized(d->arg);
	return 0;
}
