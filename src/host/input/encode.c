#include "host/input/encode.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "vt/input_modes.h"
#include "vt/key.h"
#include "vt/key_encode.h"
#include "vt/mouse.h"
#include "vt/paste.h"
#include "wire/frame.h"

typedef int encode_fn(const struct frame_input *in, const struct input_modes *m,
    struct buf *out);

static int
encode_text(const struct frame_input *in, const struct input_modes *m,
    struct buf *out)
{
	(void)m;
	if (!utf8_valid(in->p, in->len))
		return -EINVAL;
	return buf_append(out, in->p, in->len);
}

static int
encode_key(const struct frame_input *in, const struct input_modes *m,
    struct buf *out)
{
	struct key k;

	if (!input_key(in, &k))
		return -EINVAL;
	return key_encode(&k, m, out);
}

static int
encode_paste(const struct frame_input *in, const struct input_modes *m,
    struct buf *out)
{
	return paste_encode(in->p, in->len, m, out);
}

static int
encode_bytes(const struct frame_input *in, const struct input_modes *m,
    struct buf *out)
{
	(void)m;
	return buf_append(out, in->p, in->len);
}

static int
encode_mouse(const struct frame_input *in, const struct input_modes *m,
    struct buf *out)
{
	struct mouse_event ev;

	if (!input_mouse(in, &ev))
		return -EINVAL;
	return mouse_encode(&ev, m, out);
}

static int
encode_focus(const struct frame_input *in, const struct input_modes *m,
    struct buf *out)
{
	bool focused;

	if (!input_focus(in, &focused))
		return -EINVAL;
	return focus_encode(focused, m, out);
}

int
encode_input(const struct frame_input *in, const struct input_modes *m,
    struct buf *out)
{
	static encode_fn *const kinds[] = {
		[INPUT_TEXT] = encode_text,
		[INPUT_KEY] = encode_key,
		[INPUT_PASTE] = encode_paste,
		[INPUT_BYTES] = encode_bytes,
		[INPUT_MOUSE] = encode_mouse,
		[INPUT_FOCUS] = encode_focus,
	};
	size_t before = out->len;
	int rc;

	if (in->kind >= sizeof(kinds) / sizeof(kinds[0]) ||
	    kinds[in->kind] == NULL)
		return TAKEN_MALFORMED;
	rc = kinds[in->kind](in, m, out);
	if (rc == -EINVAL)
		return TAKEN_MALFORMED;
	if (rc < 0)
		return TAKEN_FULL;
	return out->len > before ? TAKEN_WRITTEN : TAKEN_NOTHING;
}
