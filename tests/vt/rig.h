#ifndef TEND_TESTS_VT_RIG_H
#define TEND_TESTS_VT_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct error;
struct vt;
struct vt_config;

/*
 * The ways in which bytes reach the terminal.  All four must look the same
 * from outside, so every case is run in each.
 */
enum way {
	WAY_WHOLE,    /* each PUSH at once */
	WAY_BYTES,    /* a byte at a time */
	WAY_CHUNKS,   /* cut at random places */
	WAY_KEYFRAME, /* cut at random places, saved and restored at each cut */
	WAY_COUNT,
};

const char *way_name(enum way way);

/*
 * A terminal under test, with its output: its replies as bytes, its events as
 * lines in the language of the scripts.
 */
struct rig {
	struct vt *vt;
	enum way way;
	uint64_t random;     /* state of the generator; never 0 */
	uint64_t generation; /* when ?changed last looked */
	bool checksums;      /* CHECKSUMS was given */
	struct buf replies;
	struct buf events;
};

/* The same seed cuts at the same places. */
int rig_init(struct rig *rig, const struct vt_config *config, enum way way,
    uint64_t seed, struct error *err);
void rig_finish(struct rig *rig);

int rig_push(struct rig *rig, const void *p, size_t len, struct error *err);
int rig_resize(struct rig *rig, unsigned cols, unsigned rows,
    struct error *err);

/* Take the oldest event's line off the queue; "none" when there is none. */
void rig_take_event(struct rig *rig, struct buf *out);

#endif
