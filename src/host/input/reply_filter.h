#ifndef TEND_HOST_INPUT_REPLY_FILTER_H
#define TEND_HOST_INPUT_REPLY_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * Removes from typed bytes the answers of a client's terminal to queries in
 * the program's output (O-11): the host has answered those already.
 * Everything else passes unchanged, however the bytes were cut.  Pure.
 *
 * An incomplete sequence is held back: it may be a key (Escape) or the
 * beginning of an answer.  The caller has the clock: after
 * REPLY_FILTER_WAIT_MS without more bytes, reply_filter_flush lets it pass.
 * An answer that is too long to hold is dropped to its end.
 */
#define REPLY_FILTER_MAX 256
#define REPLY_FILTER_WAIT_MS 25

struct reply_filter {
	/*
	 * Set by the caller: a cursor report is expected, so CSI 1;2R is a
	 * report and not the key S-F3.
	 */
	bool cpr;

	/* Private to the filter; starts as all zero. */
	uint8_t state;
	bool dropping; /* too long for `held`, and certainly a string */
	uint16_t len;
	uint8_t held[REPLY_FILTER_MAX];
};

/* Append the bytes to type; out has room for len and REPLY_FILTER_MAX. */
void reply_filter(struct reply_filter *f, const uint8_t *p, size_t len,
    struct buf *out);

bool reply_filter_holds(const struct reply_filter *f);

/* No more bytes belong to the held ones: let them pass. */
void reply_filter_flush(struct reply_filter *f, struct buf *out);

#endif
