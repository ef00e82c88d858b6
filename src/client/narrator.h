#ifndef TEND_CLIENT_NARRATOR_H
#define TEND_CLIENT_NARRATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct record;
struct transcript;

/*
 * Plays records of a log into a terminal, whose transcript (op/transcript.h)
 * gives the text.  It begins with the first keyframe; later ones are used only
 * when the screen is unknown after damage.
 */
struct narrator {
	struct transcript *transcript;
	bool lost; /* the next keyframe replaces the screen */
};

void narrator_init(struct narrator *n, struct buf *out);
void narrator_finish(struct narrator *n);

/* Bytes of an output record. */
void narrator_output(struct narrator *n, const struct record *rec,
    const uint8_t *p, size_t len);
/* Any other record. */
void narrator_event(struct narrator *n, const struct record *rec);
/* Part of the log is missing here. */
void narrator_lose(struct narrator *n);

#endif
