#include "cmd/attaching.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "client/attach.h"
#include "cmd/cmd.h"
#include "cmd/config.h"
#include "cmd/operands.h"
#include "cmd/opt.h"
#include "cmd/out.h"
#include "cmd/target.h"

struct args {
	bool readonly, steal, alone, in_line, nested;
	const char *replay, *prefix;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, readonly, "read-only", 'r',
	    "look, and type nothing"),
	OPT_FLAG(struct args, steal, "steal", 0,
	    "take the right to type from whoever has it"),
	OPT_FLAG(struct args, alone, "detach-others", 'd',
	    "detach everybody else who is attached"),
	OPT_CHOICE(struct args, replay, "replay", 0, "HOW", "screen|raw|none",
	    "screen (the default), raw or none: what comes first"),
	OPT_FLAG(struct args, in_line, "inline", 0,
	    "no alternate screen: into the terminal's own scrollback"),
	OPT_FLAG(struct args, nested, "nested", 0,
	    "even on a terminal that is in a session itself"),
	OPT_VALUE(struct args, prefix, "prefix", 0, "KEY",
	    "the key that speaks to tend (C-], or $TEND_PREFIX)"),
	{ 0 },
};

static int
parse_replay(struct call *call, const char *s, enum hello_replay *out)
{
	static const char *const names[] = {
		[HELLO_SCREEN] = "screen",
		[HELLO_RAW] = "raw",
		[HELLO_NONE] = "none",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(s, names[i]) == 0) {
			*out = (enum hello_replay)i;
			return 0;
		}
	return out_fail(call->out, FAIL_USAGE,
	    "--replay %s: give screen, raw or none", s);
}

static enum failure
failure_of(int result)
{
	switch (result) {
	case -ENOTTY:
	case -EINVAL:
	case -EDEADLK:
		return FAIL_USAGE;
	case -EACCES:
		return FAIL_DENIED;
	case -ETIMEDOUT:
		return FAIL_TIMEOUT;
	case -EPROTO:
		return FAIL_PROTOCOL;
	default:
		return FAIL_UNREACHABLE;
	}
}

int
attaching_run(struct call *call, const struct attach_options *o)
{
	struct attach_options own = *o;
	struct error err = { 0 };
	int result;

	own.prefix = config_or(call->config, CONFIG_PREFIX, o->prefix);
	result = attach_run(&own, call->target->dirfd, &err);

	if (result >= 0)
		return result;
	return out_fail(call->out, failure_of(result), "%s", err.msg);
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	struct attach_options o = {
		.readonly = a->readonly,
		.steal = a->steal,
		.alone = a->alone,
		.in_line = a->in_line,
		.nested = a->nested,
		.prefix = a->prefix,
	};
	int status = 0;

	if (call->out->json)
		return out_fail(call->out, FAIL_USAGE,
		    "attaching is for people; with --json, use 'tend snapshot' "
		    "or 'tend log -f'");
	if (a->readonly && a->alone)
		return out_fail(call->out, FAIL_USAGE,
		    "-d detaches others, which --read-only has no right to; "
		    "give one of them");
	if (a->replay != NULL)
		status = parse_replay(call, a->replay, &o.replay);
	if (status == 0)
		status = target_take_session(call,
		    a->readonly ? CMD_NEWEST : 0);
	if (status == 0)
		status = operands_check(call, 0, 0, "");
	if (status != 0)
		return status;
	o.id = call->target->session.id;
	o.name = target_name(call->target);
	return attaching_run(call, &o);
}

const struct cmd cmd_attach = {
	.name = "attach",
	.usage = "SESSION [-r] [-d] [--steal] [--inline] [--nested]\n"
		 "            [--replay screen|raw|none] [--prefix KEY]",
	.summary = "see a session on this terminal, and type into it",
	.details =
	    "The prefix, C-] unless told otherwise, then d detaches: the session\n"
	    "goes on without you.  Closing the terminal does the same.  With\n"
	    "--read-only, SESSION may be left out and is then the newest.\n"
	    "\n"
	    "The session's SSH_AUTH_SOCK leads to your agent from now on, and\n"
	    "'tend env' inside of it gives your DISPLAY and the like.\n"
	    "\n"
	    "Inside of a session, attaching another is refused without --nested:\n"
	    "the outer one takes the prefix, so the inner one is told to detach\n"
	    "by pressing it twice, then d; or give it another with --prefix.\n"
	    "\n"
	    "The exit status is the program's when it ends (128+n after a\n"
	    "signal), 0 after detaching, 125 when tend itself fails.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME | CMD_READS_CONFIG,
	.passes_status = true,
	.run = run,
};
