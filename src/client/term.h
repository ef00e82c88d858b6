#ifndef TEND_CLIENT_TERM_H
#define TEND_CLIENT_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

struct error;

/*
 * The user's terminal: taken over, and always given back as it was.
 *
 * A killed process cannot restore anything.  So a second process, the guard,
 * waits for this one to end, and restores the terminal if this one did not.
 * The guard is in a session of its own, so that signals meant for us do not
 * reach it, and it ends with us.
 */
struct term {
	int fd; /* our own open file, to make it non-blocking */
	bool in_line;
	struct termios before, raw;
	bool taken;
	int guard_fd; /* the guard's pipe; -1: none */
	pid_t guard;
};

/* Resets every mode that a program may have changed to its default. */
extern const char term_reset[];

/* -ENOTTY if standard input or output is no terminal. */
int term_open(struct term *t, bool in_line, struct error *err);
/* Also gives the terminal back, if it was taken. */
void term_close(struct term *t);

/* Set raw mode, and the alternate screen unless in_line. */
int term_take(struct term *t, struct error *err);
void term_give_back(struct term *t);

void term_size(const struct term *t, unsigned *cols, unsigned *rows);

/* Write all of it; wait up to timeout_ms for a terminal that does not read. */
int term_write_all(const struct term *t, const void *p, size_t len,
    int timeout_ms);

#endif
