#include "cmd/attach/attaching.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "client/attach.h"
#include "cmd/attach/picking.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/config.h"
#include "session/last.h"

struct args {
	bool readonly, steal, alone, in_line, nested;
	const char *replay, *prefix;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, readonly, "read-only", 'r',
	    "watch only; do not type"),
	OPT_FLAG(struct args, steal, "steal", 0,
	    "take the right to type from the client that has it"),
	OPT_FLAG(struct args, alone, "detach-others", 'd',
	    "detach all other clients"),
	OPT_CHOICE(struct args, replay, "replay", 0, "HOW", "screen|raw|none",
	    "show first: screen (the default), raw or none"),
	OPT_FLAG(struct args, in_line, "inline", 0,
	    "no alternate screen; use the terminal's own scrollback"),
	OPT_FLAG(struct args, nested, "nested", 0,
	    "attach even inside another session"),
	OPT_VALUE(struct args, prefix, "prefix", 0, "KEY",
	    "the prefix key (C-], or $TEND_PREFIX)"),
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
	default:
		return handle_conn_failure(result);
	}
}

/* Take the picked session, or the same one again if the user left the list. */
static int
take_other(struct call *call, struct attach_options *o)
{
	char id[ID_SIZE];
	int status = picking_run(call, id);

	if (status != 0)
		return status;
	if (id[0] == '\0') /* it may have been renamed */
		snprintf(id, sizeof(id), "%s", call->target->session.id);
	handle_leave_session(call->target);
	status = target_find_session(call, id);
	o->id = call->target->session.id;
	o->name = handle_name(call->target);
	o->steal = o->alone = o->started = false;
	return status;
}

void
attaching_keys(const struct config *c, struct attach_options *o)
{
	o->prefix = config_or(c, CONFIG_PREFIX, o->prefix);
	o->outer = config_or(c, CONFIG_PREFIX, NULL);
	for (unsigned i = 0; i < KEYS_UNKNOWN; i++)
		o->bound.names[i] = config_text(c,
		    CONFIG_KEY_DETACH + i); /* in the order of keys.def */
}

static void
ignore(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

void
attaching_pressed(enum keys_command command, char out[ATTACHING_PRESSED_MAX])
{
	struct attach_options o = { 0 };
	struct config config;

	config_init(&config);
	config_read(&config, ignore, NULL); /* run and attach report mistakes */
	attaching_keys(&config, &o);
	snprintf(out, ATTACHING_PRESSED_MAX, "%s %s", keys_prefix(o.prefix),
	    keys_of(&o.bound, command));
	config_finish(&config);
}

static bool
has_other(void *arg)
{
	struct call *call = arg;

	return picking_has_other(call, call->target->session.id);
}

int
attaching_run(struct call *call, const struct attach_options *o)
{
	struct attach_options now = *o;
	struct error err = { 0 };

	attaching_keys(call->config, &now);
	now.has_other = has_other;
	now.arg = call;
	for (;;) {
		bool other = false;
		int status, result;

		now.other = &other;
		result = attach_run(&now, call->target->dirfd, &err);
		if (result < 0)
			return out_fail(call->out, failure_of(result), "%s",
			    err.msg);
		if (!other)
			return result;
		status = take_other(call, &now);
		if (status != 0)
			return status;
	}
}

/* `-`: the session that was attached last. */
static int
take_last(struct call *call)
{
	char id[ID_SIZE];

	if (last_read(call->target->home.fd, id) < 0)
		return out_fail(call->out, FAIL_NOT_FOUND,
		    "no session was attached in %s yet; 'tend ls' lists "
		    "running sessions",
		    call->target->home.path);
	call->argc--;
	call->argv++;
	return target_find_session(call, id);
}

/* No session was named; *left if the user leaves the list without one. */
static int
take_unnamed(struct call *call, const struct attach_options *o, bool *left)
{
	struct error err = { 0 };
	int status, rc = attach_check(o, &err);
	char id[ID_SIZE];

	if (rc < 0)
		return out_fail(call->out, failure_of(rc), "%s", err.msg);
	status = picking_run(call, id);
	*left = id[0] == '\0';
	return status != 0 || *left ? status : target_find_session(call, id);
}

static int
take_session(struct call *call, const struct attach_options *o, bool *left)
{
	if (call->argc > 0 && strcmp(call->argv[0], "-") == 0)
		return take_last(call);
	if (call->argc == 0 && picking_can())
		return take_unnamed(call, o, left);
	return target_take_session(call, o->readonly ? CMD_NEWEST : 0);
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
	bool left = false;
	int status = 0;

	if (call->out->json)
		return out_fail(call->out, FAIL_USAGE,
		    "attach does not take --json; use 'tend snapshot' or 'tend "
		    "log -f'");
	if (a->readonly && a->alone)
		return out_fail(call->out, FAIL_USAGE,
		    "--read-only cannot detach other clients; give only one of "
		    "-d and --read-only");
	if (a->replay != NULL)
		status = parse_replay(call, a->replay, &o.replay);
	attaching_keys(call->config, &o);
	if (status == 0)
		status = take_session(call, &o, &left);
	if (status == 0)
		status = operands_check(call, 0, 0, "");
	if (status != 0 || left)
		return status;
	o.homefd = call->target->home.fd;
	o.id = call->target->session.id;
	o.name = handle_name(call->target);
	return attaching_run(call, &o);
}

const struct cmd cmd_attach = {
	.name = "attach",
	.usage = "[SESSION|-] [-r] [-d] [--steal] [--inline] [--nested]\n"
		 "            [--replay screen|raw|none] [--prefix KEY]",
	.summary = "attach to a session",
	.details =
	    "Press the prefix (C-] by default), then d, to detach; the session\n"
	    "keeps running.  Closing the terminal does the same.\n"
	    "\n"
	    "Without SESSION, tend attaches to the only running session, or lets\n"
	    "you pick one from a list.  SESSION - is the session attached last.\n"
	    "\n"
	    "After you attach, the session's SSH_AUTH_SOCK points to your ssh agent,\n"
	    "and 'tend env' inside the session prints your DISPLAY and the like.\n"
	    "\n"
	    "Inside a session, tend refuses to attach to another without --nested,\n"
	    "because the outer session takes the prefix: to reach the inner one,\n"
	    "press the prefix twice, or set another with --prefix.\n"
	    "\n"
	    "The exit status is the program's when it ends (128+n after signal\n"
	    "n), 0 after detaching, 125 when tend itself fails.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME | CMD_READS_CONFIG,
	.passes_status = true,
	.run = run,
};
