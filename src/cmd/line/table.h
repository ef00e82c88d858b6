#ifndef TEND_CMD_LINE_TABLE_H
#define TEND_CMD_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/line/opt.h"

struct cmd;

/*
 * The commands of list.h as data: main finds the one that was asked for, help
 * and completion read them all, and tools/pages.c makes the manual of them.
 */

/* In the order of help; NULL behind the last. */
const struct cmd *table_at(size_t i);
/* By its name or a short form of it, or NULL. */
const struct cmd *table_find(const char *name);

/* A name that other programs have for a command; NULL behind the last. */
struct table_alias {
	const char *name, *command;
};
const struct table_alias *table_alias(size_t i);

/* What every command understands, and where it goes. */
struct common {
	bool help, json;
	const char *home;
};

extern const struct opt common_options[];

#endif
