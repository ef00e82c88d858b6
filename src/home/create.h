#ifndef TEND_HOME_CREATE_H
#define TEND_HOME_CREATE_H

#include <stdbool.h>

#include <jansson.h>

struct config;
struct fault;
struct handle;
struct report;

/*
 * A session to be started: everything that `tend run` can say about one.
 * Sizes, durations and numbers are texts with units, as people write them; NULL
 * stands for the setting of the configuration file, or for the default.
 */
struct create {
	char *const *command; /* NULL or empty: the user's shell */
	char *const *from;    /* the environment to make the program's from */
	const char *const *env, *const *labels; /* KEY=VALUE; NULL: none */
	const char *const *may; /* grants, which confine it; NULL: none */
	const char *name;       /* NULL: of the command */
	const char *cwd;        /* NULL: the caller's */
	unsigned cols, rows;    /* 0: 80x24 */
	const char *input, *resize, *log_input, *restart;
	const char *max_log, *idle_timeout, *linger_output, *scrollback;
	const char *memory, *pids, *cpu_weight;
	bool durable, forget_env, no_integration, confined;
	bool reuse; /* use the active session of that name if there is one */
};

#define CREATE_COLS 80
#define CREATE_ROWS 24

/*
 * Start it in the home of the handle, which is made if it is not there.  Then
 * the handle has the session.  Nothing is made when something is wrong with the
 * request.
 */
int create_session(struct handle *h, const struct create *q,
    const struct config *c, struct report *r, struct fault *f);

/* Whether the request is well formed; create_session does this first. */
int create_check(const struct create *q, const struct config *c,
    struct fault *f);

/*
 * The same with the checked arguments of the operation session.create, and an
 * environment to make the program's from.
 */
int create_from_json(struct handle *h, const json_t *args, char *const *from,
    const struct config *c, struct report *r, struct fault *f);

#endif
