#include "host/ops/ops.h"

#include <errno.h>

#include "base/error.h"
#include "host/core/session.h"
#include "host/serve/connection.h"
#include "host/serve/lease.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"

/* The operations lease.*. */

static int
put_lease(struct op_call *call)
{
	struct json_out *j = &call->result;
	char holder[SERVER_HOLDER_SIZE];

	json_out_open(j, '{');
	json_put_text(j, "holder",
	    server_lease_holder(call->server, holder, sizeof(holder)));
	json_put_bool(j, "mine", server_has_lease(call->server, call->client));
	json_put_number(j, "idle_ms", LEASE_IDLE_MS);
	json_out_close(j, '}');
	return 0;
}

static int
take(struct op_call *call, bool steal, struct error *err)
{
	if (call->client->session->manifest.input != INPUT_POLICY_LEASE)
		return error_set(err, EINVAL,
		    "anybody may type: the session's input is shared");
	if (!server_take_lease(call->server, call->client, steal))
		return error_set(err, EBUSY,
		    "another client has the lease to type");
	return put_lease(call);
}

int
op_lease_acquire(struct op_call *call, struct error *err)
{
	return take(call, false, err);
}

int
op_lease_steal(struct op_call *call, struct error *err)
{
	return take(call, true, err);
}

int
op_lease_release(struct op_call *call, struct error *err)
{
	(void)err;
	server_release_lease(call->server, call->client);
	return put_lease(call);
}
