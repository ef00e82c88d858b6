#ifndef TEND_CLIENT_VIEW_H
#define TEND_CLIENT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "client/filter.h"
#include "client/follow.h"
#include "client/paint.h"

struct mirror;
struct vt;

/*
 * The user's view, as bytes for the terminal in `out`.
 *
 * The program's own bytes pass through while the terminal has the session's
 * size, counts columns as we do, and shows nothing of ours.  Otherwise the
 * session's screen is painted.  Each switch redraws everything, because only
 * the program's own bytes can rely on the state that it has set.
 */
struct view {
	struct buf out;

	/* The caller may set these at any time. */
	bool measured;         /* widths are known, or cannot be measured */
	bool as_is;            /* pass all bytes: no picture was requested */
	const struct vt *page; /* shown instead of the session; or NULL */
	const struct paint_mark *marks; /* its highlights */
	size_t n_marks;
	bool asking;         /* the notice is an input line, */
	unsigned ask_column; /* with the cursor here */

	/* The rest is private. */
	bool in_line;
	bool passing;
	bool redraw; /* redraw everything, even when passing */
	unsigned cols, rows;
	int64_t painted_ms; /* time of the last painting */
	int64_t sync_ms;    /* begin of a synchronized update; 0: none */
	bool waiting;       /* painting is due later */
	char notice[400];   /* "": none */
	struct filter filter;
	struct painter painter;
	struct follow follow;
};

void view_init(struct view *v, bool in_line);
void view_finish(struct view *v);

/* The terminal has this size, or others drew on it: redraw everything. */
void view_resize(struct view *v, unsigned cols, unsigned rows);

/* Show a line of ours over the last row; NULL: none. */
void view_notice(struct view *v, const char *text);

/* Output of the program, already in the mirror; shown when passing. */
void view_output(struct view *v, const void *p, size_t len);

/*
 * Print a session's scrollback above the screen, into the terminal's own
 * scrollback, wrapped as this terminal would (B-33).
 */
void view_introduce(struct view *v, const struct vt *scrollback);

/* The session's screen was replaced. */
void view_replaced(struct view *v);

/*
 * Bring `out` up to date.  -ESTALE: this needs a picture that the mirror
 * lacks.
 */
int view_update(struct view *v, struct mirror *m, int64_t now_ms);

/* The time until view_update must be called again; -1: never. */
int view_wait_ms(const struct view *v, int64_t now_ms);

/* Show the notice while there is no picture. */
void view_notice_only(struct view *v);

#endif
