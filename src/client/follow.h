#ifndef TEND_CLIENT_FOLLOW_H
#define TEND_CLIENT_FOLLOW_H

#include <stdbool.h>

#include "vt/input_modes.h"

struct buf;

/*
 * Sets the modes of the user's terminal that control its input, as the program
 * wants them, while we paint: mouse, paste, focus and keys.  The encoding is
 * ours: mouse positions come as numbers, and cursor keys in either form,
 * because the host encodes them for the program.
 */
struct follow {
	bool known; /* false: the terminal's modes are unknown */
	bool kitty; /* it has kitty's keyboard protocol */
	struct input_modes now;
};

/* Append the sequences that set these modes. */
void follow_modes(struct follow *f, const struct input_modes *m,
    struct buf *out);

#endif
