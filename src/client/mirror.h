#ifndef TEND_CLIENT_MIRROR_H
#define TEND_CLIENT_MIRROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct error;
struct frame_screen;
struct vt;

/*
 * A session's screen on the client: a picture from the host and the output
 * after it.
 *
 * While output passes through to the user's terminal, the screen is not
 * needed, and updating it would cost more than everything else.  So output is
 * kept as bytes and goes to the engine when the screen is needed, or when it
 * is quiet.  With more than MIRROR_PENDING bytes the mirror becomes stale: it
 * needs a new picture from the host.
 */
#define MIRROR_PENDING (1u << 20)

struct mirror {
	struct vt *vt;       /* NULL before the first picture */
	bool stale;          /* it lacks some output */
	uint64_t offset;     /* of the next byte of output */
	unsigned cols, rows; /* of the session, also while stale; 0: unknown */
	struct buf pending;  /* output not yet in vt */
};

void mirror_init(struct mirror *m);
void mirror_finish(struct mirror *m);

/* Begin again with a picture; -EPROTO with err if it is invalid. */
int mirror_picture(struct mirror *m, const struct frame_screen *s,
    const void *p, size_t len, struct error *err);

/* The same with a screen made elsewhere; takes it over. */
void mirror_adopt(struct mirror *m, struct vt *vt, uint64_t offset);

/*
 * Add output at an offset.  Returns how many of its first bytes were known
 * already.  Output after a gap makes the mirror stale.
 */
size_t mirror_output(struct mirror *m, uint64_t offset, const void *p,
    size_t len);

/* The session was resized at this point of its output. */
void mirror_resize(struct mirror *m, unsigned cols, unsigned rows);

/* Bring the engine up to date.  Returns the screen, or NULL if stale. */
struct vt *mirror_look(struct mirror *m);

#endif
