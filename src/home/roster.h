#ifndef TEND_HOME_ROSTER_H
#define TEND_HOME_ROSTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/id.h"
#include "session/manifest.h"

struct home;

/*
 * All sessions of a home that this process may see (permit.h), newest first.
 * Several threads read them if there are
 * hundreds.
 */
struct roster_row {
	char id[ID_SIZE];
	int rc; /* of reading it; negative: there is no manifest */
	struct error err;
	struct manifest m;
	bool damaged; /* files of its log are missing */
};

struct roster {
	const struct home *home;
	char boot[40]; /* "": unknown */
	struct roster_row *rows;
	size_t n, cap;
	atomic_size_t next; /* the next row to read */
	bool logs;          /* check the logs of ended sessions */
};

/* Returns 0 or -errno; call roster_finish in both cases. */
int roster_read(struct roster *r, const struct home *h, bool logs,
    struct error *err);
void roster_finish(struct roster *r);

/* Take the session out of a row; the caller then owns it. */
struct manifest roster_take(struct roster_row *row);

#endif
