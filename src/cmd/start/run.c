#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "home/config.h"
#include "home/environment.h"
#include "cmd/describe/label.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/start/starting.h"
#include "cmd/target/target.h"
#include "home/units.h"
#include "home/words.h"
#include "session/disk.h"
#include "session/find.h"

#define NOT_FOUND_STATUS 127 /* there is no such program */
#define DEFAULT_COLS 80
#define DEFAULT_ROWS 24
#define DEFAULT_MAX_LOG (256ull << 20)
#define MIN_MAX_LOG (8ull << 20) /* two segments */
#define MIN_MEMORY (1ull << 20)
#define PIDS_MAX (4u << 20) /* of the kernel */
#define WEIGHT_MAX 10000    /* likewise */
#define DEFAULT_LINGER_MS 10000
#define COMES_MS 5000
#define COMES_PAUSE_MS 5
#define DURATION_MAX_S (365u * 24 * 60 * 60)

struct args {
	bool detached, attach_if_there, durable, forget_env, nested,
	    no_integration;
	const char *name, *cwd, *size, *input, *resize, *max_log, *log_input,
	    *idle_timeout, *linger, *scrollback, *memory, *pids, *cpu_weight,
	    *restart;
	struct opt_list env, labels;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, detached, "detach", 'd',
	    "in the background; prints the id"),
	OPT_VALUE(struct args, name, "name", 'n', "NAME",
	    "its name (the command's, or that with -2, -3)"),
	OPT_FLAG(struct args, attach_if_there, "attach", 'A',
	    "attach to the session of that name if there is one"),
	OPT_VALUE(struct args, cwd, "cwd", 'C', "DIR",
	    "where to run it (here)"),
	OPT_LIST(struct args, env, "env", 'e', "KEY=VALUE",
	    "set a variable; may be repeated"),
	OPT_FLAG(struct args, forget_env, "forget-env", 0,
	    "do not keep its environment for 'tend rerun'"),
	OPT_VALUE(struct args, size, "size", 's', "COLSxROWS",
	    "its size (that of this terminal, or 80x24)"),
	OPT_LIST(struct args, labels, "label", 'l', "KEY=VALUE",
	    "label it; may be repeated"),
	OPT_CHOICE(struct args, input, "input", 0, "POLICY", "shared|lease",
	    "who types: shared (all, the default) or lease (one)"),
	OPT_CHOICE(struct args, resize, "resize", 0, "POLICY",
	    "smallest|latest|largest|fixed",
	    "whose size: smallest (the default), latest, largest, fixed"),
	OPT_FLAG(struct args, nested, "nested", 0,
	    "attach even on a terminal that is in a session itself"),
	OPT_FLAG(struct args, no_integration, "no-integration", 0,
	    "let a shell not mark its prompts (see tend-exec)"),
	OPT_FLAG(struct args, durable, "durable", 0,
	    "sync the log before anything is acknowledged"),
	OPT_VALUE(struct args, max_log, "max-log", 0, "SIZE",
	    "keep the log below this (256M); at least 8M"),
	OPT_CHOICE(struct args, log_input, "log-input", 0, "WHAT",
	    "all|lengths|none",
	    "of what is typed, log all (the default), lengths or none"),
	OPT_VALUE(struct args, idle_timeout, "idle-timeout", 0, "DURATION",
	    "stop it after so long without input and output"),
	OPT_VALUE(struct args, linger, "linger-output", 0, "DURATION",
	    "log what is still written after the exit (10s)"),
	OPT_VALUE(struct args, scrollback, "scrollback", 0, "LINES",
	    "keep so many lines above the screen (2000)"),
	OPT_VALUE(struct args, restart, "restart", 0, "POLICY",
	    "start it again: never (the default), on-failure, always"),
	OPT_VALUE(struct args, memory, "memory", 0, "SIZE",
	    "memory it may have, as in 2G; needs cgroup2"),
	OPT_VALUE(struct args, pids, "pids", 0, "COUNT",
	    "processes it may have; needs cgroup2"),
	OPT_VALUE(struct args, cpu_weight, "cpu-weight", 0, "WEIGHT",
	    "its share of busy processors, 1 to 10000 (100)"),
	{ 0 },
};

