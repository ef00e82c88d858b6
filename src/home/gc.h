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
 * Remove ended sessions from a home.  The logs of the others that have ended
 * are read and compressed.  Reading them reports damage while a copy may still
 * exist.
 */
struct gc_request {
	bool all;        /* every ended session */
	int64_t age_ms;  /* those that ended at least this long ago; -1: any */
	uint64_t budget; /* then the oldest, until the home takes at most this
	                    many bytes; UINT64_MAX: no limit */
	bool dry;        /* count only */
};

#define GC_NOTHING ((struct gc_request){ .age_ms = -1, .budget = UINT64_MAX })

/* A session that was found, and its outcome. */
struct gc_item {
	struct collectable what;
	bool removed; /* or, in a dry run, would be removed */
};

struct gc {
	struct collection in;
	bool dry;
	int64_t now_ms;
	struct gc_item *items; /* the first to end is first */
	size_t n;
	unsigned active, ended, removed, failed;
	uint64_t home_bytes, freed;
	struct compress_result packed;
};

/* Call gc_finish after any of these, also after a failure. */
void gc_init(struct gc *g, const struct home *h);
void gc_finish(struct gc *g);

/* True if the request selects any sessions for removal. */
bool gc_acts(const struct gc_request *q);

/* Only count sessions and bytes. */
int gc_look(struct gc *g, struct fault *f);

/*
 * Count what gc_run would remove, without reading logs.  With a budget gc_run
 * may remove less, because it compresses the remaining logs first.
 */
int gc_preview(struct gc *g, const struct gc_request *q, struct fault *f);

/*
 * Remove the sessions, under a lock that keeps other collections out of the
 * home.  Fails if sessions were selected and none could be removed.
 */
int gc_run(struct gc *g, const struct gc_request *q, struct report *r,
    struct fault *f);

/* The bytes that all ended sessions take. */
uint64_t gc_ended_bytes(const struct gc *g);

/* The result object of `tend gc --json`. */
void gc_json(const struct gc *g, struct json_out *j);

#endif
