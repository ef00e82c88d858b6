#include "home/create.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "home/config.h"
#include "home/environment.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/label.h"
#include "home/pairs.h"
#include "home/permit.h"
#include "home/report.h"
#include "home/start.h"
#include "home/units.h"
#include "home/words.h"
#include "op/ops.h"
#include "session/disk.h"
#include "session/find.h"
#include "session/grant.h"

#define NOT_FOUND_STATUS 127 /* the program does not exist */
#define DEFAULT_MAX_LOG (256ull << 20)
#define MIN_MAX_LOG (8ull << 20) /* two segments */
#define MIN_MEMORY (1ull << 20)
#define PIDS_MAX (4u << 20) /* limit of the kernel */
#define WEIGHT_MAX 10000    /* limit of the kernel */
#define DEFAULT_LINGER_MS 10000
#define COMES_MS 5000
#define COMES_PAUSE_MS 5
#define DURATION_MAX_S (365u * 24 * 60 * 60)
#define PASSWD_SIZE 4096

/* ------------------------------------------------------------- the request */

/* The user's shell, used without a command. */
static char *
user_shell(void)
{
	const char *name = getenv("SHELL");
	struct passwd pw, *found = NULL;
	char text[PASSWD_SIZE];

	if (name != NULL && name[0] == '/')
		return xstrdup(name);
	if (getpwuid_r(getuid(), &pw, text, sizeof(text), &found) == 0 &&
	    found != NULL && pw.pw_shell != NULL && pw.pw_shell[0] == '/')
		return xstrdup(pw.pw_shell);
	return xstrdup("/bin/sh");
}

static void
set_command(struct manifest *m, char *const *command)
{
	size_t n = 0;

	while (command != NULL && command[n] != NULL)
		n++;
	m->command = xcalloc((n > 0 ? n : 1) + 1, sizeof(*m->command));
	if (n == 0)
		m->command[0] = user_shell();
	for (size_t i = 0; i < n; i++)
		m->command[i] = xstrdup(command[i]);
}

/* The directory must exist, and the caller must be able to enter it. */
static int
set_cwd(struct manifest *m, const char *dir, struct fault *f)
{
	char *path = realpath(dir != NULL ? dir : ".", NULL);
	auto_close int fd = path == NULL ?
	    -1 :
	    open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0) {
		fault_set(f, fault_shortage(errno, FAIL_INPUT),
		    "cannot run in %s: %s",
		    dir != NULL ? dir : "the current directory",
		    strerror(errno));
		if (f->failure == FAIL_INPUT)
			snprintf(f->argument, sizeof(f->argument), "cwd");
		free(path);
		return -1;
	}
	m->cwd = path;
	return 0;
}

static int
set_policies(struct manifest *m, const struct create *q, struct fault *f)
{
	struct error err;

	if (q->input != NULL &&
	    input_policy_parse(q->input, &m->input, &err) < 0)
		return fault_argument(f, "input", ": %s", err.msg);
	if (q->resize != NULL &&
	    size_policy_parse(q->resize, &m->size, &err) < 0)
		return fault_argument(f, "resize", ": %s", err.msg);
	if (q->log_input != NULL &&
	    log_input_parse(q->log_input, &m->log_input, &err) < 0)
		return fault_argument(f, "log_input", ": %s", err.msg);
	if (q->restart != NULL &&
	    restart_policy_parse(q->restart, &m->restart, &err) < 0)
		return fault_argument(f, "restart", ": %s", err.msg);
	m->durable = q->durable;
	m->forget_env = q->forget_env;
	m->no_integration = q->no_integration;
	return 0;
}

static int
take_duration(const char *s, uint64_t *ms, struct error *err)
{
	uint64_t ns;
	int rc = units_duration_with_unit(s, &ns, err);

	if (rc < 0)
		return rc;
	if (ns / 1000000000 > DURATION_MAX_S)
		return error_set(err, EINVAL, "the maximum is a year");
	*ms = ns / 1000000;
	return 0;
}

static int
take_count(const char *name, const char *text, uint64_t max, uint32_t *out,
    struct fault *f)
{
	uint64_t n;

