#ifndef TEND_HOME_GC_H
#define TEND_HOME_GC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "home/collect.h"
#include "log/compress.h"

struct fault;
struct json_out;
struct report;

/*
 * Removing ended sessions from a home.  Logs of ended sessions that stay are
 * read, so that damage is reported while there may be a copy, and compressed.
 */
struct gc_request {
	bool all;        /* every ended session */
	int64_t age_ms;  /* those that ended so long ago; -1: no matter when */
	uint64_t budget; /* then the oldest, until the home takes no more bytes
			    than this; UINT64_MAX: no limit */
	bool dry;        /* only count */
};

#define GC_NOTHING ((struct gc_request){ .age_ms = -1, .budget = UINT64_MAX })

/* A session that was found, and what was done with it. */
struct gc_item {
	struct collectable what;
	bool removed; /* or would be */
};

struct gc {
	struct collection in;
	bool dry;
	int64_t now_ms;
	struct gc_item *items; /* those that ended first, first */
	size_t n;
	unsigned active, ended, removed, failed;
	uint64_t home_bytes, freed;
	struct compress_result packed;
};

/* gc_finish is due after any of these, also after a failure. */
void gc_init(struct gc *g, const struct home *h);
void gc_finish(struct gc *g);

/* Whether a request names anything that may go. */
bool gc_acts(const struct gc_request *q);

/* Only count what there is. */
int gc_look(struct gc *g, struct fault *f);

/*
 * Count what would go, without reading logs.  A budget may take less than
 * that, for what stays is compressed first.
 */
int gc_preview(struct gc *g, const struct gc_request *q, struct fault *f);

/*
 * Do it, as the only one in this home.  It fails when sessions were to go and
 * none could be removed.
 */
int gc_run(struct gc *g, const struct gc_request *q, struct report *r,
    struct fault *f);

/* Bytes that all ended sessions take. */
uint64_t gc_ended_bytes(const struct gc *g);

/* The object that `tend gc --json` has as its result. */
void gc_json(const struct gc *g, struct json_out *j);

#endif
