#ifndef TEND_HOST_OPS_OPS_H
#define TEND_HOST_OPS_OPS_H

#include "host/serve/op_call.h"
#include "op/ops.h"

struct agent_watch;
struct execs;
struct handover;
struct messages;
struct session;
struct stop;
struct waits;

/*
 * The handlers of operations.  op_call.h describes them; host.c gives the
 * table and the parts below to the server, which passes them to each handler.
 */
struct op_host {
	struct session *session;
	struct waits *waits;
	struct execs *execs;
	struct messages *messages;
	struct agent_watch *agent_watch;
	struct stop *stop;
	struct handover *handover;
};

/* By the number of the operation; NULL: an operation of a home. */
extern op_fn *const op_handlers[OP_COUNT];

#define OP(group, verb, ...) op_fn op_##group##_##verb;
#define HOME_OP(...)
#include "op/ops.def"

#endif
