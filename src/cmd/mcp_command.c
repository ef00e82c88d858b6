#include "cmd/mcp_command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "mcp/result.h"
#include "mcp/server.h"
#include "mcp/tool.h"

#define ANSWER_MAX (32u << 20)
#define READ_SIZE (64u << 10)
#define TEXT_KEPT (2 * RESULT_TEXT_MAX) /* the end of a log that is longer */
#define OPTION_SIZE 40
#define COLS 80
#define ROWS 24

/* ------------------------------------------------------------------ words */

struct words {
	char **items;
	size_t n;
};

static void add(struct words *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
add(struct words *w, const char *fmt, ...)
{
	va_list ap;

	w->items = xrealloc(w->items, w->n + 2, sizeof(*w->items));
	va_start(ap, fmt);
	if (vasprintf(&w->items[w->n], fmt, ap) < 0)
		abort();
	va_end(ap);
	w->items[++w->n] = NULL;
}

/* --name of an argument, as commands spell it, with its value behind `=`. */
static void
add_option(struct words *w, const char *name, const char *value)
{
	size_t len = strlen(name), from = w->n;

	add(w, "--%s%s%s", name, value != NULL ? "=" : "",
	    value != NULL ? value : "");
	for (char *p = w->items[from]; p < w->items[from] + 2 + len; p++)
		if (*p == '_')
			*p = '-';
}

/* A number of milliseconds is a duration there: stable_ms is --stable. */
static void
add_number(struct words *w, const char *name, json_int_t n)
{
	size_t len = strlen(name);
	char value[32], base[32];

	if (len > 3 && strcmp(name + len - 3, "_ms") == 0) {
		snprintf(base, sizeof(base), "%.*s", (int)(len - 3), name);
		snprintf(value, sizeof(value), "%" PRId64 "ms", (int64_t)n);
		add_option(w, base, value);
	} else {
		snprintf(value, sizeof(value), "%" PRId64, (int64_t)n);
		add_option(w, name, value);
	}
}

/* KEY=VALUE for each. */
static void
add_pairs(struct words *w, const char *name, const json_t *object)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)object, key, v)
	{
		add(w, "--%s=%s=%s", name, key, json_string_value(v));
	}
}

static void
add_argument(struct words *w, const char *name, const json_t *v)
{
	if (json_is_true(v))
		add_option(w, name, NULL);
	else if (json_is_string(v))
		add_option(w, name, json_string_value(v));
	else if (json_is_integer(v))
		add_number(w, name, json_integer_value(v));
}

/* An operation's arguments are its command's options. */
static void
add_arguments(struct words *w, const json_t *args)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)args, name, v)
	{
		add_argument(w, name, v);
	}
}

static void
words_of_create(struct words *w, const json_t *args)
{
	const json_t *command = json_object_get(args, "command"), *word;
	size_t i;

	add(w, "--detach");
	add_argument(w, "name", json_object_get(args, "name"));
	add_argument(w, "cwd", json_object_get(args, "cwd"));
	add_pairs(w, "env", json_object_get(args, "env"));
	add_pairs(w, "label", json_object_get(args, "labels"));
	add(w, "--size=%" PRIu64 "x%" PRIu64, op_number(args, "cols", COLS),
	    op_number(args, "rows", ROWS));
	add(w, "--");
	json_array_foreach(command, i, word)
	{
		add(w, "%s", json_string_value(word));
	}
}

/* The steps are read from standard input. */
static void
words_of_batch(struct words *w, const json_t *args)
{
	add_argument(w, "keep_going", json_object_get(args, "keep_going"));
}

static void
words_of_list(struct words *w, const json_t *args)
{
	add_argument(w, "all", json_object_get(args, "all"));
	add_pairs(w, "label", json_object_get(args, "labels"));
}

static void
words_of_output(struct words *w, const json_t *args)
{
	uint64_t since = op_number(args, "since", 0);

	add(w, "--text");
	if (since > 0)
		add(w, "--from=%" PRIu64, since + 1);
}

/* Those whose options are not the arguments by name. */
static const struct {
	enum op_id op;
	void (*put)(struct words *w, const json_t *args);
} special[] = {
	{ OP_ID_session_batch, words_of_batch },
	{ OP_ID_session_create, words_of_create },
	{ OP_ID_session_list, words_of_list },
	{ OP_ID_session_output, words_of_output },
};

