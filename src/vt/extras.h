#ifndef TEND_VT_EXTRAS_H
#define TEND_VT_EXTRAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Rare attributes of cells: an underline colour of its own, a hyperlink.  Each
 * pair of them is stored once, under an id that stays the same as long as a
 * cell or a line of history has it.  Id 0 means neither.
 *
 * Limits: EXTRAS_MAX pairs, LINKS_BYTES_MAX bytes of links.  At a limit the
 * owner marks the pairs in use and sweeps.  If that frees nothing, the text is
 * shown without its link or underline colour, and for a while no more sweeps
 * are tried.
 */
#define EXTRAS_MAX 65535
#define LINKS_BYTES_MAX (1u << 20)
#define LINK_URI_MAX 4096
#define LINK_ID_MAX 256

struct extra {
	uint32_t underline; /* a colour */
	char *uri;          /* NULL: no link */
	char *id;           /* "" when OSC 8 gave none */
	bool used;          /* else on the free list */
	bool mark;
};

struct extras {
	struct extra *items; /* items[0] is never used */
	uint32_t count, cap; /* count: one past the highest id in use */
	uint32_t free_count;
	uint32_t lowest_free; /* no id below it is free */
	uint16_t *slots;
	uint32_t slot_count;
	size_t bytes;      /* of all links */
	uint32_t patience; /* refusals until a sweep is tried again */
};

void extras_init(struct extras *x);
void extras_finish(struct extras *x);

/*
 * The id of this pair, or 0 with *full set when there is no room.  uri may be
 * NULL; id is "" when the link has none.
 */
uint16_t extras_intern(struct extras *x, uint32_t underline, const char *uri,
    const char *id, bool *full);

/* Put a pair under a given id: for restoring.  0 or -EINVAL. */
int extras_put(struct extras *x, uint16_t id, uint32_t underline,
    const char *uri, const char *link_id);

/* NULL for 0 or an id not in use. */
const struct extra *extras_get(const struct extras *x, uint16_t id);

/* True if a sweep is worth trying now. */
bool extras_want_sweep(struct extras *x);
void extras_mark(struct extras *x, uint16_t id);
void extras_sweep(struct extras *x); /* drop what is not marked */

size_t extras_memory(const struct extras *x);

#endif
