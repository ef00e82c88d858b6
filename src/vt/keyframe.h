#ifndef TEND_VT_KEYFRAME_H
#define TEND_VT_KEYFRAME_H

#include <stddef.h>

struct buf;
struct error;
struct vt;
struct vt_ops;

/*
 * The complete state of a terminal as bytes: both screens, history, cursors,
 * modes, colours, links, titles, and the part of a sequence or character that
 * has come so far.  Restored and fed the rest of a stream, the terminal is the
 * same as one that was fed all of it.  The format is drawn in keyframe.c.
 */
int keyframe_save(const struct vt *vt, struct buf *out);

/*
 * The same without the history: all that bytes to come can change or ask
 * about, but for a resize, which would find no lines above the screen.
 */
int keyframe_save_screen(const struct vt *vt, struct buf *out);

/* NULL and *err when the bytes are damaged or of a newer engine. */
struct vt *keyframe_restore(const void *p, size_t len, const struct vt_ops *ops,
    void *arg, struct error *err);

#endif
