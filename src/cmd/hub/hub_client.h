#ifndef TEND_CMD_HUB_HUB_CLIENT_H
#define TEND_CMD_HUB_HUB_CLIENT_H

#include <jansson.h>

struct fault;
struct home;

/*
 * A client of the hub of a home, over HOME/hub.sock: one request, one answer.
 * It blocks.
 *
 * Limits: an answer has at most HUB_CLIENT_MAX bytes, and the hub must send
 * some of it every HUB_CLIENT_MS; otherwise the call fails.
 */
#define HUB_CLIENT_MAX (64u << 20)
#define HUB_CLIENT_MS 60000

/* The descriptor of a connection; -1 and FAIL_NOT_RUNNING if there is no hub. */
int hub_client_connect(const struct home *h, struct fault *f);

/*
 * Call an operation, as in "token.create".  The arguments become the
 * function's.  Returns 0 and the result, which the caller frees, or -1.
 */
int hub_client_call(const struct home *h, const char *op, json_t *args,
    json_t **result, struct fault *f);

/* The hub's own status: hub_status of op/types.def. */
int hub_client_status(const struct home *h, json_t **result, struct fault *f);

#endif
