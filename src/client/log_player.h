#ifndef TEND_CLIENT_LOG_PLAYER_H
#define TEND_CLIENT_LOG_PLAYER_H

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
struct log_player {
	struct transcript *transcript;
	bool lost; /* the next keyframe replaces the screen */
};

void log_player_init(struct log_player *n, struct buf *out);
void log_player_finish(struct log_player *n);

/* Bytes of an output record. */
void log_player_output(struct log_player *n, const struct record *rec,
    const uint8_t *p, size_t len);
/* Any other record. */
void log_player_event(struct log_player *n, const struct record *rec);
/* Part of the log is missing here. */
void log_player_lose(struct log_player *n);

#endif
