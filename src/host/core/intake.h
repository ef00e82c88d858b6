#ifndef TEND_HOST_CORE_INTAKE_H
#define TEND_HOST_CORE_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct ring;
struct watch;

/*
 * The state of taking output from the ring (pump.h).  Any part may change it
 * here; the pump reads it in each turn.
 */
struct intake {
	struct ring *ring;
	struct watch *again; /* timer: make a turn and look at the ring again */
	bool held;           /* a viewer with `flow` is behind */
	bool resting;        /* another host takes over */
	bool echo;           /* the keeper is about to read the terminal */
	uint64_t skip_from, skip_to; /* equal: nothing */
	uint64_t since_keyframe;     /* bytes */
};

void intake_init(struct intake *in, struct loop *loop, struct ring *ring);
void intake_finish(struct intake *in);

/* Look at the ring again after `ms`. */
void intake_again(struct intake *in, int64_t ms);

/*
 * Take no output while hold is true.  Once the ring is full, the program
 * blocks.  The program's end ends the hold.
 */
void intake_hold(struct intake *in, bool hold);

/* Take nothing at all: another host takes over. */
void intake_rest(struct intake *in, bool rest);

/* Log these bytes without showing them; the engine is reset after them. */
void intake_skip(struct intake *in, uint64_t from, uint64_t to);

/* The terminal has output that the keeper will read next. */
void intake_echo(struct intake *in);

/* A keyframe was written: the next one is due KEYFRAME_EVERY bytes later. */
void intake_keyframe_done(struct intake *in);

#endif
