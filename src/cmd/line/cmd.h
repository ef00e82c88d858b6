#ifndef TEND_CMD_LINE_CMD_H
#define TEND_CMD_LINE_CMD_H

#include <stdbool.h>
#include <stddef.h>

struct config;
struct opt;
struct out;
struct handle;

/*
 * The commands of `tend`.  How to add one, say `frob`:
 *
 *  1. write frob.c in the folder of its kind (drive, look, end ...), which
 *     defines `const struct cmd cmd_frob`; give it a struct for its arguments
 *     and a table of its options (opt.h)
 *  2. add CMD(frob) to list.h and frob.c to src/cmd/meson.build
 *
 * Help, the check of options, -h, --home, --json, completion and the page of the
 * manual are then there; its prose is docs/man/tend-frob.scd.  `run` is
 * called with the options in `args`; it returns the process's exit status, and
 * what it has to say it says through `out` (out.h), so that --json works
 * without its doing.  tests/it/test_cli.py tries every command that is in the list.
 */
struct call {
	struct out *out;
	const void *args; /* the command's own struct, its options in it */
	int argc;         /* what stood there besides options and SESSION */
	char **argv;
	struct handle *target;       /* what `needs` asked for (target.h) */
	const struct config *config; /* empty unless it is among the needs */
	int before_dashes; /* operands before "--", SESSION too; -1: no "--" */
	bool several; /* it is one of several (several.h): say how it went */
};

/*
 * What main sees to before `run` is called.  A command that fails here has
 * said why, and is not called.
 */
enum cmd_needs {
	CMD_NEEDS_HOME = 1 << 0,    /* the home, if there is one */
	CMD_NEEDS_SESSION = 1 << 1, /* the first operand is one; found, read */
	/* …or left out: the one we are in, else the newest (reads only) */
	CMD_NEWEST = 1 << 2,
	CMD_NEEDS_HOST = 1 << 3,      /* it runs, and we are connected to it */
	CMD_FINDS_DESTROYED = 1 << 4, /* by its whole id, one that is too */
	CMD_READS_CONFIG = 1 << 6,    /* what the files of settings say */
	CMD_EACH = 1 << 5, /* every operand is one: `run` is called for each */
};

struct cmd {
	const char *name;
	const char *usage;         /* what follows the name, as in a synopsis */
	const char *summary;       /* one line, lower case */
	const char *details;       /* paragraphs for -h, or NULL */
	const struct opt *options; /* ends with an all-zero one, or NULL */
	size_t args_size;
	unsigned needs;      /* enum cmd_needs */
	bool before_program; /* options end where a program's words begin */
	bool passes_status;  /* the program's; our own failure is 125 */
	bool (*may_pass)(const void *args); /* NULL; whether it does so now */
	/* Before anything is looked at; 0 or the exit status; or NULL. */
	int (*ask)(struct call *call);
	int (*run)(struct call *call);
};

#define CMD(name) extern const struct cmd cmd_##name;
#include "cmd/line/list.h"

#endif
