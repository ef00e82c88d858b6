#ifndef TEND_HOST_CORE_TERMINAL_H
#define TEND_HOST_CORE_TERMINAL_H

#include <stdbool.h>

#include "keep/ring.h"

/* The program's terminal, and the ring into which the keeper reads it. */
struct terminal {
	int master;    /* non-blocking */
	int output_fd; /* eventfd: the keeper has put bytes into the ring */
	int room_fd;   /* eventfd: there is room in the ring again */
	struct ring ring;
};

/*
 * True if typed text is secret: ECHO is off and ICANON on, as at a password
 * prompt.  Shells and full-screen programs turn both off.
 */
bool tty_is_secret(int master);

/* True if the program reads key by key (ICANON off), as line editors do. */
bool tty_reads_keys(int master);

#endif
