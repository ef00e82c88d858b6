#ifndef TEND_HUB_STREAM_CALLS_H
#define TEND_HUB_STREAM_CALLS_H

#include <stdint.h>

#include <jansson.h>

struct stream;

/*
 * Operations over a stream.  The answer goes to the client with this id; args
 * become the callee's.  `status`, unless it is NULL, is added to the result.
 */
void stream_calls_start(struct stream *s, uint64_t id, const char *op,
    json_t *args, const char *status);

void stream_calls_cancel(struct stream *s, uint64_t id);
void stream_calls_cancel_all(struct stream *s);

#endif
