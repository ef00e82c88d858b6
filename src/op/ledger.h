#ifndef TEND_OP_LEDGER_H
#define TEND_OP_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op/logical.h"
#include "op/typed.h"

struct vt;
struct vt_story;

/*
 * Records for each line of the screen when it appeared, and which part of it is
 * the echo of typed text.  With it a wait can tell lines that are new after an
 * event from older lines, even if those are drawn again elsewhere.
 *
 * Two lines are alike if they have the same text without the blanks at either
 * end; a line broken at the margin is one line.  A line is new after an event
 * if the screen, with the lines that have scrolled off since, holds more lines
 * like it than at some frame after that event.  To answer that for any event,
 * it is enough to keep with each line the event that last increased the number
 * of lines like it.  If one of several like lines is overwritten, the youngest
 * event is dropped; if one scrolls off, the oldest is.  So the memory is that
 * of two screens, however much output there is.
 *
 * The primary screen is kept unchanged behind the alternate one; the lines of
 * the alternate screen are dropped when the program leaves it.  Full-screen
 * programs draw in several writes, so a line that disappears for less than
 * LEDGER_REST_MS counts as present, unless a wait has `after` within that time.
 *
 * Echo is the text between a shell's marks B and C (OSC 133), and the places
 * where typed text has appeared (typed.h).
 */
#define LEDGER_REST_MS 50
#define LEDGER_SPANS 4 /* commands in one frame; the oldest is dropped first */

struct ledger_line {
	struct logical at;
	uint64_t born;               /* the event; 0: before all known events */
	uint64_t gone, back;         /* if it left and returned; else 0 */
	uint32_t echo_from, echo_to; /* cells; equal: none */
	uint64_t echo_hash;          /* of the cells before echo_to */
	bool kept;                   /* used while two frames are compared */
};

struct ledger_lines {
	struct ledger_line *v;
	size_t n;
};

struct ledger_span {
	bool closed;
	struct typed_place from, to;
};

struct ledger {
	/* The last frame. */
	const struct vt *vt;
	unsigned cols, rows;
	bool alternate;
	uint64_t scrolled;
	uint64_t generation;
	int64_t ms;
	struct typed_place cursor;

	struct ledger_lines shown[2]; /* primary, alternate */
	struct ledger_lines gone;     /* alternate lines that may return */
	struct typed typed;
	struct ledger_span spans[LEDGER_SPANS];
	unsigned n_spans;
	bool input;  /* there was input for the command being edited */
	bool closes; /* the shell prints C when a command starts */
	bool silent; /* it printed none when a line was entered */
};

/* A ledger begins as zeros. */
void ledger_finish(struct ledger *l);

/*
 * A ledger is a listener of a story (vt/story.h), with itself as arg.  All
 * lines of its first screen are old.  A resize is a frame and makes no line
 * new.
 */
extern const struct vt_story ledger_story;

/* The same between frames, on a copy, which the caller finishes. */
void ledger_peek(struct ledger *copy, const struct ledger *l,
    const struct vt *vt, uint64_t seq);

/* Take over another ledger's knowledge of lines that are old to this one. */
void ledger_learn(struct ledger *l, const struct ledger *from);

/*
 * Decide if a match counts: from one cell to before another, in rows of the
 * last frame.  It counts if one of its logical lines counts.  A line must be
 * new, unless `any_age`, and the match must not end in an echo there, unless
 * `echo`.  A match of blanks alone counts.
 */
enum ledger_says { LEDGER_COUNTS, LEDGER_IS_ECHO, LEDGER_IS_OLD };
struct ledger_extent {
	unsigned row, col, to_row, to_col;
};
struct ledger_rule {
	bool any_age, echo;
	uint64_t after;
};
enum ledger_says ledger_weigh(const struct ledger *l,
    const struct ledger_extent *at, const struct ledger_rule *rule);

#endif
