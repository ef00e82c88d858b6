#ifndef TEND_LOG_REPLAY_H
#define TEND_LOG_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "log/reader.h"
#include "vt/happenings.h"

struct error;
struct payload_keyframe;
struct vt;
struct vt_story;

/* The screen at a moment of the log. */
struct replay {
	struct vt *vt; /* the caller destroys it; it sends no answers */
	uint64_t begin_seq, begin_offset; /* of its first keyframe */
	uint64_t seq;                     /* of its last event */
	uint64_t offset;
	uint64_t time_ns;
	/*
	 * The screen's position: the same seq and offset, or earlier ones if
	 * damage follows with no keyframe behind it.
	 */
	uint64_t shown_seq, shown_offset;
	struct happenings happened;
	bool complete; /* false: damage or an engine gap precedes it */
	bool rebuilt;  /* from output: keyframes were too new to read */
};

/*
 * The terminal of a keyframe record.  Keyframes of every engine up to this one
 * are readable.  If the session's first keyframe is of a newer engine, this
 * returns a fresh terminal and sets *rebuilt: nothing was shown before it.
 * NULL and *err otherwise; EPROTONOSUPPORT for a newer engine.
 */
struct vt *replay_keyframe(const struct payload_keyframe *k, bool *rebuilt,
    struct error *err);

/*
 * The screen after everything up to and including `value`: an event, a time,
 * or a byte offset (all bytes before it are shown).  With `history` it has the
 * scrollback too, as far as the log has it since the segment began.
 *
 * Keyframes of a newer engine are skipped: output is played from an older
 * keyframe, or from the session's start, and this engine does the resizes.
 * -ENOENT: the log has nothing for this moment.  -EIO: no keyframe is
 * readable.  The reader's position afterwards is undefined.
 */
int replay_at(struct log_reader *r, enum log_by by, uint64_t value,
    bool history, struct replay *out, struct error *err);

/*
 * The same up to an event, with callbacks.  fn is called at every frame that
 * an event after `after` has shown; with `slices` also after every slice
 * (vt/slice.h) on the way there.  If fn returns false, the replay ends with
 * this frame in *out.
 *
 * The story begins at the first keyframe and gets each frame before fn
 * is called.  fn and story may be NULL.
 */
struct replay_watch {
	uint64_t after;
	bool slices;
	bool (*fn)(void *arg, const struct replay *at, bool frame);
	void *arg;
	const struct vt_story *story;
	void *story_arg;
};
int replay_watched(struct log_reader *r, uint64_t until,
    const struct replay_watch *watch, struct replay *out, struct error *err);

/* The newest screen, for a host that takes over. */
int replay_end(struct log_reader *r, bool history, struct replay *out,
    struct error *err);

/*
 * The same with callbacks from the last keyframe on; `after` is 0.  Events
 * written meanwhile are left out: a log that grows faster than its replay has
 * no end.
 */
int replay_end_watched(struct log_reader *r, bool history,
    const struct replay_watch *watch, struct replay *out, struct error *err);

#endif
