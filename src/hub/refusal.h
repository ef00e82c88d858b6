#ifndef TEND_HUB_REFUSAL_H
#define TEND_HUB_REFUSAL_H

#include <stdbool.h>

#include <jansson.h>

struct buf;
struct fault;

/* Answers that refuse a request: application/problem+json (RFC 9457). */
#define REFUSAL_TYPE "application/problem+json"
#define REFUSAL_RETRY_S "1" /* Retry-After, for 429 and 503 */

/*
 * The body: {"type","title","status","detail","code","retryable"}, and
 * "argument" if one is wrong.
 */
json_t *refusal_json(int status, const char *code, const char *detail,
    bool retryable, const char *argument);

/* The same for a fault, and its status. */
json_t *refusal_of_fault(const struct fault *f, int *status);

/* A whole answer, after which the connection is closed. */
void refusal_put(struct buf *out, int status, const char *code,
    const char *detail);

#endif
