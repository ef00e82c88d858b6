#ifndef TEND_CMD_LOOK_LISTING_H
#define TEND_CMD_LOOK_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct manifest;

/*
 * Sessions as a table for people, one line each, no line wider than the
 * terminal:
 *
 *	NAME    STATUS    AGE  SIZE   VIEWERS  LAST LINE
 *	claude  running   2m   80x24  1        > Try "fix the tests"
 *
 * With `ids`, the ids come first, and size and viewers are left out.  A wide
 * terminal also shows the size of the log and the command.  A narrow one drops
 * columns, the name last.  Control characters in the text are escaped, since it
 * comes from programs and files.  Pure.
 */
struct listing {
	unsigned width; /* columns */
	bool ids;
	bool colours;
	int64_t now_ms; /* since 1970; the end of all ages */
};

#define LISTING_WIDTH 80 /* without a terminal */

void listing_put(const struct listing *l, const struct manifest *items,
    size_t n, struct buf *out);

#endif
