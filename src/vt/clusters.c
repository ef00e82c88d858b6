#include "vt/clusters.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

#define SWEEP_FIRST 256

void
clusters_init(struct clusters *c)
{
	memset(c, 0, sizeof(*c));
	c->sweep_at = SWEEP_FIRST;
}

void
clusters_finish(struct clusters *c)
{
	free(c->pool);
	free(c->start);
	free(c->text);
	free(c->text_start);
	free(c->slots);
	clusters_init(c);
}

void
clusters_clear(struct clusters *c)
{
	if (c->count == 0)
		return;
	memset(c->slots, 0, c->slot_count * sizeof(*c->slots));
	memset(c->joins, 0, sizeof(c->joins));
	c->count = 0;
	c->pool_len = 0;
}

static uint32_t
hash(const uint32_t *cps, unsigned n)
{
	uint32_t h = 2166136261u;

	for (unsigned i = 0; i < n; i++)
		h = (h ^ cps[i]) * 16777619u;
	return h ^ h >> 15;
}

static bool
equal(const struct clusters *c, uint32_t id, const uint32_t *cps, unsigned n)
{
	return c->start[id + 1] - c->start[id] == n &&
	    memcmp(c->pool + c->start[id], cps, n * sizeof(*cps)) == 0;
}

static void
insert(struct clusters *c, uint32_t id)
{
	unsigned n = c->start[id + 1] - c->start[id];
	uint32_t mask = c->slot_count - 1;
	uint32_t i = hash(c->pool + c->start[id], n) & mask;

	while (c->slots[i] != 0)
		i = (i + 1) & mask;
	c->slots[i] = id + 1;
}

static void
grow_slots(struct clusters *c)
{
	c->slot_count = c->slot_count ? c->slot_count * 2 : 64;
	free(c->slots);
	c->slots = xcalloc(c->slot_count, sizeof(*c->slots));
	for (uint32_t id = 0; id < c->count; id++)
		insert(c, id);
}

static void
add_text(struct clusters *c, const uint32_t *cps, unsigned n)
{
	uint32_t len = c->text_start[c->count];

	while (len + n * 4 + CLUSTER_SLACK > c->text_cap) {
		c->text_cap = c->text_cap ? c->text_cap * 2 : 256;
		c->text = xrealloc(c->text, c->text_cap, 1);
	}
	for (unsigned i = 0; i < n; i++)
		len += (uint32_t)utf8_encode(c->text + len, cps[i]);
	memset(c->text + len, 0, CLUSTER_SLACK);
	c->text_start[c->count + 1] = len;
}

static uint32_t
add(struct clusters *c, const uint32_t *cps, unsigned n)
{
	if (c->count + 1 >= c->cap) {
		c->cap = c->cap ? c->cap * 2 : 32;
		c->start = xrealloc(c->start, c->cap, sizeof(*c->start));
		c->text_start = xrealloc(c->text_start, c->cap,
		    sizeof(*c->text_start));
		c->start[0] = c->text_start[0] = 0;
	}
	while (c->pool_len + n > c->pool_cap) {
		c->pool_cap = c->pool_cap ? c->pool_cap * 2 : 128;
		c->pool = xrealloc(c->pool, c->pool_cap, sizeof(*c->pool));
	}
	memcpy(c->pool + c->pool_len, cps, n * sizeof(*cps));
	c->pool_len += n;
	c->start[c->count + 1] = c->pool_len;
	add_text(c, cps, n);
	return c->count++;
}

uint32_t
clusters_intern(struct clusters *c, const uint32_t *cps, unsigned n)
{
	assert(n >= 1 && n <= CLUSTER_MAX);
	if ((c->count + 1) * 2 > c->slot_count)
		grow_slots(c);
	uint32_t mask = c->slot_count - 1;
	uint32_t i = hash(cps, n) & mask;
	for (; c->slots[i] != 0; i = (i + 1) & mask)
		if (equal(c, c->slots[i] - 1, cps, n))
			return c->slots[i] - 1;
	uint32_t id = add(c, cps, n);
	c->slots[i] = id + 1;
	return id;
}

uint32_t
clusters_join_slowly(struct clusters *c, uint32_t ch, uint32_t cp)
{
	uint32_t cps[CLUSTER_MAX];
	unsigned n = 1;

	cps[0] = ch;
	if (ch & CELL_CLUSTER) {
		const uint32_t *from = clusters_get(c, ch & ~CELL_CLUSTER, &n);
		if (n == CLUSTER_MAX)
			return 0;
		memcpy(cps, from, n * sizeof(*cps));
	}
	cps[n++] = cp;
	uint32_t to = CELL_CLUSTER | clusters_intern(c, cps, n);
	*clusters_join_slot(c, ch, cp) = (struct cluster_join){ ch, cp, to };
	return to;
}

const uint32_t *
clusters_get(const struct clusters *c, uint32_t id, unsigned *n)
{
	assert(id < c->count);
	*n = c->start[id + 1] - c->start[id];
	return c->pool + c->start[id];
}

size_t
clusters_memory(const struct clusters *c)
{
	return c->pool_cap * sizeof(*c->pool) +
	    c->cap * (sizeof(*c->start) + sizeof(*c->text_start)) +
	    c->text_cap + c->slot_count * sizeof(*c->slots);
}
