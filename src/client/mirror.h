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
 * A session's screen as a client knows it: a picture from the host and the
 * output that came after it.
 *
 * While output only passes through to the user's terminal nobody looks at the
 * screen, and to keep it would cost more than all the rest.  So output is kept
 * as bytes and shown to the engine when somebody asks, or when it is quiet.
 * More than MIRROR_PENDING of it, and the mirror is stale: the host has to be
 * asked for a new picture.
 */
#define MIRROR_PENDING (1u << 20)

struct mirror {
	struct vt *vt;       /* NULL before the first picture */
	bool stale;          /* output is missing in it */
	uint64_t offset;     /* of the next byte of output */
	unsigned cols, rows; /* of the session, also while stale; 0: unknown */
	struct buf pending;  /* output that vt has not seen */
};

void mirror_init(struct mirror *m);
void mirror_finish(struct mirror *m);

/* Begin anew with a picture; -EPROTO and why when it is none. */
int mirror_picture(struct mirror *m, const struct frame_screen *s,
    const void *p, size_t len, struct error *err);

/* The same with a screen that somebody else has made; it is ours now. */
void mirror_adopt(struct mirror *m, struct vt *vt, uint64_t offset);

/*
 * Output from an offset on.  Returns how many bytes at its beginning were known
 * already.  Output that does not follow what is there makes it stale.
 */
size_t mirror_output(struct mirror *m, uint64_t offset, const void *p,
    size_t len);

/* The session got another size, here in its output. */
void mirror_resize(struct mirror *m, unsigned cols, unsigned rows);

/* Show the engine what it has not seen.  The screen, or NULL when stale. */
struct vt *mirror_look(struct mirror *m);

#endif
