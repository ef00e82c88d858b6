#include <stdlib.h>

#include "base/id.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/fault.h"
#include "home/variables.h"
#include "home/words.h"
#include "session/around.h"

struct args {
	bool program;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, program, "program", 0,
	    "print the environment the program was started with"),
	{ 0 },
};

/* Lines for a shell to evaluate. */
static void
put_line(void *arg, const char *name, const char *value)
{
	struct buf *out = arg;

	if (value == NULL) {
		buf_printf(out, "unset %s\n", name);
		return;
	}
	buf_printf(out, "export %s=", name);
	words_quote(value, out);
	buf_putc(out, '\n');
}

static void
put_pair(void *arg, const char *name, const char *value)
{
	struct buf *out = arg;

	words_put_safe(out, name);
	buf_putc(out, '=');
	words_put_safe(out, value);
	buf_putc(out, '\n');
}

static int
show(struct call *call, enum variables_of of)
{
	struct out *out = call->out;
	struct json_out j;
	struct fault f;
	int rc;

	if (out->json) {
		out_begin(out, &j);
		rc = variables_json(call->target, of, &j, &f);
	} else {
		rc = variables_each(call->target, of,
		    of == VARIABLES_OF_PROGRAM ? put_pair : put_line, &out->buf,
		    &f);
	}
	return rc < 0 ? out_fault(out, &f) : out_send(out);
}

/* Inside a session, use that session. */
static int
take_session(struct call *call)
{
	char id[ID_SIZE], *own = getenv("TEND_SESSION"), **none = call->argv;
	char *argv[] = { own, NULL };
	int status;

	if (around_session(id) && id[0] != '\0')
		argv[0] = own = id;
	if (call->argc > 0 || own == NULL || *own == '\0')
		return target_take_session(call, CMD_NEWEST);
	call->argc = 1;
	call->argv = argv;
	status = target_take_session(call, 0);
	call->argv = none;
	return status;
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	int status = take_session(call);

	if (status == 0)
		status = operands_check(call, 0, 0, "");
	if (status != 0)
		return status;
	return show(call,
	    a->program ? VARIABLES_OF_PROGRAM : VARIABLES_OF_VISITOR);
}

const struct cmd cmd_env = {
	.name = "env",
	.usage = "[SESSION] [--program] [--json]",
	.summary = "print the environment of the last attached client",
	.details =
	    "Print shell commands that update a shell inside the session, which\n"
	    "may have been started from another terminal, login or machine:\n"
	    "\n"
	    "  eval \"$(tend env)\"\n"
	    "\n"
	    "sets DISPLAY, SSH_CONNECTION and the like to the values of the last\n"
	    "attached client, and unsets those it did not have.  SSH_AUTH_SOCK\n"
	    "needs no update: it is a link, and each attach points it to its own\n"
	    "agent.  Without SESSION, tend uses the session this shell runs in,\n"
	    "otherwise the newest.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
