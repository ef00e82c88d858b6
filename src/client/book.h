#ifndef TEND_CLIENT_BOOK_H
#define TEND_CLIENT_BOOK_H

#include <stdint.h>

struct error;
struct vt;

/*
 * A session's screen with its history above it, to be leafed through.  The
 * pictures of an attached client have no history, so it is asked for over a
 * connection of its own.
 */
#define BOOK_LINES 2000
#define BOOK_BYTES (16u << 20)

/* NULL and why; *offset is where in the output it was taken. */
struct vt *book_fetch(int dirfd, int timeout_ms, uint64_t *offset,
    struct error *err);

#endif
