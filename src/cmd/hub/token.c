#include "cmd/hub/asking.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/line/verbs.h"

struct args {
	const char *label, *principal, *scope, *sessions, *expires;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, label, "label", 'l', "TEXT",
	    "create: a note for the list, such as the program's name"),
	OPT_VALUE(struct args, principal, "principal", 'p', "KIND:NAME",
	    "create: act for this principal of the policy, not for you"),
	OPT_VALUE(struct args, scope, "scope", 's', "PERMISSION,...",
	    "create: its permissions (observe,drive)"),
	OPT_VALUE(struct args, sessions, "sessions", 0, "PATTERN",
	    "create: only sessions with such a name, as in 'team/*'"),
	OPT_VALUE(struct args, expires, "expires", 'e', "DURATION",
	    "create: the time until it ends (90d)"),
	{ 0 },
};

static int
create(struct call *call)
{
	const struct args *a = call->args;
	json_t *args;
	int status = operands_check(call, 0, 0, "");

	if (status != 0)
		return status;
	args = json_object();
	asking_text(args, "label", a->label);
	asking_text(args, "principal", a->principal);
	asking_words(args, "scope", a->scope);
	asking_text(args, "sessions", a->sessions);
	asking_text(args, "expires", a->expires);
	return asking_create(call, "token", args, "secret",
	    "the token is shown only this once; it ends at");
}

static int
list(struct call *call)
{
	return asking_list(call, "token");
}

static int
revoke(struct call *call)
{
	return asking_revoke(call, "token");
}

static int
run(struct call *call)
{
	static const struct verb verbs[] = {
		{ "create", "label principal scope sessions expires", create },
		{ "list", "", list },
		{ "revoke", "", revoke },
		{ 0 },
	};

	return verbs_run(call, verbs, options);
}

const struct cmd cmd_token = {
	.name = "token",
	.usage = "create|list|revoke [ID] [--label TEXT] "
		 "[--principal KIND:NAME]\n"
		 "            [--scope PERMISSION,...] [--sessions PATTERN] "
		 "[--expires DURATION]\n"
		 "            [--json]",
	.summary = "make, list and end tokens for programs that use the hub",
	.details =
	    "'create' makes a token and prints it; 'list' lists the tokens that have\n"
	    "not ended, and the browsers that are logged in; 'revoke' ends one of\n"
	    "them, and everything that uses it.\n"
	    "\n"
	    "A program sends its token to the hub in the header 'Authorization:\n"
	    "Bearer TOKEN'.  tend stores only a hash of it, so it is shown only\n"
	    "once.  Permissions are observe, drive, control, create, approve and\n"
	    "admin.  The hub must be running: 'tend hub start'.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
