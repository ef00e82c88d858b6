#ifndef TEND_VT_CLUSTERS_H
#define TEND_VT_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vt/cell.h"

/*
 * Grapheme clusters of more than one code point, each stored once.  A cell
 * holds the id.  Ids stay valid until the owner sweeps: it makes a new set
 * from the clusters that its cells still show and drops the old one.
 * clusters_want_sweep requests this when the set has doubled since the last
 * sweep.
 */
#define CLUSTER_MAX 16 /* code points; further ones are dropped */

/* The effect of a code point on the character of a cell. */
struct cluster_join {
	uint32_t from, cp, to; /* from 0: nothing */
};
#define CLUSTER_JOINS 64

struct clusters {
	uint32_t *pool; /* code points, one cluster after the other */
	uint32_t pool_len, pool_cap;
	uint32_t *start; /* start[id]: where id begins; start[count]: the end */
	uint32_t count, cap;
	char *text; /* the same as UTF-8, CLUSTER_SLACK bytes longer */
	uint32_t *text_start;
	uint32_t text_cap;
	uint32_t *slots; /* open addressing: id + 1, or 0 */
	uint32_t slot_count;
	uint32_t sweep_at;
	struct cluster_join joins[CLUSTER_JOINS]; /* the last ones */
};

void clusters_init(struct clusters *c);
void clusters_finish(struct clusters *c);
void clusters_clear(struct clusters *c);

/* The id of these 1..CLUSTER_MAX code points. */
uint32_t clusters_intern(struct clusters *c, const uint32_t *cps, unsigned n);

/*
 * The `ch` of a cell with one code point more than `ch`, or 0 if that would be
 * too many.  The same pairs are frequent, so they are cached.
 */
uint32_t clusters_join_slowly(struct clusters *c, uint32_t ch, uint32_t cp);

static inline struct cluster_join *
clusters_join_slot(struct clusters *c, uint32_t ch, uint32_t cp)
{
	return &c->joins[(ch * 31 + cp) % CLUSTER_JOINS];
}

static inline uint32_t
clusters_join(struct clusters *c, uint32_t ch, uint32_t cp)
{
	const struct cluster_join *j = clusters_join_slot(c, ch, cp);

	if (j->from == ch && j->cp == cp)
		return j->to;
	return clusters_join_slowly(c, ch, cp);
}

/* Its code points; *n of them. */
const uint32_t *clusters_get(const struct clusters *c, uint32_t id,
    unsigned *n);

/*
 * Its text as UTF-8, *len bytes.  CLUSTER_SLACK may be read, so that a short
 * one can be copied without a loop.
 */
#define CLUSTER_SLACK 32
static inline const char *
clusters_text(const struct clusters *c, uint32_t id, size_t *len)
{
	*len = c->text_start[id + 1] - c->text_start[id];
	return c->text + c->text_start[id];
}

static inline bool
clusters_want_sweep(const struct clusters *c)
{
	return c->count >= c->sweep_at;
}

size_t clusters_memory(const struct clusters *c);

#endif
