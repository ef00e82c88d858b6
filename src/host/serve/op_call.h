#ifndef TEND_HOST_SERVE_OP_CALL_H
#define TEND_HOST_SERVE_OP_CALL_H

#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/json_out.h"

struct connection;
struct error;
struct op_host;
struct server;

/*
 * An operation being carried out, for the handlers in server_config.  The
 * permissions and the arguments are checked already.  A handler returns 0 if
 * it wrote the result, REQUEST_LATER if it answers later (with server_answer
 * or a function of requests.h), or -errno and err.  An operation that accepts a `key`
 * must answer later: it may be called without `buf` and `result`.
 */
struct op_call {
	const struct op_host *host; /* from server_config */
	struct server *server;
	struct connection *client;
	uint64_t id;
	const json_t *args;
	struct buf buf;
	struct json_out result; /* written to buf */
	uint64_t seq;           /* of the last event in the result; 0: none */
};
#define REQUEST_LATER 1

typedef int op_fn(struct op_call *call, struct error *err);

#endif
