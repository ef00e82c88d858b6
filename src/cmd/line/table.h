#ifndef TEND_CMD_LINE_TABLE_H
#define TEND_CMD_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/line/opt.h"

struct cmd;

/*
 * The commands of list.h as data: main finds a command here, help and
 * completion read all of them, and tools/pages.c makes the manual from them.
 */

/* In the order of the help; NULL after the last. */
const struct cmd *table_at(size_t i);
/* Find a command by its name or an alias, or NULL. */
const struct cmd *table_find(const char *name);

/* The name that other programs use for a command; NULL after the last. */
struct table_alias {
	const char *name, *command;
};
const struct table_alias *table_alias(size_t i);

/* The options of all commands. */
struct common {
	bool help, json;
	const char *home;
};

extern const struct opt common_options[];

#endif
