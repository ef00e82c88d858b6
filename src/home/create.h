#ifndef TEND_HOME_CREATE_H
#define TEND_HOME_CREATE_H

#include <stdbool.h>

#include <jansson.h>

struct config;
struct fault;
struct handle;
struct report;

/*
 * A session to start: everything that `tend run` accepts.  Sizes, durations and
 * numbers are texts with units, as people write them.  NULL means the setting
 * of the configuration file, or else the default.
 */
struct create {
	char *const *command; /* NULL or empty: the user's shell */
	char *const *from;    /* the base of the program's environment */
	const char *const *env, *const *labels; /* KEY=VALUE; NULL: none */
	const char *const *may; /* grants that confine it; NULL: none */
	const char *name;       /* NULL: derived from the command */
	const char *cwd;        /* NULL: the caller's directory */
	unsigned cols, rows;    /* 0: 80x24 */
	const char *input, *resize, *log_input, *restart;
	const char *max_log, *idle_timeout, *linger_output, *scrollback;
	const char *memory, *pids, *cpu_weight;
	bool durable, forget_env, no_integration, confined;
	bool reuse; /* use an active session of this name, if any */
};

#define CREATE_COLS 80
#define CREATE_ROWS 24

/*
 * Start the session in the handle's home, which is created if necessary.  On
 * success the handle refers to the new session.  An invalid request creates
 * nothing.
 */
int create_session(struct handle *h, const struct create *q,
    const struct config *c, struct report *r, struct fault *f);

/*
 * The same with the checked arguments of the operation session.create; `from`
 * is the base of the program's environment.
 */
int create_from_json(struct handle *h, const json_t *args, char *const *from,
    const struct config *c, struct report *r, struct fault *f);

#endif
