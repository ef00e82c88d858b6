#ifndef TEND_HOST_INPUT_STANDING_H
#define TEND_HOST_INPUT_STANDING_H

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
enum standing {
	STANDING_NONE,
	STANDING_TYPING,
	STANDING_TYPED,
	STANDING_SUBMITTING,
};

/* What a piece of input is to it. */
enum standing_part {
	STANDING_OTHER,  /* somebody typed */
	STANDING_ASIDE,  /* it changes nothing: the mouse, a key before */
	STANDING_TEXT,   /* the text of a prompt */
	STANDING_SUBMIT, /* the key that submits it */
};

enum standing standing_now(const struct ring_shared *ring);
bool standing_is(const struct ring_shared *ring, const char *text);

/*
 * The text, cut after STANDING_TEXT_MAX - 1 bytes between two characters; ""
 * when it was secret.
 */
#define STANDING_TEXT_MAX 256
void standing_text(const struct ring_shared *ring, char out[STANDING_TEXT_MAX]);

/* This text is going to be typed. */
void standing_prepare(struct ring_shared *ring, const char *text, bool secret);

/* A piece is about to be written; that was done, to this extent. */
enum standing_extent { STANDING_NOTHING, STANDING_SOME, STANDING_ALL };
void standing_begins(struct ring_shared *ring, enum standing_part part);
void standing_done(struct ring_shared *ring, enum standing_part part,
    enum standing_extent extent);

void standing_clear(struct ring_shared *ring);

#endif
