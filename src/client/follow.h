#ifndef TEND_CLIENT_FOLLOW_H
#define TEND_CLIENT_FOLLOW_H

#include <stdbool.h>

#include "vt/input_modes.h"

struct buf;

/*
 * The modes of the user's terminal that decide what it sends us, kept as the
 * program wants them while we paint: the mouse, pastes, focus and keys.  How
 * the events are written is our own business, so the mouse's places come as
 * numbers and cursor keys as they like; the host encodes for the program.
 */
struct follow {
	bool known; /* else the terminal's modes may be anything */
	bool kitty; /* it knows kitty's keyboard protocol */
	struct input_modes now;
};

/* Append what makes the terminal's modes these. */
void follow_modes(struct follow *f, const struct input_modes *m,
    struct buf *out);

#endif
