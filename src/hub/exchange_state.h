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
	/* Called when the client is known and the body is complete. */
	void (*dispatch)(struct exchange *x);
	exchange_body_fn *on_body; /* NULL: the body is collected */
	void *body_arg;
	uint64_t received;  /* bytes of the body */
	bool streams;       /* the handler takes the body in pieces */
	bool late_key;      /* the key of a cookie may come later */
	bool expects;       /* to be asked for the body */
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

/* For routes.c: make an exchange for a complete head. */
struct exchange *exchange_create(struct connection *c,
    const struct http_request *r);

/* For identify.c: the client is known, x->who is set. */
void exchange_identified(struct exchange *x);

#endif
