#ifndef TEND_HUB_EXCHANGE_STATE_H
#define TEND_HUB_EXCHANGE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "hub/exchange.h"
#include "hub/identity.h"

struct route;
struct verifying;

/* The state of a request, for the files that carry it out. */
struct exchange {
	struct connection *connection; /* NULL: the client has left */
	const struct http_request *request;
	const struct route *route; /* NULL: not found yet */
	struct identity who;
	struct buf body;
	size_t body_max;
	bool identified;    /* `who` is known, or the route needs none */
	bool complete;      /* the body is complete */
	bool keep;          /* the connection may serve another request */
	struct buf headers; /* additional ones of the answer */
	void (*on_gone)(void *arg);
	void *gone_arg;
	struct verifying *verifying; /* NULL: nothing is under way */
	char cookie[128];            /* whose key comes later; "": none */
	const char *label;           /* of the route, for metrics */
};

/* For the connection: */
bool exchange_wants_body(const struct exchange *x);
bool exchange_is_complete(const struct exchange *x);
void exchange_take_body(struct exchange *x, const uint8_t *p, size_t len);
void exchange_complete(struct exchange *x);
/* The rest of the request cannot be read. */
void exchange_bad(struct exchange *x, int status, const char *why);

/* For identify.c: the client is known, x->who is set. */
void exchange_identified(struct exchange *x);

#endif
