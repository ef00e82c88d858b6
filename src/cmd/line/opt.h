#ifndef TEND_CMD_LINE_OPT_H
#define TEND_CMD_LINE_OPT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;

/*
 * Options by table.  An entry names the option and the field of a struct that
 * it fills: a `bool` for one without a value, a `const char *` for one with, a
 * `struct opt_list` for one that may be given many times.
 *
 *	struct args { const char *size; bool cells; struct opt_list env; };
 *	static const struct opt options[] = {
 *		OPT_VALUE(struct args, size, "size", 0, "COLSxROWS", "…"),
 *		OPT_CHOICE(struct args, who, "input", 0, "POLICY",
 *		    "shared|lease", "…"),
 *		OPT_FLAG(struct args, cells, "cells", 'c', "…"),
 *		OPT_LIST(struct args, env, "env", 'e', "KEY=VALUE", "…"),
 *		{ 0 },
 *	};
 *
 * Understood are --size V, --size=V, -c, -s V, -sV and -cs V; options and
 * operands may be mixed; -- ends the options and - is an operand.  When an
 * option that is no list is given twice the last one counts.  Choices are what
 * completion offers; to refuse another value is the command's business, which
 * knows what to say.
 */
struct opt {
	const char *name;
	char letter;     /* 0 for none */
	const char *arg; /* what its value is called in help; NULL for none */
	size_t offset;
	const char *help;
	bool is_list;
	const char *choices; /* "a|b": what its value may be; NULL: it varies */
};

/*
 * What was given to a list, in order.  Options that share a list are told
 * apart by `opt`, so that their order among each other is kept as well.
 */
struct opt_item {
	const struct opt *opt;
	const char *value;
};

struct opt_list {
	struct opt_item *items; /* freed by opt_finish */
	size_t n;
};

/* Its values, ended by NULL; the array is the caller's, the texts are not. */
const char **opt_list_values(const struct opt_list *l);

/* clang-format off */
#define OPT_FLAG(type, field, name, letter, help) \
	{ name, letter, NULL, offsetof(type, field), help, false, NULL }
#define OPT_VALUE(type, field, name, letter, arg, help) \
	{ name, letter, arg, offsetof(type, field), help, false, NULL }
#define OPT_CHOICE(type, field, name, letter, arg, choices, help) \
	{ name, letter, arg, offsetof(type, field), help, false, choices }
#define OPT_LIST(type, field, name, letter, arg, help) \
	{ name, letter, arg, offsetof(type, field), help, true, NULL }
/* clang-format on */

/* A table and the struct that it fills. */
struct opt_set {
	const struct opt *opts; /* NULL is an empty table */
	void *into;
};

enum opt_flags {
	/* The first operand ends the options, as before another command. */
	OPT_STOP_AT_OPERAND = 1 << 0,
};

/* The words of a command line, of which parsing leaves the operands. */
struct opt_words {
	int argc;
	char **argv;
	int before_dashes; /* operands before "--"; -1: there is none */
};

/*
 * Read the options out of the words, looking in each of n sets.  0, or -EINVAL
 * with err naming the option; opt_finish is due in both cases.
 */
int opt_parse(const struct opt_set *sets, size_t n, unsigned flags,
    struct opt_words *words, struct error *err);

/* Free the lists. */
void opt_finish(const struct opt_set *sets, size_t n);

/* A line of help for each option of the table. */
void opt_help(const struct opt *opts, struct buf *out);

#endif
