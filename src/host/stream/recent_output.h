#ifndef TEND_HOST_STREAM_RECENT_OUTPUT_H
#define TEND_HOST_STREAM_RECENT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;

/*
 * The newest output, by offset, for viewers: this turn's bytes, which are
 * still in the ring; and up to RECENT_OUTPUT_MAX bytes before them, in memory,
 * but only while some viewer has not taken them.  Older output is in the log
 * (past_output.h).
 */
#define RECENT_OUTPUT_MAX (256u << 10)

struct recent_output {
	const struct ring *ring;
	uint64_t live, end; /* this turn's output; end: of all so far */
	bool closed;        /* viewers get no later output */
	uint64_t closed_at; /* and it ends here */
	uint8_t *recent;    /* NULL, or a ring of RECENT_OUTPUT_MAX bytes */
	uint64_t start;     /* the oldest offset there; it ends at `live` */
};

void recent_output_init(struct recent_output *f, const struct ring *ring,
    uint64_t at);
void recent_output_finish(struct recent_output *f);

/* More output of this turn, which is in the ring until recent_output_settle. */
void recent_output_output(struct recent_output *f, uint64_t offset, size_t len);

/*
 * The turn is over, and the ring may be overwritten.  Keep the live bytes if
 * some viewer has not taken them all; drop everything if none wants it.
 */
void recent_output_settle(struct recent_output *f, bool wanted);

/* No viewer is left: free the memory. */
void recent_output_rest(struct recent_output *f);

/* The program has ended: viewers get no output after this offset. */
void recent_output_close(struct recent_output *f, uint64_t at);

/* The present end of the output for viewers. */
uint64_t recent_output_end(const struct recent_output *f);

/* True if the bytes from an offset to the end are held. */
bool recent_output_holds(const struct recent_output *f, uint64_t offset);

/* The bytes at an offset, and how many follow in one piece; 0: not held. */
size_t recent_output_at(const struct recent_output *f, uint64_t offset,
    const uint8_t **p);

/*
 * Copy bytes that are still in the shared ring because the log does not have
 * them yet.  Returns how many; 0 if the ring no longer has them.
 */
size_t recent_output_from_ring(const struct recent_output *f, uint64_t offset,
    uint8_t *out, size_t len);

#endif
