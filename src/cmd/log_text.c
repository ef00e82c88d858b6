#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "cmd/log_sink.h"
#include "cmd/out.h"
#include "log/reader.h"
#include "op/transcript.h"
#include "vt/keyframe.h"
#include "vt/vt.h"

/*
 * The log is played into a terminal, whose transcript is the text.  The first
 * keyframe is what it begins with; later ones only replace a screen that is
 * not known any more.
 */
#define KEYFRAME_PREFIX 16 /* offset, cols, rows, engine version */
#define KEYFRAME_MAX (64u << 20)

struct text {
	struct log_sink sink;
	bool follow;
	bool lost; /* the next keyframe replaces what we have */
	struct transcript *transcript;
	struct buf keyframe; /* its records so far */
};

static void
on_output(struct log_sink *s, const struct record *rec, uint64_t offset,
    const uint8_t *p, size_t len, bool wanted)
{
	struct text *t = (struct text *)s;

	(void)offset;
	if (wanted)
		transcript_want(t->transcript);
	if (!transcript_has_screen(t->transcript) ||
	    (rec->flags & RECORD_HIDDEN))
		return;
	transcript_feed(t->transcript, p, len);
	if (rec->flags & RECORD_FRAME)
		transcript_frame(t->transcript);
}

/* The keyframe is the truth where ours is not: at first, after damage. */
static void
take_keyframe(struct text *t)
{
	struct vt *vt;

	if (t->keyframe.len <= KEYFRAME_PREFIX)
		return;
	vt = keyframe_restore(t->keyframe.data + KEYFRAME_PREFIX,
	    t->keyframe.len - KEYFRAME_PREFIX, NULL, NULL, NULL);
	if (vt == NULL)
		return;
	transcript_take(t->transcript, vt, t->lost);
	t->lost = false;
}

static void
on_keyframe(struct text *t, const struct record *rec)
{
	if (transcript_has_screen(t->transcript) && !t->lost)
		return;
	buf_append(&t->keyframe, rec->payload, rec->len);
	if (rec->flags & RECORD_MORE)
		return;
	take_keyframe(t);
	buf_clear(&t->keyframe);
}

static void
on_resize(struct text *t, const struct record *rec)
{
	if (!transcript_has_screen(t->transcript) || rec->len < 4)
		return;
	if (transcript_resize(t->transcript, get_u16le(rec->payload),
		get_u16le(rec->payload + 2)) < 0)
		t->lost = true;
}

static void
on_event(struct log_sink *s, const struct record *rec, bool wanted)
{
	struct text *t = (struct text *)s;

	if (wanted)
		transcript_want(t->transcript);
	switch (rec->type) {
	case RECORD_KEYFRAME:
		on_keyframe(t, rec);
		break;
	case RECORD_RESIZE:
		on_resize(t, rec);
		break;
	case RECORD_GAP:
	case RECORD_ENGINE_GAP:
		t->lost = true;
		break;
	default:
		break;
	}
}

static void
on_damage(struct log_sink *s, const struct log_damage *d)
{
	struct text *t = (struct text *)s;

	(void)d;
	t->lost = true;
	buf_clear(&t->keyframe);
}

static void
on_pause(struct log_sink *s)
{
	struct text *t = (struct text *)s;

	if (t->follow)
		transcript_pause(t->transcript);
}

static void
on_end(struct log_sink *s)
{
	transcript_end(((struct text *)s)->transcript);
}

static void
destroy(struct log_sink *s)
{
	struct text *t = (struct text *)s;

	transcript_destroy(t->transcript);
	buf_finish(&t->keyframe);
	free(t);
}

struct log_sink *
log_text_create(struct out *out, bool follow)
{
	static const struct log_sink_ops ops = {
		.output = on_output,
		.event = on_event,
		.damage = on_damage,
		.pause = on_pause,
		.end = on_end,
		.destroy = destroy,
		.needs_screen = true,
	};
	struct text *t = xcalloc(1, sizeof(*t));

	t->sink = (struct log_sink){ &ops, out };
	t->follow = follow;
	t->transcript = transcript_create(&out->buf);
	buf_init(&t->keyframe, KEYFRAME_MAX);
	return &t->sink;
}
