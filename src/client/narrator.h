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
 * is the text.  The first keyframe is what it begins with; later ones only
 * replace a screen that is not known any more.
 */
struct narrator {
	struct transcript *transcript;
	bool lost; /* the next keyframe replaces what we have */
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
