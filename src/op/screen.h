#ifndef TEND_OP_SCREEN_H
#define TEND_OP_SCREEN_H

#include <stdint.h>

struct json_out;
struct vt;

enum screen_flags {
	SCREEN_SCROLLBACK = 1 << 0,
	SCREEN_CELLS = 1 << 1,  /* also wrapped, links and modes */
	SCREEN_HIDDEN = 1 << 2, /* hidden.h */
};

/*
 * The screen to write.  seq and offset give its moment in the session.  `lines`
 * writes keys and values instead of the visible rows; NULL: all rows.
 */
typedef void screen_lines_fn(const void *arg, const struct vt *vt,
    struct json_out *j);

struct screen_look {
	unsigned flags; /* enum screen_flags */
	uint64_t seq, offset;
	screen_lines_fn *lines;
	const void *arg;
};

/* Write the screen object that docs/screen.md describes. */
void screen_put(const struct vt *vt, const struct screen_look *look,
    struct json_out *j);

/* The same with all rows. */
void screen_json(const struct vt *vt, unsigned flags, uint64_t seq,
    uint64_t offset, struct json_out *j);

/* The rows as an array of strings. */
void screen_lines(const struct vt *vt, struct json_out *j);

#endif
