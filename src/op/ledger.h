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
 * Since when each line of the screen stands there, and what of it is the echo
 * of what was typed.  With it a wait tells what is new after an event from
 * what stood there before, wherever that was drawn again.
 *
 * Lines are alike when they have the same text, blanks at either end apart; a
 * line that the margin broke is one.  A line is new after an event if the
 * screen, and what has scrolled off it since, holds more lines like it than at
 * some frame after that event.  To know that of any event, it is enough to
 * keep with each line on the screen the event that last made lines like it one
 * more: when one of them is drawn over the youngest is forgotten, when one
 * scrolls off the oldest is.  So this takes memory for two screens and no more,
 * however much is shown.
 *
 * The primary screen waits behind the alternate one as it is, and what the
 * alternate one showed is gone when it is left.  Full-screen programs draw it
 * in several writes, so that a line which is gone from it for less than
 * LEDGER_REST_MS is not gone, unless somebody asks for what came after that.
 *
 * Echo is what stands between a shell's marks B and C (OSC 133), and where what
 * was typed has appeared (typed.h).
 */
#define LEDGER_REST_MS 50
#define LEDGER_SPANS 4 /* of commands in one frame; the oldest goes first */

struct ledger_line {
	struct logical at;
	uint64_t born;       /* the event; 0: before all that is known */
	uint64_t gone, back; /* of one that was gone and returned; else 0 */
	uint32_t echo_from, echo_to; /* cells; equal: none */
	uint64_t echo_hash;          /* of the cells up to echo_to */
	bool kept;                   /* while two frames are compared */
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
	/* The frame that was looked at last. */
	const struct vt *vt;
	unsigned cols, rows;
	bool alternate;
	uint64_t scrolled;
	uint64_t generation;
	int64_t ms;
	struct typed_place cursor;

	struct ledger_lines shown[2]; /* primary, alternate */
	struct ledger_lines gone; /* from the alternate, perhaps to return */
	struct typed typed;
	struct ledger_span spans[LEDGER_SPANS];
	unsigned n_spans;
	bool input;  /* something was typed for the command that is edited */
	bool closes; /* the shell says C where a command begins to run */
	bool silent; /* it has not when one was entered */
};

void ledger_init(struct ledger *l);
void ledger_finish(struct ledger *l);

/*
 * A ledger listens to a story (vt/story.h), with itself as arg.  All lines of
 * its first screen are old.  A resize is a frame, and makes
 * nothing new.
 */
extern const struct vt_story ledger_story;

/* The same for a moment between frames, on a copy that is to be finished. */
void ledger_peek(struct ledger *copy, const struct ledger *l,
    const struct vt *vt, uint64_t seq);

/* Take over what another one knows of lines that are old to this one. */
void ledger_learn(struct ledger *l, const struct ledger *from);

/*
 * Decide if a match counts: from one cell to before another, in rows of the
 * last frame.  It counts if one of its lines does, which are the
 * rows' logical ones: if it is new, unless `any_age`, and unless `echo` the
 * match does not end in an echo there.  A match of blanks alone counts.
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
