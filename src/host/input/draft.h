#ifndef TEND_HOST_INPUT_DRAFT_H
#define TEND_HOST_INPUT_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

struct ring_shared;

/*
 * The text of a prompt that stands in the terminal and was not submitted.  A
 * host may be killed at any instruction, and the next one must not type behind
 * it; so this is in the ring's memory, which lives as long as the program and
 * is never behind, as the log may be.  Each step is noted before and after its
 * write(2):
 *
 *	NONE -> TYPING -> TYPED -> SUBMITTING -> NONE
 *
 * TYPING is all, a part or nothing of the text; SUBMITTING is TYPED or NONE.
 * Anything else that somebody types makes it NONE: it may have been Enter, or
 * a key that clears it, and whoever typed it has looked.  So does the end of
 * the program.
 */
enum draft {
	DRAFT_NONE,
	DRAFT_TYPING,
	DRAFT_TYPED,
	DRAFT_SUBMITTING,
};

/* What a piece of input is to it. */
enum draft_part {
	DRAFT_OTHER,  /* somebody typed */
	DRAFT_ASIDE,  /* it changes nothing: the mouse, a key before */
	DRAFT_TEXT,   /* the text of a prompt */
	DRAFT_SUBMIT, /* the key that submits it */
};

enum draft draft_now(const struct ring_shared *ring);
bool draft_is(const struct ring_shared *ring, const char *text);

/*
 * The text, cut after DRAFT_TEXT_MAX - 1 bytes between two characters; ""
 * when it was secret.
 */
#define DRAFT_TEXT_MAX 256
void draft_text(const struct ring_shared *ring, char out[DRAFT_TEXT_MAX]);

/* This text is going to be typed. */
void draft_prepare(struct ring_shared *ring, const char *text, bool secret);

/* A piece is about to be written; that was done, to this extent. */
enum draft_extent { DRAFT_NOTHING, DRAFT_SOME, DRAFT_ALL };
void draft_begins(struct ring_shared *ring, enum draft_part part);
void draft_done(struct ring_shared *ring, enum draft_part part,
    enum draft_extent extent);

void draft_clear(struct ring_shared *ring);

#endif
