#include "client/log_player.h"

#include "log/payload.h"
#include "log/record.h"
#include "log/replay.h"
#include "op/transcript.h"

void
log_player_init(struct log_player *n, struct buf *out)
{
	*n = (struct log_player){ .transcript = transcript_create(out) };
}

void
log_player_finish(struct log_player *n)
{
	transcript_destroy(n->transcript);
}

void
log_player_output(struct log_player *n, const struct record *rec,
    const uint8_t *p, size_t len)
{
	if (!transcript_has_screen(n->transcript) ||
	    (rec->flags & RECORD_HIDDEN))
		return;
	transcript_feed(n->transcript, p, len);
	if (rec->flags & RECORD_FRAME)
		transcript_frame(n->transcript);
}

/*
 * Use the keyframe only when our screen is unknown: at first and after damage.
 */
static void
on_keyframe(struct log_player *n, const struct record *rec)
{
	struct payload_keyframe k;
	bool rebuilt;
	struct vt *vt;

	if ((transcript_has_screen(n->transcript) && !n->lost) ||
	    !payload_keyframe_of(&k, rec))
		return;
	vt = replay_keyframe(&k, &rebuilt, NULL);
	if (vt == NULL)
		return;
	transcript_take(n->transcript, vt, n->lost);
	n->lost = false;
}

static void
on_resize(struct log_player *n, const struct record *rec)
{
	struct payload_resize size;

	if (transcript_has_screen(n->transcript) &&
	    payload_resize_of(&size, rec) &&
	    transcript_resize(n->transcript, size.cols, size.rows) < 0)
		n->lost = true;
}

void
log_player_event(struct log_player *n, const struct record *rec)
{
	switch (rec->type) {
	case RECORD_KEYFRAME:
		on_keyframe(n, rec);
		break;
	case RECORD_RESIZE:
		on_resize(n, rec);
		break;
	case RECORD_GAP:
	case RECORD_ENGINE_GAP:
		n->lost = true;
		break;
	default:
		break;
	}
}

void
log_player_lose(struct log_player *n)
{
	n->lost = true;
}
