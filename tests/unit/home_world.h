#ifndef TEND_TESTS_UNIT_HOME_WORLD_H
#define TEND_TESTS_UNIT_HOME_WORLD_H

/*
 * A home with real sessions.  The first argument of a test is the tend that was
 * just built.  The test runs as a copy of itself beside the keeper and the
 * host, because sessions are started from the directory of the caller's
 * program.
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "home/fault.h"
#include "home/operation.h"
#include "home/report.h"
#include "op/ops.h"

#include "session_temp.h"

#define PROGRAM \
	"\"command\":[\"sh\",\"-c\",\"echo one; read x; echo two $x; exit 3\"]"
#define SHELL "\"command\":[\"sh\"],\"env\":{\"PS1\":\"ready> \",\"ENV\":\"\"}"

extern char **environ;

struct world {
	char temp[4096], home[4200];
};

/* The operations that succeeded in some test. */
static bool driven[OP_COUNT];

/* --------------------------------------------------------------- operating */

static inline int
operate(const struct world *w, const char *op, const char *session,
    const char *text, int cancel_fd, json_t **result, struct fault *f)
{
	auto_json json_t *args = json_loads(text, 0, NULL);
	struct operation o = { .op = op_find(op),
		.home = w->home,
		.session = session,
		.args = args,
		.environ = environ,
		.cancel_fd = cancel_fd,
		.granted = OP_EVERY_PERMISSION };
	struct report report;
	struct error err;
	int rc;

	assert_non_null(o.op);
	assert_non_null(args);
	if (op_take_arguments(o.op, args, &err) < 0)
		fail_msg("%s", err.msg);
	report_init(&report, NULL, NULL);
	rc = operation_run(&o, &report, result, f);
	report_finish(&report);
	return rc;
}

/* The result, checked against the table. */
static inline json_t *
does(const struct world *w, const char *op, const char *session,
    const char *args)
{
	json_t *result = NULL;
	struct fault f = { 0 };
	struct error err;

	if (operate(w, op, session, args, 0, &result, &f) < 0)
		fail_msg("%s %s: %s%s", op, args, f.argument, f.msg);
	if (op_check_result(op_find(op), result, &err) < 0)
		fail_msg("%s: %s", op, err.msg);
	driven[op_find(op) - ops] = true;
	return result;
}

static inline void
fails(const struct world *w, const char *op, const char *session,
    const char *args, enum failure failure, const char *words)
{
	json_t *result = NULL;
	struct fault f = { 0 };

	if (operate(w, op, session, args, 0, &result, &f) == 0)
		fail_msg("%s %s did not fail", op, args);
	assert_int_equal(f.failure, failure);
	if (strstr(f.msg, words) == NULL && strcmp(f.argument, words) != 0)
		fail_msg("%s: %s, not %s", f.argument, f.msg, words);
}

static inline const char *
text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	assert_non_null(text);
	return text;
}

/* The id of a new session; the caller frees it. */
static inline char *
create(const struct world *w, const char *args)
{
	auto_json json_t *session = does(w, "session.create", NULL, args);

	return xstrdup(text_of(session, "id"));
}

static inline void
wait_for(const struct world *w, const char *id, const char *condition)
{
	auto_json json_t *result = does(w, "session.wait", id, condition);

	assert_true(json_is_true(json_object_get(result, "matched")));
}

/* A session of PROGRAM that has ended. */
static inline char *
create_ended(const struct world *w, const char *more)
{
	char args[400], *id;

	snprintf(args, sizeof(args), "{" PROGRAM "%s}", more);
	id = create(w, args);
	wait_for(w, id, "{\"text\":\"one\"}");
	json_decref(does(w, "session.send", id,
	    "{\"input\":[{\"text\":\"x\"},{\"keys\":[\"Enter\"]}]}"));
	wait_for(w, id, "{\"exit\":true}");
	return id;
}

static inline size_t
count(const struct world *w, const char *args)
{
	auto_json json_t *list = does(w, "session.list", NULL, args);

	return json_array_size(json_object_get(list, "sessions"));
}

/* A host writes changes to session.json, which is listed, soon after. */
static inline void
wait_for_count(const struct world *w, const char *args, size_t n)
{
	for (unsigned i = 0; count(w, args) != n; i++)
		if (i > 10000)
			fail_msg("%s: not %zu sessions", args, n);
}

static inline int
set_up(void **state)
{
	struct world *w = xcalloc(1, sizeof(*w));

	temp_make(w->temp);
	snprintf(w->home, sizeof(w->home), "%s/home", w->temp);
	setenv("XDG_STATE_HOME", w->temp, 1);
	setenv("XDG_CONFIG_HOME", w->temp, 1);
	*state = w;
	return 0;
}

/* Purging a session waits until its host has ended. */
static inline void
end(const struct world *w, const json_t *session)
{
	const char *id = text_of(session, "id");

	if (strcmp(text_of(session, "status"), "running") == 0)
		json_decref(does(w, "session.kill", id, "{}"));
	json_decref(does(w, "session.destroy", id, "{\"purge\":true}"));
}

static inline int
tear_down(void **state)
{
	struct world *w = *state;
	auto_json json_t *list = does(w, "session.list", NULL,
	    "{\"all\":true}");
	const json_t *session;
	size_t i;

	json_array_foreach(json_object_get(list, "sessions"), i, session)
	{
		end(w, session);
	}
	assert_int_equal(count(w, "{\"all\":true}"), 0);
	temp_remove(w->temp);
	free(w);
	return 0;
}

static inline int64_t
host_of(const struct world *w, const char *id)
{
	auto_json json_t *s = does(w, "session.get", id, "{}");

	return json_integer_value(json_object_get(s, "host_pid"));
}

/* -------------------------------------------------- beside keeper and host */

static inline void
copy_self(const char *path)
{
	auto_close int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	auto_close int to = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0700);
	char part[65536];
	ssize_t n;

	while ((n = read(from, part, sizeof(part))) > 0)
		if (fd_write_all(to, part, (size_t)n) < 0)
			abort();
}

static inline void
link_program(const char *dir, const char *tend, const char *name)
{
	auto_free char *copy = xstrdup(tend);
	char from[8192], to[8192];

	snprintf(from, sizeof(from), "%s/%s", dirname(copy), name);
	snprintf(to, sizeof(to), "%s/%s", dir, name);
	if (symlink(from, to) < 0)
		abort();
}

/* For main: run the tests in a copy of this program. */
static inline int
run_beside(int argc, char **argv, int (*run_all)(void))
{
	char dir[4096], path[8192], real[PATH_MAX];
	int status = -1;
	pid_t pid;

	if (argc < 2)
		return run_all();
	if (realpath(argv[1], real) == NULL)
		abort();
	temp_make(dir);
	snprintf(path, sizeof(path), "%s/tend", dir);
	copy_self(path);
	link_program(dir, real, "tend-keeper");
	link_program(dir, real, "tend-host");
	pid = fork();
	if (pid == 0) {
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	temp_remove(dir);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

#endif
