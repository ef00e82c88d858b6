#include "cmd/line/opt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "home/suggest.h"

#define HELP_COLUMN 24

/* The state of parsing the arguments. */
struct reading {
	const struct opt_set *sets;
	size_t n;
	char **argv;
	int argc, at;
	int operands; /* argv[0..operands) are kept */
};

static bool
is_called(const struct opt *o, const char *name, size_t len, char letter)
{
	if (name == NULL)
		return o->letter == letter;
	return strlen(o->name) == len && strncmp(o->name, name, len) == 0;
}

/* Find an option by name, or by letter if name is NULL, and its field. */
static const struct opt *
find(const struct reading *r, const char *name, size_t len, char letter,
    void **field)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct opt *o = r->sets[i].opts;

		for (; o != NULL && o->name != NULL; o++)
			if (is_called(o, name, len, letter)) {
				*field = (char *)r->sets[i].into + o->offset;
				return o;
			}
	}
	return NULL;
}

static void
add_to_list(struct opt_list *list, const struct opt *o, const char *value)
{
	list->items = xrealloc(list->items, list->n + 1, sizeof(*list->items));
	list->items[list->n++] = (struct opt_item){ o, value };
}

/* Fill the field.  If `value` is NULL, use the next argument. */
static int
fill(struct reading *r, const struct opt *o, void *field, const char *value,
    struct error *err)
{
	if (o->arg == NULL) {
		*(bool *)field = true;
		return 0;
	}
	if (value == NULL && r->at < r->argc)
		value = r->argv[r->at++];
	if (value == NULL)
		return error_set(err, EINVAL, "option --%s needs a value: %s",
		    o->name, o->arg);
	if (o->is_list)
		add_to_list(field, o, value);
	else
		*(const char **)field = value;
	return 0;
}

static int
unknown(const struct reading *r, const char *name, size_t len,
    struct error *err)
{
	auto_free char *word = xmemdup(name, len + 1);
	struct suggest near;

	word[len] = '\0';
	suggest_init(&near, word);
	for (size_t i = 0; i < r->n; i++) {
		const struct opt *o = r->sets[i].opts;

		for (; o != NULL && o->name != NULL; o++)
			suggest_look(&near, o->name);
	}
	if (near.best[0] != '\0')
		return error_set(err, EINVAL,
		    "unknown option --%.100s (did you mean --%s?)", word,
		    near.best);
	return error_set(err, EINVAL, "unknown option --%.100s", word);
}

static int
read_long(struct reading *r, const char *name, struct error *err)
{
	size_t len = strcspn(name, "=");
	const char *value = name[len] == '=' ? name + len + 1 : NULL;
	const struct opt *o;
	void *field;

	o = find(r, name, len, 0, &field);
	if (o == NULL)
		return unknown(r, name, len, err);
	if (value != NULL && o->arg == NULL)
		return error_set(err, EINVAL, "option --%s takes no value",
		    o->name);
	return fill(r, o, field, value, err);
}

static int
read_letters(struct reading *r, const char *letters, struct error *err)
{
	const struct opt *o;
	void *field;
	int result = 0;

	while (result == 0 && *letters != '\0') {
		o = find(r, NULL, 0, *letters, &field);
		if (o == NULL)
			return error_set(err, EINVAL, "unknown option -%c",
			    *letters);
		letters++;
		if (o->arg != NULL && *letters != '\0')
			return fill(r, o, field, letters, err);
		result = fill(r, o, field, NULL, err);
	}
	return result;
}

int
opt_parse(const struct opt_set *sets, size_t n, unsigned flags,
    struct opt_words *words, struct error *err)
{
	struct reading r = { sets, n, words->argv, words->argc, 0, 0 };
	bool options = true;
	int result = 0;

	words->before_dashes = -1;
	while (result == 0 && r.at < r.argc) {
		char *arg = r.argv[r.at++];

		if (!options || arg[0] != '-' || arg[1] == '\0') {
			r.argv[r.operands++] = arg;
			if (flags & OPT_STOP_AT_OPERAND)
				options = false;
		} else if (strcmp(arg, "--") == 0) {
			words->before_dashes = r.operands;
			options = false;
		} else if (arg[1] == '-') {
			result = read_long(&r, arg + 2, err);
		} else {
			result = read_letters(&r, arg + 1, err);
		}
	}
	words->argc = r.operands;
	return result;
}

void
opt_finish(const struct opt_set *sets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct opt *o = sets[i].opts;

		for (; o != NULL && o->name != NULL; o++) {
			struct opt_list *list;

			if (!o->is_list)
				continue;
			list = (void *)((char *)sets[i].into + o->offset);
			free(list->items);
			*list = (struct opt_list){ 0 };
		}
	}
}

void
opt_help(const struct opt *opts, struct buf *out)
{
	for (const struct opt *o = opts; o != NULL && o->name != NULL; o++) {
		char letter[] = { '-', o->letter, ',', ' ', '\0' };
		char left[64];

		snprintf(left, sizeof(left), "%s--%s%s%s",
		    o->letter != 0 ? letter : "    ", o->name,
		    o->arg != NULL ? " " : "", o->arg != NULL ? o->arg : "");
		buf_printf(out, "  %-*s %s\n", HELP_COLUMN, left, o->help);
	}
}

const char **
opt_list_values(const struct opt_list *l)
{
	const char **values = xcalloc(l->n + 1, sizeof(*values));

	for (size_t i = 0; i < l->n; i++)
		values[i] = l->items[i].value;
	return values;
}
