#ifndef TEND_CLIENT_FAREWELL_H
#define TEND_CLIENT_FAREWELL_H

#include <stdbool.h>

struct buf;
struct vt;

/*
 * What stays on the user's terminal when a session has ended: the last rows of
 * its screen, and a line that says how it ended and where to look further.
 *
 *	[mk exited 2 · tend log mk]
 *
 * Pure.
 */
struct farewell {
	const char *name;
	const char *outcome; /* docs/session.md; NULL: not known */
	bool destroyed;      /* there is no log to look at */
	bool was_over;       /* before the user attached */
	int code;            /* -1: not known, or a signal ended it */
	int signo;           /* 0: none did */
};

/*
 * The line, without a newline; where it is wider than the terminal, each of its
 * parts has a line.
 */
void farewell_text(const struct farewell *f, unsigned cols, struct buf *out);

/*
 * The last rows of a screen, `max` at most, as text that ends with a newline.
 * Blank rows before and behind them are left out.
 */
void farewell_rows(const struct vt *vt, unsigned max, struct buf *out);

#endif
