#include <errno.h>

#include "base/error.h"
#include "host/host.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/ask/waits.h"
#include "op/condition.h"

/* The operation session.wait; requests.h says what a handler is. */

int
op_session_wait(struct op_call *call, struct error *err)
{
	struct condition c;
	struct error why;
	int rc = condition_read(&c, call->args, CONDITION_ARGUMENTS, &why);

	if (rc < 0)
		return error_set(err, -rc, "session.wait: %s", why.msg);
	if (server_is_leaving(call->server)) {
		condition_finish(&c);
		return error_set(err, EBUSY,
		    "the session goes to another host; ask again");
	}
	return waits_begin(call->host->waits, call, &c, err);
}
