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
 * What the user sees, as bytes for the terminal in `out`.
 *
 * The program's own bytes pass through while the terminal has the session's
 * size, counts columns as we do, and nothing of ours is to be seen.  Otherwise
 * the session's screen is painted.  From one to the other everything is drawn
 * anew, since what a program has set only its own bytes can count on.
 */
struct view {
	struct buf out;

	/* The caller may set these at any time. */
	bool measured; /* whether widths agree is known, or given up on */
	bool as_is;    /* bytes pass, whatever they do: no picture was wanted */
	const struct vt *page; /* shown instead of the session; or NULL */
	const struct paint_mark *marks; /* what stands out on it */
	size_t n_marks;
	bool asking;         /* the notice is a line that is being typed, */
	unsigned ask_column; /* with the cursor here */

	/* The rest is the view's. */
	bool in_line;
	bool passing;
	bool redraw; /* all of it, also when passing could go on */
	unsigned cols, rows;
	int64_t painted_ms; /* when; and since when an update is not ended */
	int64_t sync_ms;    /* 0: none is under way */
	bool waiting;       /* something is to be painted later */
	char notice[400];   /* "": none */
	struct filter filter;
	struct painter painter;
	struct follow follow;
};

void view_init(struct view *v, bool in_line);
void view_finish(struct view *v);

/* The terminal has this size, or was used by others: draw all of it. */
void view_resize(struct view *v, unsigned cols, unsigned rows);

/* A line of ours over the last row; NULL for none. */
void view_notice(struct view *v, const char *text);

/* Output of the program that the mirror has got; when passing, it is shown. */
void view_output(struct view *v, const void *p, size_t len);

/*
 * Print a session's history above the screen, into the terminal's own
 * scrollback, wrapped as this terminal would (B-33).
 */
void view_introduce(struct view *v, const struct vt *book);

/* The session's screen was replaced. */
void view_replaced(struct view *v);

/*
 * Bring `out` up to date.  -ESTALE when that needs a picture that the mirror
 * has not.
 */
int view_update(struct view *v, struct mirror *m, int64_t now_ms);

/* How long until view_update has something to do by itself; -1: never. */
int view_wait_ms(const struct view *v, int64_t now_ms);

/* Show the notice where no picture is to be had. */
void view_notice_only(struct view *v);

#endif
