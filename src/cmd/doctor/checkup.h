#ifndef TEND_CMD_DOCTOR_CHECKUP_H
#define TEND_CMD_DOCTOR_CHECKUP_H

#include <stddef.h>

struct buf;
struct config;
struct json_out;
struct out;
struct handle;

/*
 * What `tend doctor` looks at.  How to add a check: a function here and in one
 * of checkup_*.c, and a line of the table in doctor.c.  It looks, and tells
 * each thing it found by checkup_ok or checkup_bad; it changes nothing.
 */
enum checkup_level {
	CHECKUP_OK,
	CHECKUP_WARNING, /* it works, but not as it could */
	CHECKUP_PROBLEM, /* something will not work */
};

struct checkup {
	struct handle *target; /* its home: opened as far as it can be */
	struct config *config; /* read by the check of that name */
	struct out *answer;    /* for damage of logs, which has its own place */
	const char *check;     /* the name of the one that looks now */
	struct buf *out;       /* plain, when json is NULL */
	struct json_out *json;
	unsigned counts[CHECKUP_PROBLEM + 1];
};

/* All is well; what was seen. */
void checkup_ok(struct checkup *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* What was seen, why it matters, and a command that helps or NULL. */
void checkup_bad(struct checkup *c, enum checkup_level level, const char *why,
    const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

typedef void checkup_fn(struct checkup *c);

checkup_fn checkup_programs, checkup_path; /* checkup_install.c */
checkup_fn checkup_config;                 /* checkup_config.c */
checkup_fn checkup_home, checkup_disk;     /* checkup_home.c */
checkup_fn checkup_sessions;               /* checkup_sessions.c */
checkup_fn checkup_files, checkup_processes, checkup_terminals, checkup_memory,
    checkup_lingering, checkup_fonts; /* checkup_system.c */
checkup_fn checkup_terminfo, checkup_locale, checkup_screen; /* _terminal.c */

#endif
