#ifndef TEND_HOME_SESSIONS_H
#define TEND_HOME_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "home/words.h"
#include "session/home.h"

struct fault;
struct json_out;
struct manifest;
struct report;

/*
 * The sessions of a home that match a query: running ones first, newest first
 * within each kind.
 */
struct sessions_query {
	bool all;                  /* include ended sessions */
	const char *const *labels; /* KEY=VALUE or KEY; NULL: no filter */
	bool quiet;                /* report neither errors nor damage */
};

struct sessions {
	struct manifest *items;
	size_t n;
	/*
	 * The ended sessions that the query left out: their number and the
	 * last.
	 */
	size_t n_ended;
	int64_t last_ms;
	char last[NAME_SIZE_MAX + 2 + WORDS_MAX]; /* "build exited 3" */
};

/*
 * A session that cannot be read is reported and does not hide the others.
 * Returns 0, or -1 and the fault; call sessions_finish in both cases.
 */
int sessions_read(struct sessions *s, const struct home *h,
    const struct sessions_query *q, struct report *r, struct fault *f);
void sessions_finish(struct sessions *s);

/*
 * The same for every home on this machine that has such sessions; `here` is the
 * caller's own.  A home that cannot be read is reported and does not hide the
 * others.
 */
typedef void sessions_fn(void *arg, const struct home *h,
    const struct sessions *s);
void sessions_each_home(const struct home *here, const struct sessions_query *q,
    struct report *r, sessions_fn *fn, void *arg);

/* The array of session objects. */
void sessions_json(const struct sessions *s, struct json_out *j);

/* A home with this array, for a list of several homes. */
void sessions_json_home(const struct home *h, const struct sessions *s,
    struct json_out *j);

/* Sort sessions into the order of a list. */
void sessions_sort(struct manifest *items, size_t n);

#endif
