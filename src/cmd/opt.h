#ifndef TEND_CMD_OPT_H
#define TEND_CMD_OPT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;

/*
 * Options by table.  An entry names the option and the field of a struct that
 * it fills: a `bool` for one without a value, a `const char *` for one with.
 *
 *	struct args { const char *size; bool cells; };
 *	static const struct opt options[] = {
 *		OPT_VALUE(struct args, size, "size", 0, "COLSxROWS", "…"),
 *		OPT_FLAG(struct args, cells, "cells", 'c', "…"),
 *		{ 0 },
 *	};
 *
 * Understood are --size V, --size=V, -c, -s V, -sV and -cs V; options and
 * operands may be mixed; -- ends the options and - is an operand.  When an
 * option is given twice the last one counts.
 */
struct opt {
	const char *name;
	char letter;     /* 0 for none */
	const char *arg; /* what its value is called in help; NULL for none */
	size_t offset;
	const char *help;
};

/* clang-format off */
#define OPT_FLAG(type, field, name, letter, help) \
	{ name, letter, NULL, offsetof(type, field), help }
#define OPT_VALUE(type, field, name, letter, arg, help) \
	{ name, letter, arg, offsetof(type, field), help }
/* clang-format on */

/* A table and the struct that it fills. */
struct opt_set {
	const struct opt *opts; /* NULL is an empty table */
	void *into;
};

/*
 * Read the options out of argv[0..*argc), looking in each of n sets, and leave
 * the operands in it.  0, or -EINVAL with err naming the option.
 */
int opt_parse(const struct opt_set *sets, size_t n, int *argc, char **argv,
    struct error *err);

/* A line of help for each option of the table. */
void opt_help(const struct opt *opts, struct buf *out);

#endif
