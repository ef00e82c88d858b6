#include <stdbool.h>

#include "cmd/hub/asking.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/line/verbs.h"

struct args {
	bool drive;
	const char *expires;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, drive, "drive", 'd',
	    "create: the link may also type"),
	OPT_VALUE(struct args, expires, "expires", 'e', "DURATION",
	    "create: the time until it ends (24h)"),
	{ 0 },
};

static int
create(struct call *call)
{
	const struct args *a = call->args;
	json_t *args;
	int status = operands_check(call, 1, 1, "SESSION");

	if (status != 0)
		return status;
	args = json_pack("{s:s}", "session", call->argv[0]);
	if (args == NULL)
		return out_fail(call->out, FAIL_NOT_FOUND,
		    "there is no session \"%s\"", call->argv[0]);
	json_object_set_new(args, "drive", json_boolean(a->drive));
	asking_text(args, "expires", a->expires);
	return asking_create(call, "share", args, "url",
	    a->drive ? "whoever has this link can see the session and type "
		       "into it until" :
		       "whoever has this link can see the session until");
}

static int
list(struct call *call)
{
	return asking_list(call, "share");
}

static int
revoke(struct call *call)
{
	return asking_revoke(call, "share");
}

static int
run(struct call *call)
{
	static const struct verb verbs[] = {
		{ "create", "drive expires", create },
		{ "list", "", list },
		{ "revoke", "", revoke },
		{ 0 },
	};

	return verbs_run(call, verbs, options);
}

const struct cmd cmd_share = {
	.name = "share",
	.usage = "create|list|revoke [SESSION|ID] [--drive] "
		 "[--expires DURATION] [--json]",
	.summary = "make, list and end links to a session",
	.details =
	    "'create' makes a link and prints it; 'list' lists the links that have\n"
	    "not ended; 'revoke' ends one, and everything that uses it.\n"
	    "\n"
	    "A link opens one session in a browser, for anyone who has it: view\n"
	    "only or, with --drive, for typing too.  It has no other rights.  The\n"
	    "hub must be running: 'tend hub start'.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
