#ifndef TEND_CMD_DOCTOR_CHECKUP_H
#define TEND_CMD_DOCTOR_CHECKUP_H

#include <stddef.h>
#include <stdint.h>

#include "home/config.h"

struct buf;
struct json_out;
struct out;
struct handle;

/*
 * The checks of `tend doctor`.  To add one, declare its function here, write it
 * in one of checkup_*.c, and add a row to the table in doctor.c.  A check
 * reports each finding with checkup_ok or checkup_bad; it changes nothing.
 */
enum checkup_level {
	CHECKUP_OK,
	CHECKUP_WARNING, /* it works, but not well */
	CHECKUP_PROBLEM, /* something will not work */
};

struct checkup {
	struct handle *target; /* its home is opened if possible */
	struct config *config; /* filled by the check `config` */
	struct out *answer;    /* for damage of logs, a separate member */
	const char *check;     /* the name of the current check */
	struct buf *out;       /* plain text, if json is NULL */
	struct json_out *json;
	unsigned counts[CHECKUP_PROBLEM + 1];
};

/* Report that all is well, with the findings. */
void checkup_ok(struct checkup *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Report a finding, why it matters, and a command that helps or NULL. */
void checkup_bad(struct checkup *c, enum checkup_level level, const char *why,
    const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* A limit as `run` has it: by variable, file or default. */
uint64_t checkup_limit(const struct checkup *c, enum config_key key);

typedef void checkup_fn(struct checkup *c);

checkup_fn checkup_programs, checkup_path; /* checkup_install.c */
checkup_fn checkup_config;                 /* checkup_config.c */
checkup_fn checkup_home, checkup_disk;     /* checkup_home.c */
checkup_fn checkup_sessions;               /* checkup_sessions.c */
checkup_fn checkup_files, checkup_processes, checkup_terminals, checkup_memory,
    checkup_lingering, checkup_fonts; /* checkup_system.c */
checkup_fn checkup_terminfo, checkup_locale, checkup_screen; /* _terminal.c */

#endif
