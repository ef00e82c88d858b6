#ifndef TEND_CLIENT_TERM_H
#define TEND_CLIENT_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

struct error;

/*
 * The user's terminal: taken over, and given back as it was, whatever happens.
 *
 * A process that is killed cannot give anything back.  So there is a second
 * one, the guard, which does nothing but wait for this one to end; when it
 * ends without having given the terminal back, the guard does.  It is in a
 * session of its own, so that what is meant for us does not reach it, and
 * leaves with us.
 */
struct term {
	int fd; /* an own open file, so that only it is non-blocking */
	bool in_line;
	struct termios before, raw;
	bool taken;
	int guard_fd; /* the guard's pipe; -1: there is none */
	pid_t guard;
};

/* Every mode that a program may have changed, as a terminal starts with it. */
extern const char term_reset[];

/* -ENOTTY when standard input or output is no terminal. */
int term_open(struct term *t, bool in_line, struct error *err);
/* Gives the terminal back as well, if it was taken. */
void term_close(struct term *t);

/* Raw mode, and the alternate screen unless in_line. */
int term_take(struct term *t, struct error *err);
void term_give_back(struct term *t);

void term_size(const struct term *t, unsigned *cols, unsigned *rows);

/* All of it, waiting up to timeout_ms for a terminal that does not read. */
int term_write_all(const struct term *t, const void *p, size_t len,
    int timeout_ms);

#endif
