#ifndef TEND_HOST_STREAM_PAST_OUTPUT_H
#define TEND_HOST_STREAM_PAST_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct frame_gap;

/*
 * Output that is no longer in memory, read back from the log for one viewer,
 * in order or from any offset.
 */
struct past_output;

enum past_output_step {
	/* *p, *len: bytes at the offset, valid until the next call */
	PAST_OUTPUT_BYTES,
	PAST_OUTPUT_GAP,   /* *gap: the log does not have them and never will */
	PAST_OUTPUT_WAIT,  /* the log has not come that far yet */
	PAST_OUTPUT_AGAIN, /* enough was read for one turn: call again */
};

/* NULL on failure, and the reason. */
struct past_output *past_output_open(int log_dirfd, struct error *err);
void past_output_close(struct past_output *past); /* NULL is fine */

/* The oldest offset that the log still has. */
uint64_t past_output_first(struct past_output *past);

enum past_output_step past_output_read(struct past_output *past,
    uint64_t offset, const uint8_t **p, size_t *len, struct frame_gap *gap);

#endif