static int
usage(struct call *call, const char *option, const struct error *err)
{
	return out_fail(call->out, FAIL_USAGE, "--%s: %s", option, err->msg);
}

/* The user's shell, when no command is given. */
static const char *
shell(void)
{
	const char *name = getenv("SHELL");
	const struct passwd *pw;

	if (name != NULL && name[0] == '/')
		return name;
	pw = getpwuid(getuid());
	if (pw != NULL && pw->pw_shell != NULL && pw->pw_shell[0] == '/')
		return pw->pw_shell;
	return "/bin/sh";
}

static void
set_command(struct manifest *m, const struct call *call)
{
	size_t n = call->argc > 0 ? (size_t)call->argc : 1;

	m->command = xcalloc(n + 1, sizeof(*m->command));
	for (size_t i = 0; i < n; i++)
		m->command[i] = xstrdup(
		    call->argc > 0 ? call->argv[i] : shell());
}

/* Where the program will stand: it must be there, and ours to enter. */
static int
set_cwd(struct call *call, struct manifest *m, const char *dir)
{
	char *path = realpath(dir != NULL ? dir : ".", NULL);
	int fd = -1;

	if (path != NULL)
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0) {
		int e = errno;

		free(path);
		if (fd >= 0)
			close(fd);
		return out_fail(call->out, FAIL_INPUT,
		    "cannot run in %s: %s; give another with --cwd",
		    dir != NULL ? dir : "the current directory", strerror(e));
	}
	close(fd);
	m->cwd = path;
	return 0;
}

static int
set_size(struct call *call, struct manifest *m, const struct args *a)
{
	unsigned cols = DEFAULT_COLS, rows = DEFAULT_ROWS;
	struct winsize ws;
	struct error err;

	if (a->size != NULL) {
		if (units_dims(a->size, &cols, &rows, &err) < 0)
			return out_fail(call->out, FAIL_USAGE, "--size %s",
			    err.msg);
	} else if (!a->detached && ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 &&
	    ws.ws_col >= 2 && ws.ws_row >= 1) {
		cols = ws.ws_col;
		rows = ws.ws_row;
	}
	m->cols = (uint16_t)cols;
	m->rows = (uint16_t)rows;
	return 0;
}

static int
set_policies(struct call *call, struct manifest *m, const struct args *a)
{
	struct error err;

	if (a->input != NULL &&
	    input_policy_parse(a->input, &m->input, &err) < 0)
		return usage(call, "input", &err);
	if (a->resize != NULL &&
	    size_policy_parse(a->resize, &m->size, &err) < 0)
		return usage(call, "resize", &err);
	if (a->log_input != NULL &&
	    log_input_parse(a->log_input, &m->log_input, &err) < 0)
		return usage(call, "log-input", &err);
	if (a->restart != NULL &&
	    restart_policy_parse(a->restart, &m->restart, &err) < 0)
		return usage(call, "restart", &err);
	m->durable = a->durable;
	m->forget_env = a->forget_env;
	m->no_integration = a->no_integration;
	return 0;
}

static int
take_duration(const char *s, uint64_t *ms, struct error *err)
{
	uint64_t ns;
	int result = units_duration_with_unit(s, &ns, err);

	if (result < 0)
		return result;
	if (ns / 1000000000 > DURATION_MAX_S)
		return error_set(err, EINVAL, "a year is the longest");
	*ms = ns / 1000000;
	return 0;
}

static int
take_count(struct call *call, const char *option, const char *text,
    uint64_t max, uint32_t *out)
{
	uint64_t n;

	if (text == NULL)
		return 0;
	if (!units_number(text, max, &n) || n == 0)
		return out_fail(call->out, FAIL_USAGE,
		    "--%s %.40s: give a number from 1 to %" PRIu64, option,
		    text, max);
	*out = (uint32_t)n;
	return 0;
}

