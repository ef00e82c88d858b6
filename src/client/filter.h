#ifndef TEND_CLIENT_FILTER_H
#define TEND_CLIENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * What a program prints, made fit for the user's own terminal.
 *
 * The host answers the program's questions, so the user's terminal must not be
 * asked: every question is dropped, and so is all that our engine does not
 * know, because the host's screen does not show it either.  The clipboard
 * (OSC 52) is neither read nor written.  Mouse places always come as the
 * client asked for them, whatever format the program wants.
 *
 * The user's terminal may already be on its alternate screen.  Then it must
 * not be told to switch: `redraw` is set where the program wants to, or resets
 * its terminal, and the caller draws the screen anew.
 *
 * However the bytes are cut, the result is the same.  A sequence that is not
 * complete is held back; one that is longer than FILTER_HELD is dropped.
 */
#define FILTER_HELD 8192

enum filter_flags {
	FILTER_ONE_SCREEN = 1 << 0, /* the terminal must stay on its screen */
};

struct filter {
	bool redraw; /* stopped: what follows needs a fresh picture */
	bool pixels; /* the program asked for mouse places in pixels */

	/* The rest is the filter's. */
	unsigned flags;
	uint8_t state;
	uint8_t string; /* the C1 control that began a string */
	uint8_t half;   /* of a string's end: ESC or C2 was seen; or 0 */
	bool overflow;
	size_t len;
	uint8_t held[FILTER_HELD];
};

/* At a place between two sequences of the program. */
void filter_init(struct filter *f, unsigned flags);

/*
 * Append what may pass.  Returns how many bytes were taken: all of them, or
 * with `redraw` those up to and including what asked for it.
 */
size_t filter_feed(struct filter *f, const void *p, size_t len,
    struct buf *out);

#endif
