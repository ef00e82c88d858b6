#include "host/stream/picture.h"

#include <errno.h>

#include "base/buf.h"
#include "host/core/session.h"
#include "host/store/event_log.h"
#include "vt/keyframe.h"
#include "vt/render.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define PICTURE_MAX (FRAME_MAX_HOST - FRAME_SCREEN_PREFIX)

int
picture_ansi(struct buf *out, const struct session *session)
{
	return session->display.vt == NULL ?
	    0 :
	    vt_render(session->display.vt, 0, out);
}

int
picture_put_screen(struct buf *out, const struct session *session,
    bool keyframe)
{
	struct frame_screen s = {
		.offset = session->display.shown,
		.seq = event_log_seq(session->event_log),
		.cols = session->manifest.cols,
		.rows = session->manifest.rows,
	};
	struct buf b;
	int rc;

	buf_init(&b, PICTURE_MAX);
	if (keyframe && session->display.vt != NULL) {
		s.form = FRAME_FORM_KEYFRAME;
		rc = keyframe_save_screen(session->display.vt, &b);
	} else {
		s.form = FRAME_FORM_ANSI;
		rc = picture_ansi(&b, session);
	}
	if (rc == 0)
		rc = frame_put_screen(out, &s, b.data, b.len);
	buf_finish(&b);
	return rc;
}
