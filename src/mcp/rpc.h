#ifndef TEND_MCP_RPC_H
#define TEND_MCP_RPC_H

#include <stddef.h>

#include <jansson.h>

struct buf;
struct error;
struct json_out;

/*
 * JSON-RPC 2.0 as the Model Context Protocol uses it: one message a line, no
 * batches, and an id that is a string or a whole number.
 */
enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE };

enum rpc_code {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_METHOD_NOT_FOUND = -32601,
	RPC_INVALID_PARAMS = -32602,
};

struct rpc_message {
	enum rpc_kind kind;
	json_t *id;           /* inside `tree`; NULL: none, or none known */
	const char *method;   /* likewise; NULL for a response */
	const json_t *params; /* likewise; an object, or NULL */
	json_t *tree;
};

/*
 * 0, or a code to refuse it with and why; rpc_finish is due in both cases, and
 * the id is there if it could be told.
 */
int rpc_parse(struct rpc_message *m, const char *p, size_t len,
    struct error *err);
void rpc_finish(struct rpc_message *m);

/* A response up to its result, which is written to *j next; and its end. */
void rpc_begin(struct json_out *j, struct buf *out, const json_t *id);
void rpc_end(struct json_out *j);

/* A whole response that refuses; id may be NULL. */
void rpc_refuse(struct buf *out, const json_t *id, enum rpc_code code,
    const char *why);

#endif
