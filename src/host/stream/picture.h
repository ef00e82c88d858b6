#ifndef TEND_HOST_STREAM_PICTURE_H
#define TEND_HOST_STREAM_PICTURE_H

#include <stdbool.h>

struct buf;
struct session;

/*
 * The present screen, for a viewer.  Without an engine (raw mode) the picture
 * is empty.
 */

/* Append a SCREEN frame; 0 or -ENOBUFS. */
int picture_put_screen(struct buf *out, const struct session *session,
    bool keyframe);

/* Append the bytes that draw it on a terminal of this size. */
int picture_ansi(struct buf *out, const struct session *session);

#endif
