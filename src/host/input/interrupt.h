#ifndef TEND_HOST_INPUT_INTERRUPT_H
#define TEND_HOST_INPUT_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Getting the key that interrupts a program to a terminal that holds what the
 * program has not read.  The driver acts on that key when it receives it, and
 * throws away what was not read; but it receives nothing while the 4 KiB that a
 * program can read at once are full.  Throwing it away before the key comes is
 * the same, and lets it come.
 */

/* Whether the driver would send a signal for one of these bytes, and flush. */
bool interrupt_is_in(int master, const uint8_t *p, size_t len);

/* Throw away what the program has not read. */
bool interrupt_make_room(int master);

#endif
