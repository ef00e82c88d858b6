#ifndef TEND_HOST_SERVE_VIEWER_H
#define TEND_HOST_SERVE_VIEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "host/serve/size.h"

struct connection;
struct past_output;
struct recent_output;

/*
 * A viewer: a cursor in the output.  It gets the bytes between its cursor and
 * the end as fast as it reads: this turn's bytes straight from the ring, older
 * ones from memory, still older ones from the log.  Nothing waits for a viewer
 * (but see `flow`), and output is not kept for it.  A viewer whose cursor is
 * no longer in memory gets a GAP and the newest picture when it reads again,
 * or, if it wants every byte, the log.
 */
enum picture {
	PICTURE_NONE,
	PICTURE_FIRST, /* at attach */
	PICTURE_LOST,  /* output before it is skipped */
	PICTURE_SIZE,  /* after a resize: the engine keeps more than a client */
};

struct viewer {
	struct connection *client;
	const struct recent_output *recent;
	uint64_t cursor;
	uint64_t first_end;       /* end of the output at attach */
	bool catching_up;         /* the requested replay is not done */
	struct past_output *past; /* NULL unless it reads the log */

	/* HISTORY: bytes before this offset have no frames of their own. */
	uint64_t history_end;
	uint64_t missing_end; /* the log lacks the bytes before it */
	bool history_sent;

	enum picture picture;
	int64_t picture_by_ms; /* wait for the end of a sequence until then */

	bool drawn; /* its first picture was sent: its size counts */
	bool visible;
	struct size_vote vote; /* cols 0: none */

	uint64_t seen; /* flow: the last SEEN; ~0: none yet */
	/* Flow: output is held since then; 0: not held. */
	int64_t held_since_ms;
	bool gave_up; /* flow: its time is used up */
};

/* Send METADATA first, then what the client's hello asks for. */
struct viewer *viewer_create(struct connection *c,
    const struct recent_output *recent);
void viewer_destroy(struct viewer *o); /* NULL is fine */

/*
 * Send what the socket accepts.  True if the first picture has just been sent:
 * from now on the viewer's size counts.
 */
bool viewer_flush(struct viewer *o);

/* The terminal's size has changed. */
void viewer_resized(struct viewer *o);

/* True if its cursor is still in memory. */
bool viewer_keeps_up(const struct viewer *o);

/* True if the bytes of this turn must be kept for it. */
bool viewer_wants(const struct viewer *o);

/* True if output should be held for it. */
bool viewer_holds(struct viewer *o, int64_t now_ms);

/* True if its size counts. */
bool viewer_votes(const struct viewer *o);

#endif
