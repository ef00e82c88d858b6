#ifndef TEND_HOST_INPUT_REPLY_FILTER_H
#define TEND_HOST_INPUT_REPLY_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * Takes out of raw typed bytes what no person typed: the answers of a client's
 * terminal to questions it saw in the program's output (O-11).  The host has
 * answered those already, and for everybody.  All else passes as it came,
 * however the bytes were cut.  Pure.
 *
 * A sequence that is not complete is held back; it may be a key (Escape) or
 * the beginning of an answer.  The caller has the clock: when
 * REPLY_FILTER_WAIT_MS have passed without more, reply_filter_flush lets it
 * pass.  An answer that is longer than what can be held is dropped to its end.
 */
#define REPLY_FILTER_MAX 256
#define REPLY_FILTER_WAIT_MS 25

struct reply_filter {
	/* The caller may set it: a cursor report is due, so that CSI 1;2R is
	 * one and not the key S-F3. */
	bool cpr;

	/* The rest is the filter's; all zero is its start. */
	uint8_t state;
	bool dropping; /* too long for `held`, and a string for sure */
	uint16_t len;
	uint8_t held[REPLY_FILTER_MAX];
};

/* Append what may be typed; out has room for len and REPLY_FILTER_MAX. */
void reply_filter(struct reply_filter *f, const uint8_t *p, size_t len,
    struct buf *out);

bool reply_filter_holds(const struct reply_filter *f);

/* No more bytes belong to what is held. */
void reply_filter_flush(struct reply_filter *f, struct buf *out);

#endif
