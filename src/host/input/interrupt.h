#ifndef TEND_HOST_INPUT_INTERRUPT_H
#define TEND_HOST_INPUT_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Delivers an interrupt key to a terminal whose input is full.  The terminal
 * driver acts on the key when it receives it and discards unread input; but it
 * receives nothing while the 4 KiB that a program can read at once are full.
 * Discarding the unread input first has the same effect and lets the key
 * through.
 */

/* True if the driver would send a signal for one of these bytes and flush. */
bool interrupt_is_in(int master, const uint8_t *p, size_t len);

/* Discard the input that the program has not read. */
bool interrupt_make_room(int master);

#endif
