#ifndef TEND_OP_EXTRACT_H
#define TEND_OP_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct json_out;
struct vt;
struct vt_row;

/*
 * Rows of a screen and its scrollback as text, collected from the top so that
 * the lowest can be kept if there are too many.
 */
#define EXTRACT_SCROLLED UINT32_MAX /* the row number of scrollback */

struct extract_line {
	size_t end; /* its end in text */
	unsigned row;
};

struct extract {
	struct buf text; /* the text of all rows */
	struct extract_line *all;
	size_t n, cap;
	size_t first; /* rows before this one are left out */
};

void extract_init(struct extract *l, size_t max);
void extract_finish(struct extract *l);

/*
 * Add the whole scrollback; or the rows of the screen that `wanted` selects, or
 * all.
 */
void extract_add_scrollback(struct extract *l, const struct vt *vt);
void extract_add_screen(struct extract *l, const struct vt *vt,
    bool (*wanted)(const void *arg, unsigned y), const void *arg);

/*
 * Add the output of the last command, found by the shell's OSC 133 marks: from
 * its start to the next prompt, or to the cursor while it runs.  False if there
 * is none on the screen or in the scrollback.
 */
bool extract_add_command(struct extract *l, const struct vt *vt, bool *running);

/*
 * Leave out rows until the rest fits; each row counts with its newline.  With
 * `blank`, empty rows at the end go first.
 */
void extract_limit(struct extract *l, size_t max_bytes, bool blank);

/* The text of a row and its length. */
const char *extract_at(const struct extract *l, size_t i, size_t *len);

/* The remaining rows, joined by '\n', or as strings in an open array. */
int extract_join(const struct extract *l, struct buf *out);
void extract_put(const struct extract *l, size_t from, size_t to,
    struct json_out *j);

#endif
