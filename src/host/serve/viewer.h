#ifndef TEND_HOST_SERVE_VIEWER_H
#define TEND_HOST_SERVE_VIEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "host/serve/size.h"

struct connection;
struct past_output;
struct recent_output;

/*
 * A viewer: a cursor in the output.  It is sent what lies between its cursor
 * and the end as fast as it reads: this turn's bytes straight from the ring,
 * else from memory, else from the log.  Nothing ever waits for it (but see
 * `flow`).  What it has not taken is not kept for it either: one that has
 * fallen out of memory gets a GAP and the newest picture when it reads again,
 * or, when it wants every byte, the log.
 */
enum picture {
	PICTURE_NONE,
	PICTURE_FIRST, /* at attach */
	PICTURE_LOST,  /* what lies before it is skipped */
	PICTURE_SIZE,  /* after a resize: the engine has more than a client */
};

struct viewer {
	struct connection *client;
	const struct recent_output *recent;
	uint64_t cursor;
	uint64_t first_end; /* where the output was at attach */
	bool catching_up;   /* the replay that was asked for is not done */
	struct past_output *past; /* NULL unless the log is being read */

	/* HISTORY: up to here its bytes have no frames of their own. */
	uint64_t history_end;
	uint64_t missing_end; /* bytes before it are not in the log */
	bool history_sent;

	enum picture picture;
	int64_t picture_by_ms; /* wait for the end of a sequence until then */

	bool drawn; /* it has been sent what it begins with: its size counts */
	bool visible;
	struct size_vote vote; /* cols 0: none */

	uint64_t seen;         /* flow: as SEEN said; ~0: it never did */
	int64_t held_since_ms; /* flow: waiting for it since then; 0: not */
	bool gave_up;          /* flow: it has used up its time */
};

/* Begin with METADATA, and then as the client's hello asks. */
struct viewer *viewer_create(struct connection *c,
    const struct recent_output *recent);
void viewer_destroy(struct viewer *o); /* NULL is fine */

/*
 * Send what the socket takes.  True when it has just been sent what it begins
 * with: from now on its size counts.
 */
bool viewer_flush(struct viewer *o);

/* The terminal has another size. */
void viewer_resized(struct viewer *o);

/* Whether it has not fallen out of memory. */
bool viewer_keeps_up(const struct viewer *o);

/* Whether the bytes of this turn must be kept for it. */
bool viewer_wants(const struct viewer *o);

/* Whether the program should wait for it. */
bool viewer_holds(struct viewer *o, int64_t now_ms);

/* Whether its size counts. */
bool viewer_votes(const struct viewer *o);

#endif