static char **
words_of(const struct mcp_call *call, const char *home)
{
	void (*put)(struct words *, const json_t *) = add_arguments;
	struct words w = { 0 };

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (&ops[special[i].op] == call->tool->op)
			put = special[i].put;
	add(&w, "tend");
	add(&w, "%s", call->tool->command);
	add(&w, "--home=%s", home);
	add(&w, "--json");
	put(&w, call->args);
	if (call->session != NULL) {
		add(&w, "--");
		add(&w, "%s", call->session);
	}
	return w.items;
}

static void
free_words(char **words)
{
	for (char **word = words; *word != NULL; word++)
		free(*word);
	free(words);
}

#define INPUT "steps" /* what is no word, but read as standard input */

/* Words of a command line are texts, all of them. */
static int
check_argument(const struct op *op, const char *name, const json_t *v,
    struct error *err)
{
	const char *key;
	json_t *item;
	size_t i;

	json_array_foreach(v, i, item)
	{
		if (!json_is_string(item))
			return error_set(err, EINVAL,
			    "%s: '%s' must be an array of strings", op->name,
			    name);
	}
	json_object_foreach((json_t *)v, key, item)
	{
		if (!json_is_string(item))
			return error_set(err, EINVAL,
			    "%s: '%s' must be an object of strings", op->name,
			    name);
		/* KEY=VALUE would be read as another. */
		if (key[0] == '\0' || strchr(key, '=') != NULL)
			return error_set(err, EINVAL,
			    "%s: '%s' must have keys that are not empty and "
			    "have no =, not '%.40s'",
			    op->name, name, key);
	}
	return 0;
}

static int
check_arguments(const struct mcp_call *call, struct error *err)
{
	const char *name;
	json_t *v;
	int rc = 0;

	json_object_foreach(call->args, name, v)
	{
		if (rc == 0 && strcmp(name, INPUT) != 0)
			rc = check_argument(call->tool->op, name, v, err);
	}
	return rc;
}

/* ---------------------------------------------------------------- running */

void
mcp_command_init(struct mcp_command *c)
{
	memset(c, 0, sizeof(*c));
	c->out = c->errors = -1;
	buf_init(&c->buf, ANSWER_MAX);
}

/* A file to be read as standard input; or -errno. */
static int
open_input(const struct mcp_call *call)
{
	const json_t *input = json_object_get(call->args, INPUT);
	auto_free char *text = input != NULL ? json_dumps(input, JSON_COMPACT) :
					       NULL;
	auto_close int fd = text != NULL ?
	    memfd_create("input", MFD_CLOEXEC) :
	    open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (text != NULL &&
	    (fd_write_all(fd, text, strlen(text)) < 0 ||
		lseek(fd, 0, SEEK_SET) < 0))
		return -EIO;
	return fd_take(&fd);
}

static int
spawn(struct mcp_command *c, char **words, int in, int out)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	extern char **environ;
	sigset_t none;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_adddup2(&files, c->errors, 2);
	/* We catch signals; it does as it likes. */
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawn(&c->pid, "/proc/self/exe", &files, &attributes, words,
	    environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	if (rc != 0)
		c->pid = 0;
	return -rc;
}

static int
cannot_run(const struct mcp_call *call, int errnum, struct error *err)
{
	return error_set(err, errnum, "cannot run tend %s: %s",
	    call->tool->command, strerror(errnum));
}

int
mcp_command_start(struct mcp_command *c, const struct mcp_call *call,
    const char *home, struct error *err)
{
	auto_close int in = -1;
	char **words;
	int fds[2], rc = check_arguments(call, err);

	if (rc < 0)
		return rc;
	c->op = call->tool->op;
	c->goes_on = !(call->tool->hints & (TOOL_READS | TOOL_STOPS));
	c->is_text = call->tool->op == &ops[OP_ID_session_output];
	c->errors = memfd_create("errors", MFD_CLOEXEC);
	in = open_input(call);
	if (c->errors < 0 || in < 0 || pipe2(fds, O_CLOEXEC) < 0)
		return cannot_run(call, errno, err);
	c->out = fds[0];
	words = words_of(call, home);
	rc = spawn(c, words, in, fds[1]);
	free_words(words);
	close(fds[1]);
	return rc < 0 ? cannot_run(call, -rc, err) : 0;
}

