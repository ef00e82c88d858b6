#ifndef TEND_OP_LINES_H
#define TEND_OP_LINES_H

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
#define LINE_SCROLLED UINT32_MAX /* the row of one that left the screen */

struct line {
	size_t end; /* in text */
	unsigned row;
};

struct lines {
	struct buf text; /* of all, one after the other */
	struct line *all;
	size_t n, cap;
	size_t first; /* those before it are left out */
};

void lines_init(struct lines *l, size_t max);
void lines_finish(struct lines *l);

void lines_add(struct lines *l, const struct vt_row *row, unsigned y);

/* The whole scrollback; the rows of the screen that `wanted` has, or all. */
void lines_add_scrollback(struct lines *l, const struct vt *vt);
void lines_add_screen(struct lines *l, const struct vt *vt,
    bool (*wanted)(const void *arg, unsigned y), const void *arg);

/*
 * The output of the last command, by the marks of OSC 133 that its shell made:
 * from where it began to the next prompt, or to the cursor while it runs.
 * False when there is none to be seen.
 */
bool lines_add_command(struct lines *l, const struct vt *vt, bool *running);

/* Leave out as many as it takes; each counts with a line's end. */
void lines_limit(struct lines *l, size_t max_bytes);

/* The text of one; its length. */
const char *lines_at(const struct lines *l, size_t i, size_t *len);

/* Those that are left: joined by '\n', or as strings of an open array. */
int lines_join(const struct lines *l, struct buf *out);
void lines_put(const struct lines *l, size_t from, size_t to,
    struct json_out *j);

#endif
