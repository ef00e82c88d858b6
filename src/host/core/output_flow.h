#ifndef TEND_HOST_CORE_OUTPUT_FLOW_H
#define TEND_HOST_CORE_OUTPUT_FLOW_H

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct ring;
struct watch;

/*
 * The state of taking output from the ring (pump.h).  Any part may change it
 * here; the pump reads it in each turn.
 */
struct output_flow {
	struct ring *ring;
	struct watch *again; /* timer: make a turn and look at the ring again */
	bool held;           /* a viewer with `flow` is behind */
	bool resting;        /* another host takes over */
	bool echo;           /* the keeper is about to read the terminal */
	uint64_t skip_from, skip_to; /* equal: nothing */
	uint64_t since_keyframe;     /* bytes */
};

void output_flow_init(struct output_flow *in, struct loop *loop,
    struct ring *ring);
void output_flow_finish(struct output_flow *in);

/* Look at the ring again after `ms`. */
void output_flow_again(struct output_flow *in, int64_t ms);

/*
 * Take no output while hold is true.  Once the ring is full, the program
 * blocks.  The program's end ends the hold.
 */
void output_flow_hold(struct output_flow *in, bool hold);

/* Take nothing at all: another host takes over. */
void output_flow_rest(struct output_flow *in, bool rest);

/* Log these bytes without showing them; the engine is reset after them. */
void output_flow_skip(struct output_flow *in, uint64_t from, uint64_t to);

/* The terminal has output that the keeper will read next. */
void output_flow_echo(struct output_flow *in);

/* A keyframe was written: the next one is due KEYFRAME_EVERY bytes later. */
void output_flow_keyframe_done(struct output_flow *in);

#endif
