#ifndef TEND_CLIENT_FAREWELL_H
#define TEND_CLIENT_FAREWELL_H

#include <stdbool.h>

struct buf;
struct vt;

/*
 * The text that stays on the user's terminal after a session has ended: the
 * last rows of its screen, and a line with its outcome and the next command.
 *
 *	[mk exited 2 · tend log mk]
 *
 * Pure.
 */
struct farewell {
	const char *name;
	const char *outcome; /* docs/session.md; NULL: unknown */
	bool destroyed;      /* there is no log */
	bool was_over;       /* it had ended before the user attached */
	int code;            /* -1: unknown, or ended by a signal */
	int signo;           /* 0: none */
};

/*
 * The line, without a newline.  If it is wider than the terminal, each of its
 * parts has a line.
 */
void farewell_text(const struct farewell *f, unsigned cols, struct buf *out);

/*
 * The last rows of a screen, at most `max`, as text that ends with a newline.
 * Blank rows at the top and bottom are left out.
 */
void farewell_rows(const struct vt *vt, unsigned max, struct buf *out);

#endif
