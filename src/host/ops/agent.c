#include "host/ops/ops.h"

#include "host/agent/agent_watch.h"

/* The operations agent.*. */

int
op_agent_explain(struct op_call *call, struct error *err)
{
	(void)err;
	agent_watch_explain(call->host->agent_watch, &call->result);
	return 0;
}
