#ifndef TEND_HOST_INPUT_ANSWERS_H
#define TEND_HOST_INPUT_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ring_shared;

/*
 * The answers of the engine that the terminal has not taken yet.  No answer is
 * ever dropped while the program runs: when this queue is full the pump takes
 * no more output, so that no more questions are answered, and the program
 * waits in its write once the ring is full too.
 *
 * The queue is in the ring's header, so a host that dies at any instruction
 * neither loses an answer nor gives one twice:
 *
 *	published	one store adds an answer together with the place in the
 *			output before which all questions are answered (ring.h)
 *	written		the kernel copies from the ring to the terminal, with
 *			sendfile(2), and moves the descriptor's position by as
 *			much; all hosts of a session share that position
 *
 * One sequence may ask for more than the header holds (a list of colours).
 * The rest waits in memory, ANSWERS_MAX at most, which is more than the
 * longest sequence can ask for; that part alone is lost with the host.
 */
#define ANSWERS_MAX (1u << 20)

struct answers {
	struct ring_shared *shared;
	int ring;                /* the descriptor of that memory */
	uint32_t staged;         /* the end of what is not published yet */
	struct buf rest;         /* what the header has no room for, */
	size_t rest_at;          /* from here on */
	uint64_t added, written; /* bytes, since this host began */
};

/* Go on with what a host before this one has left there. */
void answers_init(struct answers *a, struct ring_shared *shared, int ring);
void answers_finish(struct answers *a);

/* Up to where questions in the output are answered. */
uint64_t answers_fed(const struct ring_shared *shared);

/* Add a whole answer, which exists once answers_publish was called. */
void answers_add(struct answers *a, const void *p, size_t len);
void answers_publish(struct answers *a, uint64_t fed);

/* Whether questions must wait until some of it was written. */
bool answers_are_full(const struct answers *a);
bool answers_are_empty(const struct answers *a);

/* Whether the next host would find all there is. */
bool answers_are_safe(const struct answers *a);

/*
 * Write until so many bytes in all are written.  0, or -errno: -EAGAIN when the
 * terminal takes no more now.
 */
int answers_write(struct answers *a, int terminal, uint64_t until);

/* Nobody will read them. */
void answers_drop(struct answers *a);

#endif
