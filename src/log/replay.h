#ifndef TEND_LOG_REPLAY_H
#define TEND_LOG_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "log/reader.h"

struct error;
struct payload_keyframe;
struct vt;
struct vt_story;

/* The screen at a moment of the log. */
struct replay {
	struct vt *vt; /* the caller's to destroy; it answers to nobody */
	uint64_t begin_seq, begin_offset; /* of the keyframe it began with */
	uint64_t seq;                     /* of the last event in it */
	uint64_t offset;
	uint64_t time_ns;
	/*
	 * What the screen shows: the same seq and offset, or before them where
	 * damage lies between and no keyframe behind it.
	 */
	uint64_t shown_seq, shown_offset;
	uint64_t done_seq; /* in which a command ended last (OSC 133;D); 0 */
	int done_status;   /* of that command; -1: it did not say */
	bool complete;     /* false: damage or an engine gap lies before it */
	bool rebuilt; /* from output, where keyframes are too new to read */
};

/*
 * The terminal of a keyframe record.  Keyframes of every engine up to this one
 * are read.  In place of the session's first one, if it is of a newer engine,
 * this gives a fresh terminal and sets *rebuilt: nothing was shown before it.
 * NULL and *err otherwise; EPROTONOSUPPORT for a newer engine.
 */
struct vt *replay_keyframe(const struct payload_keyframe *k, bool *rebuilt,
    struct error *err);

/*
 * The screen after everything up to and including `value` (an event, a byte
 * offset of which all before it are shown, or a time).  With `history` the
 * scrollback is there too, as far as the log has it since the segment began.
 * Keyframes of a newer engine are passed over: output is played from an older
 * keyframe, or from the session's start, and resizes are done by this engine.
 * -ENOENT when the log has nothing for it, -EIO when no keyframe can be read.
 * Where the reader is then is not said.
 */
int replay_at(struct log_reader *r, enum log_by by, uint64_t value,
    bool history, struct replay *out, struct error *err);

/*
 * The same up to an event, and somebody looks on: fn is called at every frame
 * that an event after `after` has shown, and with `slices` after every slice
 * (vt/slice.h) that leads there.  A frame at which fn says false is the last:
 * it is what *out has.
 *
 * The story is told from the keyframe on with which the replay begins, and a
 * frame of it before fn is called.  fn and story may be NULL.
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
 * The same, and somebody looks on from the last keyframe; `after` is 0.  What is
 * written meanwhile is left out: a log that grows faster than it is replayed has
 * no end.
 */
int replay_end_watched(struct log_reader *r, bool history,
    const struct replay_watch *watch, struct replay *out, struct error *err);

#endif
