#ifndef TEND_VT_STORY_H
#define TEND_VT_STORY_H

#include <stddef.h>
#include <stdint.h>

struct vt;

/*
 * Events of a terminal, for a listener that keeps records: the code that feeds
 * the terminal, live or from a log, reports them.  seq is of the event that showed the
 * frame, or of the last event before something was typed; ms is any clock.
 */
struct vt_story {
	/* Nothing is known but this screen. */
	void (*begun)(void *arg, const struct vt *vt);
	void (*frame)(void *arg, const struct vt *vt, uint64_t seq, int64_t ms);
	/* Bytes that somebody typed; no mouse, no focus, no secret. */
	void (*typed)(void *arg, const struct vt *vt, uint64_t seq, int64_t ms,
	    const uint8_t *p, size_t len);
	/* OSC 133, while the terminal is at it. */
	void (*marked)(void *arg, const struct vt *vt, int kind);
};

#endif