static int
set_limits(struct call *call, struct manifest *m, const struct args *a)
{
	uint64_t ms = 0;
	struct error err;

	m->max_log = DEFAULT_MAX_LOG;
	m->linger_ms = DEFAULT_LINGER_MS;
	if (a->max_log != NULL &&
	    units_amount(a->max_log, &m->max_log, &err) < 0)
		return out_fail(call->out, FAIL_USAGE,
		    "--max-log %.40s: give a size with its unit, as in 64M or "
		    "5G; 8M is the least",
		    a->max_log);
	if (m->max_log < MIN_MAX_LOG)
		return out_fail(call->out, FAIL_USAGE,
		    "--max-log %s is too little; 8M is the least", a->max_log);
	if (a->idle_timeout != NULL) {
		if (take_duration(a->idle_timeout, &ms, &err) < 0)
			return usage(call, "idle-timeout", &err);
		/* Whole seconds, and 0 would mean never. */
		m->idle_timeout_s = (uint32_t)((ms + 999) / 1000);
		if (ms == 0)
			return out_fail(call->out, FAIL_USAGE,
			    "--idle-timeout %s would end it at once",
			    a->idle_timeout);
	}
	if (a->linger != NULL) {
		if (take_duration(a->linger, &ms, &err) < 0)
			return usage(call, "linger-output", &err);
		m->linger_ms = ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
	}
	return take_count(call, "scrollback", a->scrollback,
	    MANIFEST_SCROLLBACK_MAX, &m->scrollback);
}

/* What its scope is to hold it to. */
static int
set_scope(struct call *call, struct manifest *m, const struct args *a)
{
	struct error err;
	int status;

	if (a->memory != NULL &&
	    units_amount(a->memory, &m->memory_max, &err) < 0)
		return usage(call, "memory", &err);
	if (a->memory != NULL && m->memory_max < MIN_MEMORY)
		return out_fail(call->out, FAIL_USAGE,
		    "--memory %s is too little; 1M is the least", a->memory);
	status = take_count(call, "pids", a->pids, PIDS_MAX, &m->pids_max);
	if (status == 0)
		status = take_count(call, "cpu-weight", a->cpu_weight,
		    WEIGHT_MAX, &m->cpu_weight);
	return status;
}

static int
set_names(struct call *call, struct manifest *m, const struct args *a)
{
	struct error err;

	if (a->name != NULL) {
		if (name_check(a->name, &err) < 0)
			return usage(call, "name", &err);
		snprintf(m->name, sizeof(m->name), "%s", a->name);
	}
	for (size_t i = 0; i < a->labels.n; i++)
		if (label_set(m, a->labels.items[i].value, &err) < 0)
			return usage(call, "label", &err);
	return 0;
}

/* Everything that can be known to be wrong before anything is made. */
static int
describe(struct call *call, struct manifest *m, const struct args *a)
{
	int status;

	set_command(m, call);
	status = set_names(call, m, a);
	if (status == 0)
		status = set_size(call, m, a);
	if (status == 0)
		status = set_policies(call, m, a);
	if (status == 0)
		status = set_limits(call, m, a);
	if (status == 0)
		status = set_scope(call, m, a);
	if (status == 0)
		status = set_cwd(call, m, a->cwd);
	return status;
}

/* -A: whether an active session has the name already; then it is ours. */
static bool
is_there(struct handle *t, const char *name)
{
	struct manifest m;
	int dirfd = -1;
	bool there;

	manifest_init(&m);
	there = find_session(&t->home, name, 0, &m, &dirfd, NULL) == 0 &&
	    strcmp(m.name, name) == 0 && status_is_active(m.status);
	if (!there) {
		manifest_finish(&m);
		if (dirfd >= 0)
			close(dirfd);
		return false;
	}
	manifest_finish(&t->session);
	t->session = m;
	t->dirfd = dirfd;
	return true;
}

