#include "mcp/call.h"

#include <stdlib.h>
#include <string.h>

void
mcp_call_finish(struct mcp_call *call)
{
	json_decref(call->id);
	json_decref(call->args);
	free(call->session);
	memset(call, 0, sizeof(*call));
}
