#ifndef TEND_OP_EXTRACT_H
#define TEND_OP_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct json_out;
struct vt;
struct vt_row;

/*
 * Rows of a screen and its scrollback as text, gathered from the top so that
 * the lowest of them can be kept when there are too many.
 */
#define EXTRACT_SCROLLED UINT32_MAX /* the row of one that left the screen */

struct extract_line {
	size_t end; /* in text */
	unsigned row;
};

struct extract {
	struct buf text; /* of all, one after the other */
	struct extract_line *all;
	size_t n, cap;
	size_t first; /* those before it are left out */
};

void extract_init(struct extract *l, size_t max);
void extract_finish(struct extract *l);

void extract_add(struct extract *l, const struct vt_row *row, unsigned y);

/* The whole scrollback; the rows of the screen that `wanted` has, or all. */
void extract_add_scrollback(struct extract *l, const struct vt *vt);
void extract_add_screen(struct extract *l, const struct vt *vt,
    bool (*wanted)(const void *arg, unsigned y), const void *arg);

/*
 * The output of the last command, by the marks of OSC 133 that its shell made:
 * from where it began to the next prompt, or to the cursor while it runs.
 * False when there is none to be seen.
 */
bool extract_add_command(struct extract *l, const struct vt *vt, bool *running);

/*
 * Leave out as many as it takes; each counts with a line's end.  With `blank`,
 * those go first that are empty and at the end: they say nothing.
 */
void extract_limit(struct extract *l, size_t max_bytes, bool blank);

/* The text of one; its length. */
const char *extract_at(const struct extract *l, size_t i, size_t *len);

/* Those that are left: joined by '\n', or as strings of an open array. */
int extract_join(const struct extract *l, struct buf *out);
void extract_put(const struct extract *l, size_t from, size_t to,
    struct json_out *j);

#endif
