#include "vt/extras.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define PATIENCE 256

void
extras_init(struct extras *x)
{
	memset(x, 0, sizeof(*x));
	x->lowest_free = 1;
}

static void
drop(struct extras *x, struct extra *e)
{
	if (e->uri != NULL)
		x->bytes -= strlen(e->uri) + strlen(e->id) + 2;
	free(e->uri);
	free(e->id);
	memset(e, 0, sizeof(*e));
}

void
extras_finish(struct extras *x)
{
	for (uint32_t i = 1; i < x->count; i++)
		drop(x, &x->items[i]);
	free(x->items);
	free(x->slots);
	extras_init(x);
}

static uint32_t
hash(uint32_t underline, const char *uri, const char *id)
{
	uint32_t h = 2166136261u ^ underline * 2654435761u;

	for (; uri != NULL && *uri != '\0'; uri++)
		h = (h ^ (uint8_t)*uri) * 16777619u;
	for (; uri != NULL && *id != '\0'; id++)
		h = (h ^ (uint8_t)*id) * 16777619u;
	return h ^ h >> 15;
}

static bool
equal(const struct extra *e, uint32_t underline, const char *uri,
    const char *id)
{
	if (e->underline != underline || (e->uri == NULL) != (uri == NULL))
		return false;
	return uri == NULL ||
	    (strcmp(e->uri, uri) == 0 && strcmp(e->id, id) == 0);
}

static void
insert(struct extras *x, uint16_t id)
{
	const struct extra *e = &x->items[id];
	uint32_t mask = x->slot_count - 1;
	uint32_t i = hash(e->underline, e->uri, e->id) & mask;

	while (x->slots[i] != 0)
		i = (i + 1) & mask;
	x->slots[i] = id;
}

static void
rehash(struct extras *x)
{
	uint32_t want = 16;

	while (want < x->count * 2 + 2)
		want *= 2;
	free(x->slots);
	x->slots = xcalloc(want, sizeof(*x->slots));
	x->slot_count = want;
	for (uint32_t id = 1; id < x->count; id++)
		if (x->items[id].used)
			insert(x, (uint16_t)id);
}

static uint16_t
find(const struct extras *x, uint32_t underline, const char *uri,
    const char *id)
{
	if (x->slot_count == 0)
		return 0;
	uint32_t mask = x->slot_count - 1;
	uint32_t i = hash(underline, uri, id) & mask;
	for (; x->slots[i] != 0; i = (i + 1) & mask)
		if (equal(&x->items[x->slots[i]], underline, uri, id))
			return x->slots[i];
	return 0;
}

/* An unused id, or 0. */
static uint16_t
free_id(struct extras *x)
{
	if (x->free_count > 0) {
		uint32_t i = x->lowest_free;
		while (x->items[i].used)
			i++;
		x->lowest_free = i + 1;
		x->free_count--;
		return (uint16_t)i;
	}
	if (x->count > EXTRAS_MAX)
		return 0;
	return (uint16_t)(x->count == 0 ? 1 : x->count);
}

static void
make_room(struct extras *x, uint32_t id)
{
	if (id < x->count)
		return;
	if (id >= x->cap) {
		uint32_t cap = x->cap ? x->cap : 16;
		while (cap <= id)
			cap *= 2;
		x->items = xrealloc(x->items, cap, sizeof(*x->items));
		memset(x->items + x->cap, 0,
		    (cap - x->cap) * sizeof(*x->items));
		x->cap = cap;
	}
	x->count = id + 1;
}

static void
fill(struct extras *x, uint16_t id, uint32_t underline, const char *uri,
    const char *link_id)
{
	make_room(x, id);
	x->items[id] = (struct extra){
		.underline = underline,
		.uri = uri != NULL ? xstrdup(uri) : NULL,
		.id = uri != NULL ? xstrdup(link_id) : NULL,
		.used = true,
	};
	if (uri != NULL)
		x->bytes += strlen(uri) + strlen(link_id) + 2;
	if (x->count * 2 + 2 > x->slot_count)
		rehash(x);
	else
		insert(x, id);
}

uint16_t
extras_intern(struct extras *x, uint32_t underline, const char *uri,
    const char *id, bool *full)
{
	*full = false;
	if (underline == 0 && uri == NULL)
		return 0;
	uint16_t found = find(x, underline, uri, id);
	if (found != 0)
		return found;
	size_t need = uri != NULL ? strlen(uri) + strlen(id) + 2 : 0;
	uint16_t at = x->bytes + need > LINKS_BYTES_MAX ? 0 : free_id(x);
	if (at == 0) {
		*full = true;
		return 0;
	}
	fill(x, at, underline, uri, id);
	return at;
}

int
extras_put(struct extras *x, uint16_t id, uint32_t underline, const char *uri,
    const char *link_id)
{
	if (id == 0 || (underline == 0 && uri == NULL) ||
	    (id < x->count && x->items[id].used) ||
	    find(x, underline, uri, link_id) != 0)
		return -EINVAL;
	size_t need = uri != NULL ? strlen(uri) + strlen(link_id) + 2 : 0;
	if (x->bytes + need > LINKS_BYTES_MAX)
		return -EINVAL;
	uint32_t before = x->count == 0 ? 1 : x->count;
	if (id >= before)
		x->free_count += id - before;
	else
		x->free_count--;
	fill(x, id, underline, uri, link_id);
	return 0;
}

const struct extra *
extras_get(const struct extras *x, uint16_t id)
{
	if (id == 0 || id >= x->count || !x->items[id].used)
		return NULL;
	return &x->items[id];
}

bool
extras_want_sweep(struct extras *x)
{
	if (x->patience > 0) {
		x->patience--;
		return false;
	}
	x->patience = PATIENCE;
	return true;
}

void
extras_mark(struct extras *x, uint16_t id)
{
	if (id != 0 && id < x->count)
		x->items[id].mark = true;
}

void
extras_sweep(struct extras *x)
{
	for (uint32_t id = 1; id < x->count; id++) {
		struct extra *e = &x->items[id];
		if (e->used && !e->mark) {
			drop(x, e);
			x->free_count++;
			x->patience = 0;
		}
		e->mark = false;
	}
	x->lowest_free = 1;
	rehash(x);
}

size_t
extras_memory(const struct extras *x)
{
	return x->cap * sizeof(*x->items) + x->bytes +
	    x->slot_count * sizeof(*x->slots);
}
