#include "client/mirror.h"

#include <errno.h>

#include "base/error.h"
#include "vt/keyframe.h"
#include "vt/vt.h"
#include "wire/frame.h"

/* No replies and no events: the host sends both. */
static const struct vt_ops *const quiet = NULL;

void
mirror_init(struct mirror *m)
{
	*m = (struct mirror){ .stale = true };
	buf_init(&m->pending, MIRROR_PENDING);
}

void
mirror_finish(struct mirror *m)
{
	vt_destroy(m->vt);
	m->vt = NULL;
	buf_finish(&m->pending);
}

static struct vt *
restore(const struct frame_screen *s, const void *p, size_t len,
    struct error *err)
{
	struct vt_config config = {
		.cols = s->cols,
		.rows = s->rows,
		.history_lines = VT_HISTORY_LINES,
		.history_bytes = VT_HISTORY_BYTES,
		.ops = quiet,
	};
	struct vt *vt;

	if (s->form == FRAME_FORM_KEYFRAME)
		return keyframe_restore(p, len, quiet, NULL, err);
	vt = vt_create(&config, err);
	if (vt != NULL)
		vt_feed(vt, p, len);
	return vt;
}

void
mirror_adopt(struct mirror *m, struct vt *vt, uint64_t offset)
{
	vt_destroy(m->vt);
	m->vt = vt;
	m->stale = false;
	m->offset = offset;
	m->cols = vt_cols(vt);
	m->rows = vt_rows(vt);
	buf_clear(&m->pending);
}

int
mirror_picture(struct mirror *m, const struct frame_screen *s, const void *p,
    size_t len, struct error *err)
{
	struct error why = { 0 };
	struct vt *vt = restore(s, p, len, &why);

	if (vt == NULL)
		return error_set(err, EPROTO, "the host sent no picture: %s",
		    why.msg);
	mirror_adopt(m, vt, s->offset);
	return 0;
}

size_t
mirror_output(struct mirror *m, uint64_t offset, const void *p, size_t len)
{
	size_t known = 0;

	if (offset > m->offset)
		m->stale = true;
	else if (m->offset - offset < len)
		known = (size_t)(m->offset - offset);
	else
		known = len;
	if (known < len)
		m->offset = offset + len;
	if (!m->stale &&
	    buf_append(&m->pending, (const uint8_t *)p + known, len - known) <
		0)
		m->stale = true;
	if (m->stale)
		buf_clear(&m->pending);
	return known;
}

void
mirror_resize(struct mirror *m, unsigned cols, unsigned rows)
{
	struct vt *vt = mirror_look(m);

	m->cols = cols;
	m->rows = rows;
	if (vt != NULL && vt_resize(vt, cols, rows, NULL) < 0)
		m->stale = true;
}

struct vt *
mirror_look(struct mirror *m)
{
	if (m->stale)
		return NULL;
	if (m->pending.len > 0)
		vt_feed(m->vt, m->pending.data, m->pending.len);
	buf_clear(&m->pending);
	return m->vt;
}
