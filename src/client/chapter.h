#ifndef TEND_CLIENT_CHAPTER_H
#define TEND_CLIENT_CHAPTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct log_reader;
struct vt;

/*
 * The rows that a session has shown between two keyframes of its log, as text
 * and with their style: everything that `tend log` prints of them, including
 * erased text.  So the cost of a chapter does not depend on the length of the
 * log: it is the output between two keyframes, half a MiB.
 *
 * A chapter ends where the next one begins.  It has the rows that are above
 * the cursor then; a line that changes later is in the next chapter again.
 * The last chapter has the whole screen.
 *
 * The text has whole lines; a row that the margin broke has no newline at its
 * end.  A chapter holds CHAPTER_BYTES of text and as much of style; further
 * rows are left out.
 */
#define CHAPTER_BYTES (32u << 20)

struct chapter_row {
	uint32_t text;  /* where its text begins */
	uint32_t style; /* the same with style, as escape sequences */
	uint16_t cols;  /* its width */
};

struct chapter {
	uint64_t begin_seq, end_seq;       /* of the log; 0: the host's page */
	uint64_t begin_offset, end_offset; /* of the output */
	struct buf text, style;
	struct chapter_row *rows; /* n + 1: the last one marks the end */
	size_t n, room;
};

/* The log; first_seq is its first keyframe, last_seq the last event. */
struct chapter_log {
	struct log_reader *reader;
	uint64_t first_seq, last_seq;
};

/*
 * The chapter that an event is in, or the first one.  Without `rows` only its
 * text, which takes half the time.  -ENOENT: there is none.
 */
int chapter_load(struct chapter *c, const struct chapter_log *log, uint64_t seq,
    bool rows);
/* Copy a screen and its scrollback. */
void chapter_copy(struct chapter *c, const struct vt *vt);
void chapter_finish(struct chapter *c); /* all zero is fine */

/* A row's text without the newline: *p and its length. */
size_t chapter_text(const struct chapter *c, size_t row, const char **p);
/* True if the row's line continues in the next row. */
bool chapter_goes_on(const struct chapter *c, size_t row);
/* The row of this byte of the text. */
size_t chapter_row_at(const struct chapter *c, size_t at);

#endif
