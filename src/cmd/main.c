#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "cmd/attach/attaching.h"
#include "cmd/guide.h"
#include "cmd/line/cmd.h"
#include "cmd/line/complete.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/line/table.h"
#include "cmd/line/usage.h"
#include "cmd/target/several.h"
#include "cmd/target/target.h"
#include "home/config.h"
#include "home/suggest.h"

#define OWN_FAILURE 125 /* for commands that exit with a program's status */

/* Words that other programs use for something that is no command here. */
static const struct stranger {
	const char *word, *instead;
	const char *after; /* follows the keys that detach, if any */
} strangers[] = {
	{ "detach", "in a session, ", " detaches" },
	{ "start", "'tend run' starts a session", NULL },
	{ "rewind", "'tend snapshot --at' shows an earlier screen", NULL },
	{ "new-session", "'tend run' starts a session", NULL },
	{ "list-sessions", "'tend ls' lists the sessions", NULL },
	{ "kill-session", "'tend kill' ends a session", NULL },
	{ "attach-session", "'tend attach' attaches to a session", NULL },
	{ "capture-pane", "'tend snapshot' shows a session's screen", NULL },
	{ "send-keys", "'tend send' types into a session", NULL },
	{ "list-clients", "'tend info' shows the number of viewers", NULL },
	{ "history", "'tend log' shows the output of a session", NULL },
	{ "search", "'tend log SESSION | grep WORD' searches the output",
	    NULL },
	{ "export", "'tend log' and 'tend snapshot -o FILE' save output",
	    NULL },
};

static const struct stranger *
find_stranger(const char *name)
{
	for (size_t i = 0; i < sizeof(strangers) / sizeof(*strangers); i++)
		if (strcmp(strangers[i].word, name) == 0)
			return &strangers[i];
	return NULL;
}

static int
refuse_stranger(struct out *out, const struct stranger *s)
{
	char pressed[ATTACHING_PRESSED_MAX] = "";

	if (s->after != NULL)
		attaching_pressed(KEYS_DETACH, pressed);
	return out_fail(out, FAIL_USAGE, "unknown command: %s; %s%s%s", s->word,
	    s->instead, pressed, s->after != NULL ? s->after : "");
}

static int
unknown(struct out *out, const char *name)
{
	const struct stranger *stranger = find_stranger(name);
	struct suggest near;

	suggest_init(&near, name);
	for (size_t i = 0; table_at(i) != NULL; i++)
		suggest_look(&near, table_at(i)->name);
	if (stranger != NULL)
		return refuse_stranger(out, stranger);
	if (near.best[0] != '\0')
		return out_fail(out, FAIL_USAGE,
		    "unknown command: %s; did you mean 'tend %s'? 'tend help' "
		    "lists all commands",
		    name, near.best);
	return out_fail(out, FAIL_USAGE,
	    "unknown command: %s; 'tend help' lists all commands", name);
}

static int
help(struct out *out)
{
	out->json = false;
	buf_puts(&out->buf, "usage: tend COMMAND [ARGUMENT...]\n\n");
	for (size_t i = 0; table_at(i) != NULL; i++)
		buf_printf(&out->buf, "  %-10s %s\n", table_at(i)->name,
		    table_at(i)->summary);
	buf_puts(&out->buf, "\nother names:");
	for (size_t i = 0; table_alias(i) != NULL; i++)
		buf_printf(&out->buf, "%s %s = %s", i > 0 ? "," : "",
		    table_alias(i)->name, table_alias(i)->command);
	buf_puts(&out->buf,
	    "\n'tend COMMAND -h' explains a command, 'tend' alone "
	    "shows the first steps.\n'man tend' describes the settings "
	    "and files.\n");
	return out_send_help(out);
}

static int
help_command(struct out *out, const struct cmd *cmd)
{
	out->json = false;
	usage_put(&out->buf, cmd->name, cmd->usage);
	buf_printf(&out->buf, "\n%s\n", cmd->summary);
	if (cmd->details != NULL)
		buf_printf(&out->buf, "\n%s", cmd->details);
	buf_puts(&out->buf, "\n");
	opt_help(cmd->options, &out->buf);
	opt_help(common_options, &out->buf);
	return out_send_help(out);
}

/* True if errors in the options must be reported in JSON. */
static bool
asks_for_json(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0)
			return true;
	return false;
}

/* A command and the common options. */
struct order {
	const struct cmd *cmd;
	const struct common *common;
};

