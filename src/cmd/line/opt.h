#ifndef TEND_CMD_LINE_OPT_H
#define TEND_CMD_LINE_OPT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;

/*
 * Tables of options.  An entry names the option and the struct field that it
 * fills: a `bool` for an option without a value, a `const char *` for one with
 * a value, a `struct opt_list` for one that may be repeated.
 *
 *	struct args { const char *size; bool cells; struct opt_list env; };
 *	static const struct opt options[] = {
 *		OPT_VALUE(struct args, size, "size", 0, "COLSxROWS", "…"),
 *		OPT_CHOICE(struct args, who, "input", 0, "POLICY",
 *		    "input_policy", "…"),
 *		OPT_FLAG(struct args, cells, "cells", 'c', "…"),
 *		OPT_LIST(struct args, env, "env", 'e', "KEY=VALUE", "…"),
 *		{ 0 },
 *	};
 *
 * The parser accepts --size V, --size=V, -c, -s V, -sV and -cs V.  Options and
 * operands may be mixed; -- ends the options and - is an operand.  Of an option
 * that is given twice the last value counts, unless it is a list.  Completion
 * offers the choices; the command itself refuses other values, with its own
 * message.
 */
struct opt {
	const char *name;
	char letter;     /* 0: none */
	const char *arg; /* the name of its value in help; NULL: no value */
	size_t offset;
	const char *help;
	bool is_list;
	const char *choices; /* possible values: a CHOICE of op/types.def, or
	                        "a|b"; NULL: any */
};

/*
 * The values of a list, in order.  `opt` distinguishes options that share a
 * list, so their relative order is kept too.
 */
struct opt_item {
	const struct opt *opt;
	const char *value;
};

struct opt_list {
	struct opt_item *items; /* freed by opt_finish */
	size_t n;
};

/*
 * The values as a NULL-terminated array.  The caller frees the array, not the
 * texts.
 */
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

/* A table and the struct to fill. */
struct opt_set {
	const struct opt *opts; /* NULL is an empty table */
	void *into;
};

enum opt_flags {
	/* The first operand ends the options, as before another command. */
	OPT_STOP_AT_OPERAND = 1 << 0,
};

/* The words of a command line; parsing leaves only the operands. */
struct opt_words {
	int argc;
	char **argv;
	int before_dashes; /* operands before "--"; -1: no "--" */
};

/*
 * Parse the options among the words, with n sets of options.  Returns 0, or
 * -EINVAL with an error that names the option; call opt_finish in both cases.
 */
int opt_parse(const struct opt_set *sets, size_t n, unsigned flags,
    struct opt_words *words, struct error *err);

/* Free the lists. */
void opt_finish(const struct opt_set *sets, size_t n);

/* Append a line of help for each option of the table. */
void opt_help(const struct opt *opts, struct buf *out);

#endif