/* ----------------------------------------------------------------- answer */

/* The argument that an option of the command stands for, by add_option. */
static bool
find_argument(const struct op *op, const char *option, size_t len,
    char out[OPTION_SIZE])
{
	static const char *const ends[] = { "", "_ms", "s" };
	struct op_argument a;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(out, OPTION_SIZE, "%.*s%s", (int)len, option, ends[i]);
		for (char *p = out; *p != '\0'; p++)
			if (*p == '-')
				*p = '_';
		if (op_find_argument(op, out, &a))
			return true;
	}
	snprintf(out, OPTION_SIZE, "cols' and 'rows");
	return len == strlen("size") && strncmp(option, "size", len) == 0;
}

/* Why it failed, with the caller's words for the command's. */
static int
fail(const struct mcp_command *c, const char *why, struct error *err)
{
	char name[OPTION_SIZE];
	struct buf b;
	int rc;

	buf_init(&b, sizeof(err->msg) - 1);
	while (*why != '\0') {
		bool is_option = strncmp(why, "--", 2) == 0;
		size_t len = is_option ? strcspn(why + 2, " =:;,") : 0;

		if (is_option && find_argument(c->op, why + 2, len, name)) {
			buf_printf(&b, "'%s'", name);
			why += 2 + len;
		} else {
			buf_putc(&b, *why++);
		}
	}
	rc = error_set(err, EREMOTEIO, "%.*s", (int)b.len,
	    (const char *)b.data);
	buf_finish(&b);
	return rc;
}

/* Its complaint, without "tend log: " and the newline. */
static int
complaint(const struct mcp_command *c, struct error *err)
{
	char text[512];
	ssize_t n = pread(c->errors, text, sizeof(text) - 1, 0);
	const char *colon;

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	colon = strncmp(text, "tend", 4) == 0 ? strstr(text, ": ") : NULL;
	return fail(c,
	    colon != NULL       ? colon + 2 :
		text[0] != '\0' ? text :
				  "it failed and did not say why",
	    err);
}

/* The envelope of --json; a list gets a name. */
static int
read_json(const struct mcp_command *c, json_t **value, struct error *err)
{
	auto_json json_t *tree = json_tree_object((const char *)c->buf.data,
	    c->buf.len, NULL);
	json_t *result = json_object_get(tree, "result");
	const char *why = json_string_value(
	    json_object_get(json_object_get(tree, "error"), "message"));

	if (why != NULL)
		return fail(c, why, err);
	if (result == NULL)
		return complaint(c, err);
	*value = json_is_array(result) ?
	    json_pack("{s:O}", "sessions", result) :
	    json_incref(result);
	return 1;
}

static int
read_text(const struct mcp_command *c, int status, json_t **value,
    struct error *err)
{
	if (status != 0)
		return read_json(c, value, err);
	*value = json_pack("{s:o, s:b}", "text",
	    json_stringn(c->buf.len > 0 ? (const char *)c->buf.data : "",
		c->buf.len),
	    "truncated", c->truncated);
	return *value != NULL ? 1 : error_set(err, EPROTO, "it wrote no text");
}

static int
end(struct mcp_command *c, json_t **value, struct error *err)
{
	int status = 0;

	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	c->pid = 0;
	if (c->buf.full)
		return error_set(err, EFBIG,
		    "the answer is too large; ask for less");
	return c->is_text ? read_text(c, status, value, err) :
			    read_json(c, value, err);
}

int
mcp_command_read(struct mcp_command *c, json_t **value, struct error *err)
{
	char part[READ_SIZE];
	ssize_t n = read(c->out, part, sizeof(part));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0)
		return end(c, value, err);
	(void)buf_append(&c->buf, part, (size_t)n);
	if (c->is_text && c->buf.len > TEXT_KEPT) {
		buf_consume(&c->buf, c->buf.len - TEXT_KEPT);
		c->truncated = true;
	}
	return 0;
}

void
mcp_command_stop(struct mcp_command *c)
{
	if (c->pid > 0)
		kill(c->pid, SIGTERM);
}

void
mcp_command_finish(struct mcp_command *c)
{
	if (!c->goes_on)
		mcp_command_stop(c);
	fd_close(&c->out);
	fd_close(&c->errors);
	buf_finish(&c->buf);
}
