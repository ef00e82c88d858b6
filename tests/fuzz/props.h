#ifndef TEND_TESTS_PROPS_H
#define TEND_TESTS_PROPS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;
struct vt;
struct vt_config;
struct vt_ops;

/*
 * Properties that every terminal has, whatever bytes it was fed.  The fuzzers
 * check them on random streams, the unit tests on recordings.  Each returns 0,
 * or a negative errno with the observation in err.
 */

/*
 * Rows are well formed: a wide cell has its tail and a tail its wide cell,
 * cells right of `used` are zero, text can make every cell, rows packed ahead
 * equal the packed cells, and the cursor is inside.  The history is checked
 * too.
 */
int prop_structure(const struct vt *vt, struct error *err);

/*
 * The text is valid UTF-8, has one line for each row, agrees with the cells,
 * and has the given hash.
 */
int prop_text(const struct vt *vt, struct error *err);

/* The memory held stays below the bound set by the size and the limits. */
int prop_memory(const struct vt *vt, const struct vt_config *config,
    struct error *err);

/*
 * Both are in the same state, hidden parts included: their keyframes are
 * equal.
 */
int prop_same(const struct vt *a, const struct vt *b, struct error *err);

/*
 * Both look the same to a user and to a program, in all that ANSI can express.
 */
int prop_alike(const struct vt *a, const struct vt *b, struct error *err);

/* The rows of their histories look the same too. */
int prop_alike_history(const struct vt *a, const struct vt *b,
    struct error *err);

/*
 * A terminal restored from this one's keyframe, or NULL if its own keyframe
 * has other bytes.  The caller destroys it.
 */
struct vt *prop_restored(const struct vt *vt, const struct vt_ops *ops,
    void *arg, struct error *err);

/*
 * The output of vt_render makes a fresh terminal alike, makes it render to the
 * same bytes, and asks it no question. config has the limits for the fresh
 * terminal; its size and ops are ignored.
 */
int prop_render(const struct vt *vt, const struct vt_config *config,
    unsigned flags, struct error *err);

/*
 * The same, and the copy then answers a probe as the terminal itself does.  A
 * probe is a few bytes that reveal hidden state (pen, margins, tab stops,
 * saved cursors, the other screen).  There are PROP_PROBES of them.
 */
#define PROP_PROBES 14
int prop_render_probe(const struct vt *vt, const struct vt_config *config,
    unsigned probe, struct error *err);

/*
 * Resizing to another size and back keeps every line.  The terminal must show
 * its primary screen and have room in its history; it is not changed.
 */
int prop_resize_back(const struct vt *vt, unsigned cols, unsigned rows,
    struct error *err);

/*
 * The logical lines of history and screen, each ended by '\n', without
 * trailing blanks and without the empty lines at the end.
 */
int prop_lines(const struct vt *vt, struct buf *out);

/* The bytes are answers of the fixed grammar and nothing else. */
int prop_reply(const char *p, size_t len, struct error *err);

#endif
