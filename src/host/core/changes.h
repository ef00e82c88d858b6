#ifndef TEND_HOST_CORE_CHANGES_H
#define TEND_HOST_CORE_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

struct vt;

/*
 * The event after which the display last changed: as a whole, and for each
 * row.  With it a client that saw the screen at some seq gets only what
 * changed since, however long ago that was.  A new host reports everything as
 * changed.
 */
struct changes {
	uint64_t seq;        /* of the last event that changed the screen */
	uint64_t generation; /* of the engine then */
	uint64_t *rows;      /* the last such seq for each row */
	unsigned n_rows;
};

void changes_finish(struct changes *c);

/* Everything changed: another engine (NULL: none) or another size. */
void changes_all(struct changes *c, const struct vt *vt, uint64_t seq);

/* The event was shown.  Without an engine every event counts as a change. */
void changes_note(struct changes *c, const struct vt *vt, uint64_t seq);

/* True if row y was written after the event. */
bool changes_row(const struct changes *c, const struct vt *vt, unsigned y,
    uint64_t since);

#endif
