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
 * What is true of a terminal whatever it was fed.  The fuzzers look at random
 * streams with these, the unit tests at recordings.  Each returns 0, or a
 * negative errno with err saying what was seen.
 */

/*
 * Rows are well formed: a wide cell has its tail and a tail its wide cell,
 * what is right of `used` is zero, every cell is one that text can make, and
 * what was packed ahead is what the cells are packed as; the cursor is inside.
 * History included.
 */
int prop_structure(const struct vt *vt, struct error *err);

/*
 * The text is valid UTF-8, a line for each row, agrees with the cells, and the
 * hash is its hash.
 */
int prop_text(const struct vt *vt, struct error *err);

/* The memory held stays under what the size and the limits allow. */
int prop_memory(const struct vt *vt, const struct vt_config *config,
    struct error *err);

/* Both are in the same state, hidden parts included: keyframes are equal. */
int prop_same(const struct vt *a, const struct vt *b, struct error *err);

/* Both look the same to a user and to a program: all that ANSI can say. */
int prop_alike(const struct vt *a, const struct vt *b, struct error *err);

/* And so do the rows of their histories. */
int prop_alike_history(const struct vt *a, const struct vt *b,
    struct error *err);

/*
 * A terminal restored from the keyframe of this one, its own keyframe being
 * the same bytes; NULL when they are not.  The caller destroys it.
 */
struct vt *prop_restored(const struct vt *vt, const struct vt_ops *ops,
    void *arg, struct error *err);

/*
 * What vt_render gives makes a fresh terminal alike, makes it render to the
 * same bytes, and asks it no question.  config has the limits for the fresh
 * terminal; its size and ops are not looked at.
 */
int prop_render(const struct vt *vt, const struct vt_config *config,
    unsigned flags, struct error *err);

/*
 * The same, and the copy then answers a probe as the terminal itself does: a
 * few bytes that bring out state which does not show (pen, margins, tab stops,
 * saved cursors, the other screen).  There are PROP_PROBES of them.
 */
#define PROP_PROBES 14
int prop_render_probe(const struct vt *vt, const struct vt_config *config,
    unsigned probe, struct error *err);

/*
 * Going to another size and back keeps every line.  The terminal must show
 * its primary screen and have room in its history; it is not changed.
 */
int prop_resize_back(const struct vt *vt, unsigned cols, unsigned rows,
    struct error *err);

/*
 * The logical lines of history and screen, each ended by '\n', without
 * trailing blanks and without the empty lines at the end.
 */
int prop_lines(const struct vt *vt, struct buf *out);

/* The bytes are answers out of the fixed grammar and nothing else. */
int prop_reply(const char *p, size_t len, struct error *err);

#endif
