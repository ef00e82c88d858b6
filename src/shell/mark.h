#ifndef TEND_SHELL_MARK_H
#define TEND_SHELL_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Marks that shells print in their output (OSC 133):
 *
 *	A	a prompt begins
 *	B	the prompt is there, input begins
 *	P	the shell asks for more of an unfinished command
 *	C	a command was read, its output begins
 *	D;n	the command has ended, with this status
 *
 * Ours say `tend=KEY` as well, so that a program which prints somebody's marks
 * is not taken for the shell; `err=n` for the status where another mark than D
 * has it; `rough` when more than the command may have printed what comes before;
 * and `opts=` the letters of the shell's options, of which v (verbose) and x
 * (xtrace) mean just that.  Pure.
 */
#define MARK_MAX 128     /* bytes of a mark; what is longer is none */
#define MARK_KEY_SIZE 33 /* with its NUL */

struct mark {
	char kind;               /* 'A'..'D', 'P' */
	int status;              /* of D, or err=; -1: it does not say */
	bool rough;              /* its output may have more in it */
	char key[MARK_KEY_SIZE]; /* "" when it has none */
	size_t len;              /* bytes of the sequence */
};

/* Finds marks in a stream that comes in pieces; all zeros to begin with. */
struct mark_scan {
	size_t n; /* bytes of what may become a mark */
	char text[MARK_MAX];
};

/*
 * Read up to the end of the next mark.  How many bytes were read: all of them
 * and false, or up to the end of the mark in *out and true.
 */
bool mark_next(struct mark_scan *s, const uint8_t *p, size_t len, size_t *read,
    struct mark *out);

#endif
