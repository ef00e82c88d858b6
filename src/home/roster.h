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
 * All sessions of a home as they are now, newest first.  With hundreds of them
 * they are read by several threads.
 */
struct roster_row {
	char id[ID_SIZE];
	int rc; /* of reading it; negative: no manifest, and why */
	struct error err;
	struct manifest m;
	bool damaged; /* its log lacks files, by their names and headers */
};

struct roster {
	const struct home *home;
	char boot[40]; /* "": not known */
	struct roster_row *rows;
	size_t n, cap;
	atomic_size_t next; /* to be read */
	bool logs;          /* whether to look at the logs of ended ones */
};

/* 0 or -errno; roster_finish in both cases. */
int roster_read(struct roster *r, const struct home *h, bool logs,
    struct error *err);
void roster_finish(struct roster *r);

/* A session of a row, which then is the caller's. */
struct manifest roster_take(struct roster_row *row);

#endif
