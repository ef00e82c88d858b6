#ifndef TEND_HOST_STREAM_PAST_H
#define TEND_HOST_STREAM_PAST_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct frame_gap;

/*
 * Output that is no longer in memory, read back from the log for one viewer,
 * in order or from any offset.
 */
struct past;

enum past_step {
	PAST_BYTES, /* *p, *len: bytes at the offset, until the next call */
	PAST_GAP,   /* *gap: the log does not have them, nor ever will */
	PAST_WAIT,  /* the log is not that far yet */
	PAST_AGAIN, /* enough was read for one turn: call again */
};

/* NULL and why. */
struct past *past_open(int log_dirfd, struct error *err);
void past_close(struct past *past); /* NULL is fine */

/* The oldest offset that the log still has. */
uint64_t past_first(struct past *past);

enum past_step past_read(struct past *past, uint64_t offset, const uint8_t **p,
    size_t *len, struct frame_gap *gap);

#endif
