#ifndef TEND_HOST_SERVE_HELD_ANSWERS_H
#define TEND_HOST_SERVE_HELD_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

struct buf;

/*
 * Answers of one connection that wait until the log has their event, and PONGs
 * that must not overtake them: a PONG is sent after every answer that was held
 * before it.
 *
 * Limits: one answer for each request under way (request_queue.h), and
 * HELD_PONGS_MAX bytes of PONG frames; the caller closes a connection that
 * sends more PINGs.
 */
#define HELD_PONGS_MAX 4096

struct held_answers {
	struct list list;
	size_t bytes; /* of all payloads */
	size_t pongs; /* of PONG frames */
};

struct held_answer {
	struct list link;
	uint8_t type; /* FRAME_RESPONSE or FRAME_PONG */
	uint64_t id;  /* of the request */
	uint64_t seq; /* of the event that it waits for */
	uint8_t *data;
	size_t len;
};

void held_answers_init(struct held_answers *h);
void held_answers_finish(struct held_answers *h);
bool held_answers_is_empty(const struct held_answers *h);

/*
 * Hold a RESPONSE.  The bytes move here, and the buffer is empty afterwards.
 */
void held_answers_add(struct held_answers *h, uint64_t id, uint64_t seq,
    struct buf *payload);

/* Hold a PONG; -ENOBUFS: too many are held. */
int held_answers_add_pong(struct held_answers *h, const void *p, size_t len);

/*
 * The next frame that may be sent now that the log has the event `seq`, or
 * NULL.  The caller frees it with held_answer_destroy.
 */
struct held_answer *held_answers_take(struct held_answers *h, uint64_t seq);
void held_answer_destroy(struct held_answer *a);

#endif
