#include "cmd/mcp/mcp_words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "mcp/server.h"
#include "mcp/tool.h"

#define COLS 80
#define ROWS 24

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
	uint64_t offset = op_number(args, "offset", 0);

	add(w, "--text");
	if (since > 0)
		add(w, "--from=%" PRIu64, since + 1);
	else if (offset > 0)
		add(w, "--from=@%" PRIu64, offset);
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

char **
mcp_words(const struct mcp_call *call, const char *home)
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

void
mcp_words_free(char **words)
{
	for (char **word = words; *word != NULL; word++)
		free(*word);
	free(words);
}

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

int
mcp_words_check(const struct mcp_call *call, struct error *err)
{
	const char *name;
	json_t *v;
	int rc = 0;

	if (call->tool->op == &ops[OP_ID_session_output] &&
	    op_number(call->args, "since", 0) > 0 &&
	    op_number(call->args, "offset", 0) > 0)
		return error_set(err, EINVAL,
		    "%s: give one of 'since' and 'offset'",
		    call->tool->op->name);
	json_object_foreach(call->args, name, v)
	{
		if (rc == 0 && strcmp(name, MCP_WORDS_INPUT) != 0)
			rc = check_argument(call->tool->op, name, v, err);
	}
	return rc;
}
