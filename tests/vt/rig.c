#include "rig.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "script.h"
#include "vt/keyframe.h"
#include "vt/vt.h"

#define SPOKEN_MAX (1 << 20)
#define KEYFRAME_MAX (64 << 20)

static const char *const way_names[WAY_COUNT] = {
	[WAY_WHOLE] = "whole",
	[WAY_BYTES] = "byte by byte",
	[WAY_CHUNKS] = "in chunks",
	[WAY_KEYFRAME] = "through keyframes",
};

const char *
way_name(enum way way)
{
	return way_names[way];
}

/* Replies and events */

static void
quote(struct buf *out, const char *s)
{
	if (s == NULL)
		s = "";
	buf_putc(out, ' ');
	script_quote(out, s, strlen(s));
}

static void
put_mark(struct buf *out, const struct vt_event *ev)
{
	buf_printf(out, "mark %c", ev->number);
	if (ev->value >= 0)
		buf_printf(out, " %d", ev->value);
}

static void
put_progress(struct buf *out, const struct vt_event *ev)
{
	buf_printf(out, "progress %d", ev->number);
	if (ev->value >= 0)
		buf_printf(out, " %d", ev->value);
}

static void
put_event(struct buf *out, const struct vt_event *ev)
{
	static const char *const names[] = {
		[VT_EVENT_BELL] = "bell",
		[VT_EVENT_TITLE] = "title",
		[VT_EVENT_ICON] = "icon",
		[VT_EVENT_CWD] = "cwd",
		[VT_EVENT_NOTIFY] = "notify",
		[VT_EVENT_CLIPBOARD] = "clipboard",
		[VT_EVENT_PROGRAM] = "program",
	};

	if (ev->type == VT_EVENT_MARK) {
		put_mark(out, ev);
	} else if (ev->type == VT_EVENT_PROGRESS) {
		put_progress(out, ev);
	} else if (ev->type == VT_EVENT_RESIZE) {
		buf_printf(out, "resize %d,%d", ev->number, ev->value);
	} else {
		buf_puts(out, names[ev->type]);
		if (ev->type == VT_EVENT_NOTIFY ||
		    ev->type == VT_EVENT_CLIPBOARD)
			quote(out, ev->title);
		if (ev->type != VT_EVENT_BELL && ev->type != VT_EVENT_PROGRAM)
			quote(out, ev->text);
	}
	buf_putc(out, '\n');
}

static void
on_reply(void *arg, const char *p, size_t len)
{
	struct rig *rig = arg;

	buf_append(&rig->replies, p, len);
}

static void
on_event(void *arg, const struct vt_event *ev)
{
	struct rig *rig = arg;

	put_event(&rig->events, ev);
}

static const struct vt_ops ops = {
	.reply = on_reply,
	.event = on_event,
};

void
rig_take_event(struct rig *rig, struct buf *out)
{
	const uint8_t *end;
	size_t len;

	if (rig->events.len == 0) {
		buf_puts(out, "none");
		return;
	}
	end = memchr(rig->events.data, '\n', rig->events.len);
	len = (size_t)(end - rig->events.data);
	buf_append(out, rig->events.data, len);
	buf_consume(&rig->events, len + 1);
}

/* Ways of feeding bytes */

/* xorshift64: the cuts need not be random, only the same each time. */
static uint64_t
next_random(struct rig *rig)
{
	uint64_t x = rig->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return rig->random = x;
}

/* Feed long strings in longer pieces to save time. */
static size_t
next_cut(struct rig *rig, size_t whole, size_t left)
{
	size_t n, longest = 7;

	if (rig->way == WAY_WHOLE)
		return left;
	if (rig->way == WAY_BYTES)
		return 1;
	if (whole / 32 > longest)
		longest = whole / 32;
	n = 1 + (size_t)(next_random(rig) % longest);
	return n < left ? n : left;
}

static int
through_keyframe(struct rig *rig, struct error *err)
{
	struct buf frame;
	struct vt *vt = NULL;

	buf_init(&frame, KEYFRAME_MAX);
	if (keyframe_save(rig->vt, &frame) == 0)
		vt = keyframe_restore(frame.data, frame.len, &ops, rig, err);
	else
		error_set(err, ENOBUFS, "keyframe_save refused");
	buf_finish(&frame);
	if (vt == NULL)
		return -err->code;
	vt_answer_all(vt, rig->checksums);
	vt_destroy(rig->vt);
	rig->vt = vt;
	return 0;
}

int
rig_push(struct rig *rig, const void *p, size_t len, struct error *err)
{
	const uint8_t *s = p;
	size_t n;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < len; i += n) {
		n = next_cut(rig, len, len - i);
		vt_feed(rig->vt, s + i, n);
		if (rig->way == WAY_KEYFRAME)
			ret = through_keyframe(rig, err);
	}
	return ret;
}

int
rig_resize(struct rig *rig, unsigned cols, unsigned rows, struct error *err)
{
	int ret = vt_resize(rig->vt, cols, rows, err);

	if (ret == 0 && rig->way == WAY_KEYFRAME)
		ret = through_keyframe(rig, err);
	return ret;
}

int
rig_init(struct rig *rig, const struct vt_config *config, enum way way,
    uint64_t seed, struct error *err)
{
	struct vt_config mine = *config;

	*rig = (struct rig){ .way = way, .random = seed * 2 + 1 };
	buf_init(&rig->replies, SPOKEN_MAX);
	buf_init(&rig->events, SPOKEN_MAX);
	mine.ops = &ops;
	mine.arg = rig;
	rig->vt = vt_create(&mine, err);
	if (rig->vt == NULL)
		return -err->code;
	rig->generation = vt_generation(rig->vt);
	return 0;
}

void
rig_finish(struct rig *rig)
{
	vt_destroy(rig->vt);
	buf_finish(&rig->replies);
	buf_finish(&rig->events);
}
