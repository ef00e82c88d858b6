#ifndef TEND_HUB_CREDENTIALS_H
#define TEND_HUB_CREDENTIALS_H

#include "home/calls.h"

struct fault;
struct hub;
struct hub_call;
struct identity;
struct op;

/*
 * The operations that only a hub has: tokens, links, logins, the identity of
 * the caller and the audit.  The caller has checked the permission and the
 * arguments.
 */

/*
 * Run one; as calls_start.  The answer comes later, from the loop.  session is
 * the id for share.create, or NULL.
 */
int credentials_start(struct hub *hub, const struct op *op, const json_t *args,
    const char *session, const struct identity *who, calls_done_fn *fn,
    void *arg, struct hub_call **call, struct fault *f);

/* The answer is not needed any more; the operation is done. */
void credentials_cancel(struct hub_call *call);

/* Names of permissions, as a list. */
json_t *credentials_scope_json(unsigned scope);

#endif