/* Another was faster and has the name; its session is about to be there. */
static bool
comes(struct handle *t, const char *name)
{
	const struct timespec pause = { .tv_nsec = COMES_PAUSE_MS * 1000000 };

	for (int ms = 0; ms < COMES_MS; ms += COMES_PAUSE_MS) {
		if (is_there(t, name))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* What is wrong, and what the one who typed it may have wanted. */
static int
fail(struct call *call, const struct args *a, int rc, const struct error *err)
{
	const char *program = call->target->session.command[0];
	auto_free char *quoted = NULL;
	struct error more;
	struct buf b;

	buf_init(&b, 4 * sizeof(more.msg));
	words_quote(program, &b);
	quoted = buf_take(&b);
	if (rc == -EEXIST && a->name != NULL && !a->attach_if_there)
		error_set(&more, EEXIST,
		    "%s; 'tend attach %s' goes to it, -A uses it", err->msg,
		    a->name);
	else if (call->out->failure_status == NOT_FOUND_STATUS &&
	    call->argc == 1 && strpbrk(program, " \t\n") != NULL)
		error_set(&more, -rc,
		    "%s; give its words apart, or use sh -c %s", err->msg,
		    quoted);
	else
		more = *err;
	return starting_fail(call, rc, &more);
}

static int
launch(struct call *call, const struct args *a)
{
	extern char **environ;
	auto_free const char **settings = opt_list_values(&a->env);
	struct error err = { 0 };
	char **env;
	int rc;

	env = environment_create(environ, settings, &err);
	if (env == NULL)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	rc = starting_launch(call, env, &err);
	environment_destroy(env);
	if (rc == 0 ||
	    (rc == -EEXIST && a->attach_if_there &&
		comes(call->target, a->name)))
		return 0;
	return fail(call, a, rc, &err);
}

/* Who begins to use a home should know what its disk cannot do. */
static void
note_disk(struct call *call)
{
	const struct home *h = &call->target->home;
	const char *advice = NULL;
	struct disk d;

	if (h->made && disk_look(h->fd, &d) == 0)
		advice = disk_advice(&d);
	if (advice != NULL)
		out_note(call->out, "%s is on %s: %s", h->path, d.kind, advice);
}

static int
check(struct call *call, const struct args *a)
{
	if (a->attach_if_there && a->name == NULL)
		return out_fail(call->out, FAIL_USAGE,
		    "-A needs a name to look for; give it with -n NAME");
	return starting_check(call, a->detached, a->nested);
}

/* What neither an option nor the environment says, the files may. */
static void
fill_from_config(const struct config *c, struct args *a)
{
	const struct {
		const char **field;
		enum config_key key;
	} fields[] = {
		{ &a->resize, CONFIG_RESIZE },
		{ &a->input, CONFIG_INPUT },
		{ &a->log_input, CONFIG_LOG_INPUT },
		{ &a->restart, CONFIG_RESTART },
		{ &a->max_log, CONFIG_MAX_LOG },
		{ &a->idle_timeout, CONFIG_IDLE_TIMEOUT },
		{ &a->linger, CONFIG_LINGER },
		{ &a->scrollback, CONFIG_SCROLLBACK },
		{ &a->memory, CONFIG_MEMORY },
		{ &a->pids, CONFIG_PIDS },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		*fields[i].field = config_or(c, fields[i].key,
		    *fields[i].field);
}

static int
run(struct call *call)
{
	struct args own = *(const struct args *)call->args;
	const struct args *a = &own;
	int status;

	fill_from_config(call->config, &own);

	status = check(call, a);
	if (status == 0)
		status = describe(call, &call->target->session, a);
	if (status == 0)
		status = target_open_home(call, true);
	if (status != 0)
		return status;
	note_disk(call);
	if (!a->attach_if_there || !is_there(call->target, a->name))
		status = launch(call, a);
	return status != 0 ? status :
			     starting_answer(call, a->detached, a->nested);
}

const struct cmd cmd_run = {
	.name = "run",
	.usage =
	    "[-d] [-n NAME] [-A] [-C DIR] [-e KEY=VALUE]... "
	    "[--size COLSxROWS]\n"
	    "            [--label KEY=VALUE]... [--] [COMMAND [ARGUMENT...]]",
	.summary = "start a program in a session, and attach to it",
	.details =
	    "Without COMMAND, $SHELL is started.  The session goes on when you\n"
	    "detach (C-] d) or the terminal is closed; 'tend attach' brings it\n"
	    "back.  Everything from COMMAND on belongs to the program.\n"
	    "\n"
	    "The exit status is the program's when it ends (128+n after a\n"
	    "signal), 0 after detaching, 127 when there is no such program, 126\n"
	    "when it cannot be run, 125 when tend itself fails.\n"
	    "\n"
	    "The log has what is typed, and of passwords only the length: those\n"
	    "read without echo, and those typed at a prompt with such words\n"
	    "(Password:, PIN:, Token:), also behind ssh.  A secret that is asked\n"
	    "for without words behind another terminal, or that is typed before\n"
	    "its prompt is shown, is logged unless --log-input says otherwise.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_READS_CONFIG,
	.before_program = true,
	.passes_status = true,
	.run = run,
};
