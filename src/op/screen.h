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
 * The screen object, as docs/screen.md describes it.  seq and offset say
 * which moment of a session this is.
 */
void screen_json(const struct vt *vt, unsigned flags, uint64_t seq,
    uint64_t offset, struct json_out *j);

#endif
