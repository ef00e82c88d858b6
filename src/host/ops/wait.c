#include "host/ops/ops.h"

#include <errno.h>

#include "base/error.h"
#include "host/ask/waits.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "op/condition.h"

/* The operation session.wait. */

/*
 * A client that knows BYE gets it before a refusal, and so knows the reason.
 * Until then its wait begins, and is refused when BYE is sent.
 */
static bool
is_left(const struct op_call *call)
{
	const struct connection *c = call->client;

	return server_is_leaving(call->server) &&
	    (c->bye != CONNECTION_STAYS || !(c->features & HELLO_HANDOVER));
}

int
op_session_wait(struct op_call *call, struct error *err)
{
	struct condition c;
	struct error why;
	int rc = condition_read(&c, call->args, CONDITION_ARGUMENTS, &why);

	if (rc < 0)
		return error_set(err, -rc, "session.wait: %s", why.msg);
	if (is_left(call)) {
		condition_finish(&c);
		return error_set(err, EBUSY,
		    "another host takes over the session; ask again");
	}
	return waits_begin(call->host->waits, call, &c, err);
}