	if (text == NULL)
		return 0;
	if (!units_number(text, max, &n) || n == 0)
		return fault_argument(f, name,
		    " %.40s: give a number from 1 to %" PRIu64, text, max);
	*out = (uint32_t)n;
	return 0;
}

static int
set_log(struct manifest *m, const struct create *q, struct fault *f)
{
	struct error err;

	m->max_log = DEFAULT_MAX_LOG;
	if (q->max_log != NULL &&
	    units_amount(q->max_log, &m->max_log, &err) < 0)
		return fault_argument(f, "max_log",
		    " %.40s: give a size with a unit, as in 64M or 5G; the "
		    "minimum is 8M",
		    q->max_log);
	if (m->max_log < MIN_MAX_LOG)
		return fault_argument(f, "max_log",
		    " %s is too small; the minimum is 8M", q->max_log);
	return 0;
}

static int
set_times(struct manifest *m, const struct create *q, struct fault *f)
{
	uint64_t ms = 0;
	struct error err;

	m->linger_ms = DEFAULT_LINGER_MS;
	if (q->idle_timeout != NULL) {
		if (take_duration(q->idle_timeout, &ms, &err) < 0)
			return fault_argument(f, "idle_timeout", ": %s",
			    err.msg);
		/* Round up to whole seconds, since 0 means never. */
		m->idle_timeout_s = (uint32_t)((ms + 999) / 1000);
		if (ms == 0)
			return fault_argument(f, "idle_timeout",
			    " %s would stop the session at once",
			    q->idle_timeout);
	}
	if (q->linger_output != NULL) {
		if (take_duration(q->linger_output, &ms, &err) < 0)
			return fault_argument(f, "linger_output", ": %s",
			    err.msg);
		m->linger_ms = ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
	}
	return take_count("scrollback", q->scrollback, MANIFEST_SCROLLBACK_MAX,
	    &m->scrollback, f);
}

/* The limits that the session's cgroup enforces. */
static int
set_scope(struct manifest *m, const struct create *q, struct fault *f)
{
	struct error err;

	if (q->memory != NULL &&
	    units_amount(q->memory, &m->memory_max, &err) < 0)
		return fault_argument(f, "memory", ": %s", err.msg);
	if (q->memory != NULL && m->memory_max < MIN_MEMORY)
		return fault_argument(f, "memory",
		    " %s is too small; the minimum is 1M", q->memory);
	if (take_count("pids", q->pids, PIDS_MAX, &m->pids_max, f) < 0)
		return -1;
	return take_count("cpu_weight", q->cpu_weight, WEIGHT_MAX,
	    &m->cpu_weight, f);
}

static int
set_names(struct manifest *m, const struct create *q, struct fault *f)
{
	struct error err;

	if (q->name != NULL) {
		if (name_check(q->name, &err) < 0)
			return fault_argument(f, "name", ": %s", err.msg);
		snprintf(m->name, sizeof(m->name), "%s", q->name);
	}
	for (const char *const *l = q->labels; l != NULL && *l != NULL; l++)
		if (label_add(m, *l, &err) < 0)
			return fault_argument(f, "labels", ": %s", err.msg);
	return 0;
}

/* launch_session compares the grants with those of the surrounding session. */
static int
set_confinement(struct manifest *m, const struct create *q, struct fault *f)
{
	struct error err;
	struct grant g;
	size_t n = 0;

	for (; q->may != NULL && q->may[n] != NULL; n++)
		if (grant_parse(q->may[n], &g, &err) < 0)
			return fault_argument(f, "may", ": %s", err.msg);
	if (n > GRANTS_MAX)
		return fault_argument(f, "may",
		    ": a session has at most %d grants", GRANTS_MAX);
	m->confined = q->confined || n > 0;
	manifest_set_list(&m->may, q->may, n);
	return 0;
}

