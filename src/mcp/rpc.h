#ifndef TEND_MCP_RPC_H
#define TEND_MCP_RPC_H

#include <stddef.h>

#include <jansson.h>

struct buf;
struct error;
struct json_out;

/*
 * JSON-RPC 2.0 as in the Model Context Protocol: one message per line, no
 * batches; an id is a string or an integer.
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
	json_t *id;           /* inside `tree`; NULL: none or unknown */
	const char *method;   /* inside `tree`; NULL for a response */
	const json_t *params; /* inside `tree`; an object, or NULL */
	json_t *tree;
};

/*
 * Returns 0, or an error code and its reason.  Call rpc_finish in both cases.
 * The id is set if it could be parsed.
 */
int rpc_parse(struct rpc_message *m, const char *p, size_t len,
    struct error *err);
void rpc_finish(struct rpc_message *m);

/*
 * The beginning of a response; the caller then writes the result to *j, and
 * calls rpc_end.
 */
void rpc_begin(struct json_out *j, struct buf *out, const json_t *id);
void rpc_end(struct json_out *j);

/* A whole error response; id may be NULL. */
void rpc_refuse(struct buf *out, const json_t *id, enum rpc_code code,
    const char *why);

#endif
