#ifndef TEND_OP_TYPED_H
#define TEND_OP_TYPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op/logical.h"

struct vt;

/*
 * What was typed lately, in runs of text as they may be echoed, so that the
 * echo can be told from what a program prints.  At most TYPED_RUNS are kept,
 * the oldest goes first, and one that was not found on the screen is given up
 * after TYPED_MS.  Of a run that is longer than TYPED_TEXT bytes the beginning
 * is kept, and its echo is taken to reach to the end of the line.
 */
#define TYPED_RUNS 8
#define TYPED_TEXT 1024
#define TYPED_MS 10000

/* A place that scrolling does not change: rows are counted by vt_scrolled. */
struct typed_place {
	bool known, alternate;
	uint64_t row;
	unsigned col;
};

struct typed_run {
	bool used;
	bool ended; /* by Enter, or by a key that moves the cursor */
	bool entered;
	bool loose;  /* more stands behind it than was typed, as by Tab */
	bool left;   /* the line that it was typed on has become another */
	bool back;   /* and one like it has come since */
	bool looked; /* a frame was shown since */
	bool here;   /* it stood in its place at the last frame */
	bool again;  /* and does not change: a line editor may show it again */
	struct typed_place place;
	uint64_t before;     /* the hash of the line it was typed on; 0: none */
	uint64_t seq;        /* of the last event before it */
	uint64_t generation; /* of the terminal then */
	int64_t ms;
	size_t len;
	char text[TYPED_TEXT];
};

struct typed {
	struct typed_run runs[TYPED_RUNS];
	unsigned next; /* the one to be used next */
};

/* Where the cursor is. */
struct typed_place typed_cursor(const struct vt *vt);

/* Its row on the screen, or -1. */
int typed_row(const struct typed_place *place, const struct vt *vt);

/* Somebody has typed bytes. */
void typed_add(struct typed *t, const struct vt *vt, uint64_t seq, int64_t ms,
    const uint8_t *p, size_t len);

/*
 * Whether the echo of the run stands in this line, the cells [from, to), where
 * it was typed.  `len` bytes of the run are passed then; with some passed
 * already it goes on from the beginning of the line.
 */
struct typed_echo {
	size_t len;
	unsigned from, to;
};
bool typed_find(const struct typed_run *run, const struct logical *line,
    const struct vt *vt, struct typed_echo *echo);

/*
 * The same where nobody knows its place: behind a prompt, or at the beginning
 * of a line unless it was found before.
 */
bool typed_search(const struct typed_run *run, const struct logical *line,
    const struct vt *vt, unsigned *from, unsigned *to);

#endif