/* The configuration file supplies values that the request lacks. */
static struct create
with_settings(const struct create *q, const struct config *c)
{
	struct create own = *q;
	const struct {
		const char **field;
		enum config_key key;
	} fields[] = {
		{ &own.resize, CONFIG_RESIZE },
		{ &own.input, CONFIG_INPUT },
		{ &own.log_input, CONFIG_LOG_INPUT },
		{ &own.restart, CONFIG_RESTART },
		{ &own.max_log, CONFIG_MAX_LOG },
		{ &own.idle_timeout, CONFIG_IDLE_TIMEOUT },
		{ &own.linger_output, CONFIG_LINGER },
		{ &own.scrollback, CONFIG_SCROLLBACK },
		{ &own.memory, CONFIG_MEMORY },
		{ &own.pids, CONFIG_PIDS },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		*fields[i].field = config_or(c, fields[i].key,
		    *fields[i].field);
	return own;
}

static int
set_size(struct manifest *m, const struct create *q, struct fault *f)
{
	unsigned cols = q->cols > 0 ? q->cols : CREATE_COLS;
	unsigned rows = q->rows > 0 ? q->rows : CREATE_ROWS;
	struct error err;
	char text[32];

	snprintf(text, sizeof(text), "%ux%u", cols, rows);
	if (units_dims(text, &cols, &rows, &err) < 0)
		return fault_argument(f, "cols", " and 'rows': %s", err.msg);
	m->cols = (uint16_t)cols;
	m->rows = (uint16_t)rows;
	return 0;
}

/* Find every error that can be found before anything is created. */
static int
describe(struct manifest *m, const struct create *q, const struct config *c,
    struct fault *f)
{
	const struct create own = with_settings(q, c);

	set_command(m, q->command);
	if (set_names(m, &own, f) < 0 || set_size(m, q, f) < 0 ||
	    set_policies(m, &own, f) < 0 || set_log(m, &own, f) < 0 ||
	    set_times(m, &own, f) < 0 || set_scope(m, &own, f) < 0 ||
	    set_confinement(m, &own, f) < 0)
		return -1;
	return set_cwd(m, own.cwd, f);
}

/* ----------------------------------------------------- an existing session */

/* True if an active session already has the name; the handle then has it. */
static bool
is_there(struct handle *h, const char *name)
{
	struct manifest m;
	int dirfd = -1;
	struct fault f;
	bool there;

	manifest_init(&m);
	there = find_session(&h->home, name, 0, &m, &dirfd, NULL) == 0 &&
	    strcmp(m.name, name) == 0 && status_is_active(m.status) &&
	    permit_find(&h->home, &m, &f) == 0;
	if (!there) {
		manifest_finish(&m);
		fd_close(&dirfd);
		return false;
	}
	manifest_finish(&h->session);
	h->session = m;
	h->dirfd = dirfd;
	return true;
}

/* Another caller took the name first; its session is starting. */
static bool
comes(struct handle *h, const char *name)
{
	for (int ms = 0; ms < COMES_MS; ms += COMES_PAUSE_MS) {
		if (is_there(h, name))
			return true;
		(void)poll(NULL, 0, COMES_PAUSE_MS);
	}
	return false;
}

/* ---------------------------------------------------------------- starting */

/* A whole command line as one word is a common mistake. */
static void
explain(const struct handle *h, struct fault *f)
{
	char *const *command = h->session.command;
	char why[sizeof(f->msg)];
	auto_free char *quoted = NULL;
	struct buf b;

	if (f->status != NOT_FOUND_STATUS || command[1] != NULL ||
	    strpbrk(command[0], " \t\n") == NULL)
		return;
	buf_init(&b, sizeof(f->msg));
	words_quote(command[0], &b);
	quoted = buf_take(&b);
	memcpy(why, f->msg, sizeof(why));
	snprintf(f->msg, sizeof(f->msg),
	    "%.4000s; give the arguments separately, or use sh -c "
	    "%.2000s",
	    why, quoted);
}

static int
start(struct handle *h, const struct create *q, const struct config *c,
    struct report *r, struct fault *f)
{
	struct error err = { 0 };
	char **env;
	int rc;

	env = environment_create(q->from, q->env, &err);
	if (env == NULL)
		return fault_argument(f, "env", " %s", err.msg);
	rc = start_session(h, env, c, r, f);
	mem_free_list(env);
	if (rc == 0 ||
	    (f->failure == FAIL_EXISTS && q->reuse && comes(h, q->name)))
		return 0;
	explain(h, f);
	return -1;
}

/* Tell a new user of a home about the limits of its disk. */
static void
note_disk(const struct home *h, struct report *r)
{
	const char *advice = NULL;
	struct disk d;

	if (h->made && disk_look(h->fd, &d) == 0)
		advice = disk_advice(&d);
	if (advice != NULL)
		report_note(r, "%s is on %s: %s", h->path, d.kind, advice);
}

int
create_session(struct handle *h, const struct create *q, const struct config *c,
    struct report *r, struct fault *f)
{
	if (describe(&h->session, q, c, f) < 0 ||
	    handle_open_home(h, true, f) < 0)
		return -1;
	note_disk(&h->home, r);
	if (q->reuse && is_there(h, q->name))
		return 0;
	return start(h, q, c, r, f);
}

/* -------------------------------------------------------------------- JSON */

/* The texts of a request that have the same name as their argument. */
struct texts {
	struct create *to;
	char numbers[8][24]; /* arguments given as numbers */
	size_t n;
};

static const char *
text_of(struct texts *t, const json_t *args, const char *name, const char *unit)
{
	const json_t *v = json_object_get(args, name);
	char ms[FAULT_ARGUMENT_SIZE + 4];

	if (json_is_string(v))
		return json_string_value(v);
	if (v == NULL) { /* op_take_arguments has parsed a duration */
		snprintf(ms, sizeof(ms), "%s_ms", name);
		v = json_object_get(args, ms);
		unit = "ms";
	}
	if (!json_is_integer(v) ||
	    t->n == sizeof(t->numbers) / sizeof(*t->numbers))
		return NULL;
	snprintf(t->numbers[t->n], sizeof(*t->numbers), "%" PRId64 "%s",
	    (int64_t)json_integer_value(v), unit);
	return t->numbers[t->n++];
}

static void
read_texts(struct texts *t, const json_t *args)
{
	struct create *q = t->to;
	const struct {
		const char **field;
		const char *name, *unit; /* for a number */
	} fields[] = {
		{ &q->name, "name", "" },
		{ &q->cwd, "cwd", "" },
		{ &q->input, "input", "" },
		{ &q->resize, "resize", "" },
		{ &q->log_input, "log_input", "" },
		{ &q->restart, "restart", "" },
		{ &q->max_log, "max_log", "B" },
		{ &q->idle_timeout, "idle_timeout", "" },
		{ &q->linger_output, "linger_output", "" },
		{ &q->scrollback, "scrollback", "" },
		{ &q->memory, "memory", "B" },
		{ &q->pids, "pids", "" },
		{ &q->cpu_weight, "cpu_weight", "" },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		*fields[i].field = text_of(t, args, fields[i].name,
		    fields[i].unit);
}

int
create_from_json(struct handle *h, const json_t *args, char *const *from,
    const struct config *c, struct report *r, struct fault *f)
{
	char **command = NULL, **env = NULL, **labels = NULL, **may = NULL;
	struct create q = {
		.from = from,
		.cols = (unsigned)op_number(args, "cols", 0),
		.rows = (unsigned)op_number(args, "rows", 0),
		.durable = op_bool(args, "durable", false),
		.forget_env = op_bool(args, "forget_env", false),
		.no_integration = op_bool(args, "no_integration", false),
		.confined = op_bool(args, "confined", false),
		.reuse = op_bool(args, "reuse", false),
	};
	struct texts t = { .to = &q };
	int rc = -1;

	read_texts(&t, args);
	if (q.reuse && q.name == NULL)
		return fault_argument(f, "reuse", " needs a name");
	if (pairs_of_array(args, "command", &command, f) == 0 &&
	    pairs_of_object(args, "env", &env, f) == 0 &&
	    pairs_of_object(args, "labels", &labels, f) == 0 &&
	    pairs_of_array(args, "may", &may, f) == 0) {
		q.command = command;
		q.env = (const char *const *)env;
		q.labels = (const char *const *)labels;
		q.may = (const char *const *)may;
		rc = create_session(h, &q, c, r, f);
	}
	pairs_free(command);
	pairs_free(env);
	pairs_free(labels);
	pairs_free(may);
	return rc;
}
