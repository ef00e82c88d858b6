#ifndef TEND_HOST_INTERRUPT_H
#define TEND_HOST_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Getting the key that interrupts a program to a terminal that is full of what
 * the program has not read.  The driver acts on that key when it receives it,
 * and throws away what was not read; a full terminal receives nothing.
 */

/* Whether the driver would send a signal for one of these bytes, and flush. */
bool interrupt_is_in(int master, const uint8_t *p, size_t len);

/* Throw away what the program has not read. */
bool interrupt_make_room(int master);

#endif
