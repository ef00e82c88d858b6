#ifndef TEND_HOST_CORE_CHANGES_H
#define TEND_HOST_CORE_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

struct vt;

/*
 * After which event what is shown last changed: as a whole, and each row of
 * the screen.  So whoever has seen the screen at a seq can be told what is new
 * since, however long ago that was.  A host that follows another begins with
 * everything being new.
 */
struct changes {
	uint64_t seq;        /* of the last event that changed something */
	uint64_t generation; /* of the engine then */
	uint64_t *rows;      /* the same seq for each row */
	unsigned n_rows;
};

void changes_finish(struct changes *c);

/* Everything is new: another engine (NULL: none), another size. */
void changes_all(struct changes *c, const struct vt *vt, uint64_t seq);

/* The event has been shown; without an engine, whatever it was counts. */
void changes_note(struct changes *c, const struct vt *vt, uint64_t seq);

/* Whether row y was written to after the event. */
bool changes_row(const struct changes *c, const struct vt *vt, unsigned y,
    uint64_t since);

#endif
