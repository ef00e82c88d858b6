#include "cmd/line/table.h"

#include <string.h>

#include "cmd/line/cmd.h"
#include "cmd/line/opt.h"

static const struct cmd *const commands[] = {
#define CMD(name) &cmd_##name,
#include "cmd/line/list.h"
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

const struct opt common_options[] = {
	OPT_VALUE(struct common, home, "home", 0, "DIR",
	    "directory of sessions ($TEND_HOME)"),
	OPT_FLAG(struct common, json, "json", 0, "print JSON"),
	OPT_FLAG(struct common, help, "help", 'h', "show this help"),
	{ 0 },
};

const struct cmd *
table_at(size_t i)
{
	return i < COMMANDS ? commands[i] : NULL;
}

static const struct table_alias aliases[] = {
	{ "a", "attach" },
	{ "list", "ls" },
	{ "new", "run" },
	{ "ps", "ls" },
	{ "rm", "destroy" },
};

#define ALIASES (sizeof(aliases) / sizeof(*aliases))

const struct table_alias *
table_alias(size_t i)
{
	return i < ALIASES ? &aliases[i] : NULL;
}

const struct cmd *
table_find(const char *name)
{
	for (size_t i = 0; i < ALIASES; i++)
		if (strcmp(aliases[i].name, name) == 0)
			name = aliases[i].command;
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}
