#ifndef TEND_SHELL_MARK_H
#define TEND_SHELL_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Marks that shells print in their output (OSC 133):
 *
 *	A	a prompt begins
 *	B	the prompt is complete, input begins
 *	P	the shell asks for more of an unfinished command
 *	C	a command was read, its output begins
 *	D;n	the command has ended with this exit status
 *
 * Our marks also have `tend=KEY`, so that a program that prints marks is not
 * mistaken for the shell; `err=n` for the exit status in a mark other than D;
 * `rough` if the output before it may contain more than the command's; and
 * `opts=` with the letters of the shell's options, of which only v (verbose)
 * and x (xtrace) matter.  Pure.
 */
#define MARK_MAX 128     /* bytes; a longer one is not a mark */
#define MARK_KEY_SIZE 33 /* including the NUL */

struct mark {
	char kind;               /* 'A'..'D', 'P' */
	int status;              /* from D or err=; -1: none */
	bool rough;              /* its output may contain other text */
	char key[MARK_KEY_SIZE]; /* "": none */
	size_t len;              /* bytes of the sequence */
};

/* Finds marks in a stream of pieces; initialise with zeros. */
struct mark_scan {
	size_t n; /* bytes of a possible mark */
	char text[MARK_MAX];
};

/*
 * Read up to the end of the next mark and return the number of bytes read: all
 * of them and false, or up to the end of the mark in *out and true.
 */
bool mark_next(struct mark_scan *s, const uint8_t *p, size_t len, size_t *read,
    struct mark *out);

#endif
