#ifndef TEND_TESTS_PLAYED_H
#define TEND_TESTS_PLAYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "vt/vt.h"

#include "rng.h"

/*
 * A fuzzer's input as a session: four bytes of options, then a program's
 * output with changes of size in it.
 *
 *	columns   2 + byte % 131
 *	rows      1 + byte % 50
 *	history   byte & 3: none, 5 lines, the default, more than is needed
 *	seed      of every random choice
 *	FF c r    in the stream: resize to 2 + c % 131 columns, 1 + r % 50 rows
 *	FF FF     in the stream: the byte FF
 */
struct stream {
	struct vt_config config; /* without ops */
	bool ample;              /* no line will leave the history */
	uint64_t seed;
	const uint8_t *p;
	size_t len;
};

/* False if the input is shorter than the options. */
bool stream_init(struct stream *s, const uint8_t *p, size_t len);

/*
 * A terminal that plays a stream in pieces of random length up to `piece`. Its
 * answers are checked and collected. Once, at offset restore_at of the stream,
 * it is replaced by a terminal restored from its keyframe.
 */
struct player {
	struct vt *vt;
	struct buf replies;
	struct rng rng;
	size_t piece;
	bool frames; /* by vt_feed_frame */
	bool restore;
	size_t restore_at;
};

void player_init(struct player *pl, const struct stream *s);
void player_finish(struct player *pl);
void player_play(struct player *pl, const struct stream *s);

#endif
