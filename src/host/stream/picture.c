#include "host/stream/picture.h"

#include <errno.h>

#include "base/buf.h"
#include "host/host.h"
#include "host/store/event_log.h"
#include "vt/keyframe.h"
#include "vt/render.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define PICTURE_MAX (FRAME_MAX_HOST - FRAME_SCREEN_PREFIX)

int
picture_ansi(struct buf *out, const struct host *h)
{
	return h->vt == NULL ? 0 : vt_render(h->vt, 0, out);
}

int
picture_put_screen(struct buf *out, const struct host *h, bool keyframe)
{
	struct frame_screen s = {
		.offset = h->shown,
		.seq = event_log_seq(h->event_log),
		.cols = h->manifest.cols,
		.rows = h->manifest.rows,
	};
	struct buf b;
	int rc;

	buf_init(&b, PICTURE_MAX);
	if (keyframe && h->vt != NULL) {
		s.form = FRAME_FORM_KEYFRAME;
		rc = keyframe_save_screen(h->vt, &b);
	} else {
		s.form = FRAME_FORM_ANSI;
		rc = picture_ansi(&b, h);
	}
	if (rc == 0)
		rc = frame_put_screen(out, &s, b.data, b.len);
	buf_finish(&b);
	return rc;
}
