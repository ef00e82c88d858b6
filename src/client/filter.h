#ifndef TEND_CLIENT_FILTER_H
#define TEND_CLIENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * Filters a program's output for the user's own terminal.
 *
 * The host answers the program's queries, so the user's terminal must not see
 * them: every query is dropped.  So is every sequence that our engine does not
 * know, because the host's screen does not show its effect either.  The way of
 * each sequence and mode is in vt/seq.def and vt/mode.def.  The clipboard (OSC 52) is neither read nor written.  Mouse positions always
 * arrive in the client's format, whatever format the program wants.
 *
 * The user's terminal may already be on its alternate screen and must not
 * switch then.  If the program switches screens or resets its terminal,
 * `redraw` is set, and the caller redraws the screen.
 *
 * The result does not depend on how the bytes are split.  An incomplete
 * sequence is held back; one longer than FILTER_HELD is dropped.
 */
#define FILTER_HELD 8192

enum filter_flags {
	FILTER_ONE_SCREEN = 1 << 0, /* the terminal must not switch screens */
};

struct filter {
	bool redraw; /* stopped: a fresh picture is needed */
	bool pixels; /* the program wants mouse positions in pixels */

	/* The rest is private. */
	unsigned flags;
	uint8_t state;
	uint8_t string; /* the C1 control that began a string */
	uint8_t half;   /* ESC or C2 of a string's end was seen; or 0 */
	bool overflow;
	size_t len;
	uint8_t held[FILTER_HELD];
};

/* Start between two sequences of the program. */
void filter_init(struct filter *f, unsigned flags);

/*
 * Append the bytes that pass.  Returns how many bytes were taken: all, or with
 * `redraw` those up to and including the sequence that caused it.
 */
size_t filter_feed(struct filter *f, const void *p, size_t len,
    struct buf *out);

#endif
