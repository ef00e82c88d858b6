#ifndef TEND_HOST_STREAM_FEED_H
#define TEND_HOST_STREAM_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;

/*
 * The newest output as viewers find it, by its offset: what came in this turn,
 * in the ring where it is; and up to FEED_RECENT bytes before it, in memory,
 * but only while somebody has not taken them yet.  What is older is in the log
 * (past.h).
 */
#define FEED_RECENT (256u << 10)

struct feed {
	const struct ring *ring;
	uint64_t live, end; /* this turn's output; end: of all so far */
	uint8_t *recent;    /* NULL, or FEED_RECENT bytes in a circle */
	uint64_t start;     /* the oldest there; up to `live` */
};

void feed_init(struct feed *f, const struct ring *ring, uint64_t at);
void feed_finish(struct feed *f);

/* More output of this turn, which is in the ring until feed_settle. */
void feed_output(struct feed *f, uint64_t offset, size_t len);

/*
 * The turn is over and the ring may be overwritten: keep the live bytes when
 * somebody has not taken them all, forget everything when nobody wants it.
 */
void feed_settle(struct feed *f, bool wanted);

/* Give the memory back: nobody watches. */
void feed_rest(struct feed *f);

/* Whether the bytes from an offset to the end are held. */
bool feed_holds(const struct feed *f, uint64_t offset);

/* The bytes at an offset, and how many follow in one piece; 0: not held. */
size_t feed_at(const struct feed *f, uint64_t offset, const uint8_t **p);

/*
 * Copy bytes that are in the shared ring still, because the log does not have
 * them yet.  How many; 0 when they are gone from there.
 */
size_t feed_from_ring(const struct feed *f, uint64_t offset, uint8_t *out,
    size_t len);

#endif
