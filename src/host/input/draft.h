#ifndef TEND_HOST_INPUT_DRAFT_H
#define TEND_HOST_INPUT_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

struct ring_shared;

/*
 * The text of a prompt that was typed but not submitted.  A host may be killed
 * at any instruction, and the next one must not type behind such text.  So
 * this state is in the ring's memory, which lives as long as the program and,
 * unlike the log, is never behind.  Each step is noted before and after its
 * write(2):
 *
 *	NONE -> TYPING -> TYPED -> SUBMITTING -> NONE
 *
 * TYPING means all, a part or nothing of the text; SUBMITTING means TYPED or
 * NONE.  Any other input sets NONE: it may have been Enter or a key that
 * clears the text, and the client that typed it saw the screen.  So does the
 * end of the program.
 */
enum draft {
	DRAFT_NONE,
	DRAFT_TYPING,
	DRAFT_TYPED,
	DRAFT_SUBMITTING,
};

/* The effect of a piece of input on the draft. */
enum draft_part {
	DRAFT_OTHER,  /* other input */
	DRAFT_ASIDE,  /* no effect: the mouse, a key before the text */
	DRAFT_TEXT,   /* the text of a prompt */
	DRAFT_SUBMIT, /* the submitting key */
};

enum draft draft_now(const struct ring_shared *ring);
bool draft_is(const struct ring_shared *ring, const char *text);

/*
 * The text, cut after DRAFT_TEXT_MAX - 1 bytes between two characters; "" if
 * it is secret.
 */
#define DRAFT_TEXT_MAX 256
void draft_text(const struct ring_shared *ring, char out[DRAFT_TEXT_MAX]);

/* This text will be typed next. */
void draft_prepare(struct ring_shared *ring, const char *text, bool secret);

/*
 * draft_begins: a piece is about to be written; draft_done: it was, to this
 * extent.
 */
enum draft_extent { DRAFT_NOTHING, DRAFT_SOME, DRAFT_ALL };
void draft_begins(struct ring_shared *ring, enum draft_part part);
void draft_done(struct ring_shared *ring, enum draft_part part,
    enum draft_extent extent);

void draft_clear(struct ring_shared *ring);

#endif
