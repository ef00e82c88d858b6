#ifndef TEND_HOST_STREAM_RECENT_OUTPUT_H
#define TEND_HOST_STREAM_RECENT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;

/*
 * The newest output as viewers find it, by its offset: what came in this turn,
 * in the ring where it is; and up to RECENT_OUTPUT_MAX bytes before it, in memory,
 * but only while somebody has not taken them yet.  What is older is in the log
 * (past_output.h).
 */
#define RECENT_OUTPUT_MAX (256u << 10)

struct recent_output {
	const struct ring *ring;
	uint64_t live, end; /* this turn's output; end: of all so far */
	bool closed;        /* later output is for nobody */
	uint64_t closed_at; /* where it ends then */
	uint8_t *recent;    /* NULL, or RECENT_OUTPUT_MAX bytes in a circle */
	uint64_t start;     /* the oldest there; up to `live` */
};

void recent_output_init(struct recent_output *f, const struct ring *ring,
    uint64_t at);
void recent_output_finish(struct recent_output *f);

/* More output of this turn, which is in the ring until recent_output_settle. */
void recent_output_output(struct recent_output *f, uint64_t offset, size_t len);

/*
 * The turn is over and the ring may be overwritten: keep the live bytes when
 * somebody has not taken them all, forget everything when nobody wants it.
 */
void recent_output_settle(struct recent_output *f, bool wanted);

/* Give the memory back: nobody watches. */
void recent_output_rest(struct recent_output *f);

/* The program has ended: viewers get no output behind this offset. */
void recent_output_close(struct recent_output *f, uint64_t at);

/* Where the output ends for viewers, for now. */
uint64_t recent_output_end(const struct recent_output *f);

/* Whether the bytes from an offset to the end are held. */
bool recent_output_holds(const struct recent_output *f, uint64_t offset);

/* The bytes at an offset, and how many follow in one piece; 0: not held. */
size_t recent_output_at(const struct recent_output *f, uint64_t offset,
    const uint8_t **p);

/*
 * Copy bytes that are in the shared ring still, because the log does not have
 * them yet.  How many; 0 when they are gone from there.
 */
size_t recent_output_from_ring(const struct recent_output *f, uint64_t offset,
    uint8_t *out, size_t len);

#endif