static int
run_once(struct call *call, const void *arg)
{
	const struct order *order = arg;
	struct handle target;
	int status;

	call->target = &target;
	handle_init(&target, order->common->home);
	status = target_prepare(call, order->cmd->needs);
	if (status == 0)
		status = order->cmd->run(call);
	handle_finish(&target);
	return status;
}

static void
on_warning(void *arg, const char *text)
{
	out_note(arg, "%s", text);
}

static int
run_order(struct call *call, const struct cmd *cmd, const struct common *common)
{
	const struct order order = { cmd, common };
	int status = 0;

	if (cmd->ask != NULL && call->argc > 0)
		status = cmd->ask(call);
	if (status != 0)
		return status;
	if ((cmd->needs & CMD_EACH) && call->argc > 1)
		return several_run(call, run_once, &order);
	return run_once(call, &order);
}

static int
run_parsed(struct call *call, const struct cmd *cmd,
    const struct common *common)
{
	struct config config;
	int status;

	if (common->help)
		return help_command(call->out, cmd);
	call->out->json = common->json;
	config_init(&config);
	if (cmd->needs & CMD_READS_CONFIG)
		config_read(&config, on_warning, call->out);
	call->config = &config;
	status = run_order(call, cmd, common);
	config_finish(&config);
	return status;
}

static int
run(struct out *out, const struct cmd *cmd, struct common *common, int argc,
    char **argv)
{
	auto_free void *args = xcalloc(1, cmd->args_size + 1);
	const struct opt_set sets[] = {
		{ cmd->options, args },
		{ common_options, common },
	};
	unsigned flags = cmd->before_program ? OPT_STOP_AT_OPERAND : 0;
	struct opt_words words = { argc, argv, 0 };
	struct call call = { .out = out, .args = args, .argv = argv };
	struct error err;
	int status;

	out->command = cmd->name;
	if (cmd->passes_status)
		out->failure_status = OWN_FAILURE;
	if (opt_parse(sets, 2, flags, &words, &err) < 0) {
		status = out_fail(out, FAIL_USAGE, "%s; see 'tend %s -h'",
		    err.msg, cmd->name);
	} else {
		if (cmd->may_pass != NULL && cmd->may_pass(args))
			out->failure_status = OWN_FAILURE;
		argv[words.argc] = NULL;
		call.argc = words.argc;
		call.before_dashes = words.before_dashes;
		status = run_parsed(&call, cmd, common);
	}
	opt_finish(sets, 2);
	return status;
}

/* No command: tend by itself, or help. */
static int
dispatch(struct out *out, struct common *common, int argc, char **argv)
{
	const char *name = argc > 0 ? argv[0] : "help";
	bool asks = common->help || strcmp(name, "help") == 0;
	const struct cmd *cmd;

	if (argc == 0 && !common->help)
		return guide(out, common->home);
	if (strcmp(name, COMPLETE_COMMAND) == 0)
		return complete(out, common->home, argc - 1, argv + 1);
	if (argc > 0 && strcmp(name, "help") == 0)
		name = argc > 1 ? argv[1] : "help";
	if (asks && strcmp(name, "help") == 0)
		return help(out);
	cmd = table_find(name);
	if (cmd == NULL)
		return unknown(out, name);
	if (asks)
		return help_command(out, cmd);
	return run(out, cmd, common, argc - 1, argv + 1);
}

/* --home and --json may precede or follow the command. */
static int
run_tend(struct out *out, int argc, char **argv)
{
	struct common common = { 0 };
	const struct opt_set set = { common_options, &common };
	static char version[] = "version";
	struct opt_words words = { argc, argv, 0 };
	struct error err;

	if (argc > 0 &&
	    (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0))
		argv[0] = version;
	if (opt_parse(&set, 1, OPT_STOP_AT_OPERAND, &words, &err) < 0)
		return out_fail(out, FAIL_USAGE,
		    "%s; 'tend help' lists the commands", err.msg);
	return dispatch(out, &common, words.argc, argv);
}

int
main(int argc, char **argv)
{
	struct out out;
	int status;

	if (fd_open_standard() < 0)
		return failure_status(FAIL_INTERNAL);
	json_tree_guard();
	/* A closed pipe is then a write error, reported like any other. */
	signal(SIGPIPE, SIG_IGN);
	/* The same for a file larger than `ulimit -f` allows. */
	signal(SIGXFSZ, SIG_IGN);
	out_init(&out, NULL, asks_for_json(argc, argv));
	status = run_tend(&out, argc - 1, argv + 1);
	out_finish(&out);
	return status;
}
