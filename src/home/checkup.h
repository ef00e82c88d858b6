#ifndef TEND_HOME_CHECKUP_H
#define TEND_HOME_CHECKUP_H

struct config;
struct handle;
struct json_out;
struct report;

/*
 * A checkup of a home: its settings, its directory and disk, and its sessions.
 * Each check reports findings and changes nothing.  `tend doctor` adds checks of
 * the terminal and the installation.
 */
enum checkup_level {
	CHECKUP_OK,
	CHECKUP_WARNING, /* it works, but not well */
	CHECKUP_PROBLEM, /* something will not work */
	CHECKUP_LEVELS,
};

struct checkup_finding {
	const char *check; /* the name of the check, such as "disk" */
	enum checkup_level level;
	const char *what;
	const char *why; /* why it matters, or NULL */
	const char *fix; /* a command that helps, or NULL */
};

typedef void checkup_fn(void *arg, const struct checkup_finding *f);

struct checkup {
	struct handle *handle; /* its home is opened if possible */
	struct config *config; /* initialised; the checkup reads it */
	struct report *report; /* for damage of logs */
	checkup_fn *fn;        /* receives each finding */
	void *arg;
	const char *check; /* the name of the current check */
	unsigned counts[CHECKUP_LEVELS];
};

void checkup_run(struct checkup *c);

/* Report that all is well, with the findings. */
void checkup_ok(struct checkup *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Report a finding, why it matters, and a command that helps or NULL. */
void checkup_bad(struct checkup *c, enum checkup_level level, const char *why,
    const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

const char *checkup_level_name(enum checkup_level level);

/* A finding as an object, and the members with the counts. */
void checkup_finding_json(const struct checkup_finding *f, struct json_out *j);
void checkup_counts_json(const struct checkup *c, struct json_out *j);

#endif
