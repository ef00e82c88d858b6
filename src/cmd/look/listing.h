#ifndef TEND_CMD_LOOK_LISTING_H
#define TEND_CMD_LOOK_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct manifest;

/*
 * Sessions as a table for people, a line each, no line wider than the terminal
 * it is for:
 *
 *	NAME    STATUS    AGE  SIZE   VIEWERS  LAST LINE
 *	claude  running   2m   80x24  1        > Try "fix the tests"
 *
 * With `ids`, those come first, and size and viewers are left out; a wide
 * terminal shows the size of the log and the command as well.  A narrow one
 * loses columns, the name last.  What stands there is the
 * programs' and the files', and is made harmless.  Pure.
 */
struct listing {
	unsigned width; /* columns */
	bool ids;
	bool colours;
	int64_t now_ms; /* since 1970; ages are counted to it */
};

#define LISTING_WIDTH 80 /* where there is no terminal */

void listing_put(const struct listing *l, const struct manifest *items,
    size_t n, struct buf *out);

#endif
