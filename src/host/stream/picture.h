#ifndef TEND_HOST_STREAM_PICTURE_H
#define TEND_HOST_STREAM_PICTURE_H

#include <stdbool.h>

struct buf;
struct session;

/*
 * The screen as it is now, for a viewer.  Without an engine (raw mode) there
 * is nothing to show, and the picture is empty.
 */

/* Append a SCREEN frame; 0 or -ENOBUFS. */
int picture_put_screen(struct buf *out, const struct session *session,
    bool keyframe);

/* Append the bytes that make a terminal of this size show it. */
int picture_ansi(struct buf *out, const struct session *session);

#endif
