#ifndef TEND_HOST_INPUT_REPLIES_H
#define TEND_HOST_INPUT_REPLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ring_shared;

/*
 * Answers of the engine that the terminal has not accepted yet.  While the
 * program runs, no answer is dropped.  When this queue is full, the pump takes
 * no more output, so no more queries are answered; once the ring is full too,
 * the program blocks in its write.
 *
 * The queue is in the ring's header.  So a host that dies at any instruction
 * neither loses nor repeats an answer:
 *
 *	published	one store adds an answer together with the offset in the
 *			output before which all queries are answered (ring.h)
 *	written		the kernel copies from the ring to the terminal, with
 *			sendfile(2), and moves the descriptor's position by as
 *			much; all hosts of a session share that position
 *
 * One sequence may ask for more than the header holds (a list of colours).
 * The rest waits in memory, at most REPLIES_MAX, which is more than the
 * longest sequence can ask for.  Only that part is lost if the host dies.
 */
#define REPLIES_MAX (1u << 20)

struct replies {
	struct ring_shared *shared;
	int ring;                /* the descriptor of that memory */
	uint32_t staged;         /* end of the unpublished bytes */
	struct buf rest;         /* bytes beyond the header's room, */
	size_t rest_at;          /* unwritten from here on */
	uint64_t added, written; /* bytes, since this host began */
};

/* Continue with the answers that an earlier host left there. */
void replies_init(struct replies *a, struct ring_shared *shared, int ring);
void replies_finish(struct replies *a);

/* The offset in the output before which queries are answered. */
uint64_t replies_fed(const struct ring_shared *shared);

/* Add a whole answer; it takes effect with replies_publish. */
void replies_add(struct replies *a, const void *p, size_t len);
void replies_publish(struct replies *a, uint64_t fed);

/* True if queries must wait until some answers are written. */
bool replies_are_full(const struct replies *a);
bool replies_are_empty(const struct replies *a);

/* True if the next host would find all answers. */
bool replies_are_safe(const struct replies *a);

/*
 * Write until `until` bytes in all are written.  Returns 0 or -errno: -EAGAIN
 * if the terminal accepts no more now.
 */
int replies_write(struct replies *a, int terminal, uint64_t until);

/* Drop all answers: no program will read them. */
void replies_drop(struct replies *a);

#endif
