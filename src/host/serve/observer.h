#ifndef TEND_HOST_SERVE_OBSERVER_H
#define TEND_HOST_SERVE_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "host/serve/size.h"

struct client;
struct past;

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

struct observer {
	struct client *client;
	uint64_t cursor;
	uint64_t first_end; /* where the output was at attach */
	bool catching_up;   /* the replay that was asked for is not done */
	struct past *past;  /* NULL unless the log is being read */

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
struct observer *observer_create(struct client *c);
void observer_destroy(struct observer *o); /* NULL is fine */

/* Send what the socket takes. */
void observer_flush(struct observer *o);

/* The terminal has another size. */
void observer_resized(struct observer *o);

/* Whether it has not fallen out of memory. */
bool observer_keeps_up(const struct observer *o);

/* Whether the bytes of this turn must be kept for it. */
bool observer_wants(const struct observer *o);

/* Whether the program should wait for it. */
bool observer_holds(struct observer *o, int64_t now_ms);

/* Whether its size counts. */
bool observer_votes(const struct observer *o);

#endif
