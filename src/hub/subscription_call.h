#ifndef TEND_HUB_SUBSCRIPTION_CALL_H
#define TEND_HUB_SUBSCRIPTION_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct op;
struct stream;
struct stream_message;
struct subscription;

/*
 * Operations that belong to a connection, such as lease.acquire: they are done
 * over the subscription's own connection to the host, so that the lease belongs
 * to it, and ends with it.  Each is answered once, as an input is.
 */
bool subscription_call_fits(const struct op *op);

void subscription_call_start(struct subscription *s, const struct op *op,
    const struct stream_message *m);

/* The call with this id gets no answer. */
void subscription_call_cancel(struct stream *stream, uint64_t id);

#endif
