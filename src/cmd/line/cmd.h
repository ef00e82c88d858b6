#ifndef TEND_CMD_LINE_CMD_H
#define TEND_CMD_LINE_CMD_H

#include <stdbool.h>
#include <stddef.h>

struct config;
struct opt;
struct out;
struct handle;

/*
 * The commands of `tend`.  To add one, say `frob`:
 *
 *  1. write frob.c in the folder of its kind (drive, look, end ...), which
 *     defines `const struct cmd cmd_frob`; give it a struct for its arguments
 *     and a table of its options (opt.h)
 *  2. add CMD(frob) to list.h and frob.c to src/cmd/meson.build
 *
 * This provides help, the check of options, -h, --home, --json, completion and
 * the page of the manual; its text is docs/man/tend-frob.scd.  `run` gets the
 * options in `args` and returns the exit status of the process.  It answers
 * through `out` (out.h), so that --json works without extra code.
 * tests/it/test_cli.py tests every command in the list.
 */
struct call {
	struct out *out;
	const void *args; /* the command's own struct with its options */
	int argc;         /* the operands without SESSION */
	char **argv;
	struct handle *target;       /* opened as `needs` says (target.h) */
	const struct config *config; /* empty without CMD_READS_CONFIG */
	int before_dashes; /* operands before "--", with SESSION; -1: no "--" */
	bool several;      /* one of several (several.h): report its outcome */
};

/*
 * The steps that main takes before `run`.  If one fails, main reports it and
 * does not call `run`.
 */
enum cmd_needs {
	CMD_NEEDS_HOME = 1 << 0,    /* open the home, if it exists */
	CMD_NEEDS_SESSION = 1 << 1, /* find the first operand, a session */
	/* …or missing: the surrounding session, else the newest (reads only) */
	CMD_NEWEST = 1 << 2,
	CMD_NEEDS_HOST = 1 << 3,      /* connect to the running host */
	CMD_FINDS_DESTROYED = 1 << 4, /* also find a destroyed one by full id */
	CMD_READS_CONFIG = 1 << 6,    /* read the settings files */
	CMD_EACH = 1 << 5, /* call `run` for each operand, a session */
};

struct cmd {
	const char *name;
	const char *usage;         /* the arguments, as in a synopsis */
	const char *summary;       /* one line, lower case */
	const char *details;       /* paragraphs for -h, or NULL */
	const struct opt *options; /* ends with an all-zero entry, or NULL */
	size_t args_size;
	unsigned needs;      /* enum cmd_needs */
	bool before_program; /* options end at the first word of a program */
	bool passes_status;  /* exit with the program's status, or 125 */
	bool (*may_pass)(const void *args); /* NULL; true: it does now */
	/*
	 * Called before any other step; returns 0 or the exit status; may be
	 * NULL.
	 */
	int (*ask)(struct call *call);
	int (*run)(struct call *call);
};

#define CMD(name) extern const struct cmd cmd_##name;
#include "cmd/line/list.h"

#endif
