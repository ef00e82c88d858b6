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
 * and with their style: all that `tend log` has of them, also what was erased.
 * So however long a log is, a chapter costs what is printed between two
 * keyframes, which is half a MiB.
 *
 * A chapter ends where the next one begins.  What then stands above the cursor
 * is in it; a line that is changed after that is in the next one once more.
 * The last chapter has all that is on the screen.
 *
 * The text has whole lines; the row that the margin broke is the one without a
 * newline at its end.  A chapter holds CHAPTER_BYTES of text and as much of
 * style; the rows after that are left out.
 */
#define CHAPTER_BYTES (32u << 20)

struct chapter_row {
	uint32_t text;  /* where its text begins */
	uint32_t style; /* the same with style, as a terminal reads it */
	uint16_t cols;  /* so wide is it */
};

struct chapter {
	uint64_t begin_seq, end_seq; /* of the log; 0: it is the host's page */
	uint64_t begin_offset, end_offset; /* of the output */
	struct buf text, style;
	struct chapter_row *rows; /* one more than n: where the last one ends */
	size_t n, room;
};

/* Of what log; first_seq is its first keyframe, last_seq the last event. */
struct chapter_log {
	struct log_reader *reader;
	uint64_t first_seq, last_seq;
};

/*
 * The chapter that an event is in, or the first one.  Without `rows`, its text
 * alone, which takes half the time.  -ENOENT when there is none.
 */
int chapter_load(struct chapter *c, const struct chapter_log *log, uint64_t seq,
    bool rows);
/* A screen and the history above it. */
void chapter_copy(struct chapter *c, const struct vt *vt);
void chapter_finish(struct chapter *c); /* all zero is fine */

/* A row's text, without the newline: its length, and *p. */
size_t chapter_text(const struct chapter *c, size_t row, const char **p);
/* True if the line of the row goes on in the next one. */
bool chapter_goes_on(const struct chapter *c, size_t row);
/* The row that this byte of the text is in. */
size_t chapter_row_at(const struct chapter *c, size_t at);

#endif
