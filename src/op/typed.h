#ifndef TEND_OP_TYPED_H
#define TEND_OP_TYPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op/logical.h"

struct vt;

/*
 * Recently typed text, in runs as they may be echoed, so that echo can be told
 * from a program's output.  At most TYPED_RUNS runs are kept; the oldest is
 * dropped first, and a run that is not found on the screen is dropped after
 * TYPED_MS.  Of a run longer than TYPED_TEXT bytes only the beginning is kept,
 * in whole characters, and its echo is assumed to extend to the end of the
 * line.
 */
#define TYPED_RUNS 8
#define TYPED_TEXT 1024
#define TYPED_MS 10000

/* A place that scrolling does not change: rows count from vt_scrolled. */
struct typed_place {
	bool known, alternate;
	uint64_t row;
	unsigned col;
};

struct typed_run {
	bool used;
	bool ended; /* by Enter, or by a key that moves the cursor */
	bool entered;
	bool loose;  /* text beyond the typed text follows, as after Tab */
	bool full;   /* it is longer than TYPED_TEXT */
	bool left;   /* the line on which it was typed has changed */
	bool back;   /* and a similar line has appeared since */
	bool looked; /* a frame was shown since */
	bool here;   /* it was in its place at the last frame */
	bool again;  /* and is final: a line editor may show it again */
	struct typed_place place;
	uint64_t before;     /* hash of the line before it; 0: none */
	uint64_t seq;        /* of the last event before it */
	uint64_t generation; /* of the terminal at that time */
	int64_t ms;
	size_t len;
	char text[TYPED_TEXT];
};

struct typed {
	struct typed_run runs[TYPED_RUNS];
	unsigned next; /* the next slot to use */
};

/* The place of the cursor. */
struct typed_place typed_cursor(const struct vt *vt);

/* The row of a place on the screen, or -1. */
int typed_row(const struct typed_place *place, const struct vt *vt);

/* Record typed bytes. */
void typed_add(struct typed *t, const struct vt *vt, uint64_t seq, int64_t ms,
    const uint8_t *p, size_t len);

/*
 * True if this line has the echo of the run where it was typed, in the cells
 * [from, to).  `len` counts the bytes of the run found so far; this adds those
 * in the line.  If it is not 0 before, the echo continues at the beginning of
 * the line.
 */
struct typed_echo {
	size_t len;
	unsigned from, to;
};
bool typed_find(const struct typed_run *run, const struct logical *line,
    const struct vt *vt, struct typed_echo *echo);

/*
 * The same for an unknown place: after a prompt, or at the beginning of a line
 * unless it was found before.
 */
bool typed_search(const struct typed_run *run, const struct logical *line,
    const struct vt *vt, unsigned *from, unsigned *to);

#endif
