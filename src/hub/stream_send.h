#ifndef TEND_HUB_STREAM_SEND_H
#define TEND_HUB_STREAM_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct fault;
struct stream;

/*
 * Messages to the client of a stream.  JSON values become the callee's.  An
 * answer with the id 0 is dropped: the client wants none.
 */
void stream_send_answer(struct stream *s, uint64_t id, json_t *result);
void stream_send_error(struct stream *s, uint64_t id, const char *code,
    const char *message, bool retryable);
void stream_send_fault(struct stream *s, uint64_t id, const struct fault *f);

/*
 * An event of a subscription: {"type":"event","sub":…,"event":NAME,…fields}.
 * Returns its length.
 */
size_t stream_send_event(struct stream *s, uint32_t sub, const char *name,
    json_t *fields);

/* A whole JSON object. */
size_t stream_send_object(struct stream *s, json_t *object);

/* A binary message: head, then p. */
void stream_send_binary(struct stream *s, const void *head, size_t head_len,
    const void *p, size_t len);

#endif
