#ifndef TEND_CLIENT_SCROLLBACK_PART_H
#define TEND_CLIENT_SCROLLBACK_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct log_reader;
struct vt;

/*
 * The rows that a session has shown between two keyframes of its log, as text
 * and with their style: everything that `tend log` prints of them, including
 * erased text.  So the cost of a part does not depend on the length of the
 * log: it is the output between two keyframes, half a MiB.
 *
 * A part ends where the next one begins.  It has the rows that are above
 * the cursor then; a line that changes later is in the next part again.
 * The last part has the whole screen.
 *
 * The text has whole lines; a row that the margin broke has no newline at its
 * end.  A part holds SCROLLBACK_PART_BYTES of text and as much of style;
 * further rows are left out.
 */
#define SCROLLBACK_PART_BYTES (32u << 20)

struct scrollback_part_row {
	uint32_t text;  /* where its text begins */
	uint32_t style; /* the same with style, as escape sequences */
	uint16_t cols;  /* its width */
};

struct scrollback_part {
	uint64_t begin_seq, end_seq;       /* of the log; 0: the host's page */
	uint64_t begin_offset, end_offset; /* of the output */
	struct buf text, style;
	struct scrollback_part_row *rows; /* n + 1: the last marks the end */
	size_t n, room;
};

/* The log; first_seq is its first keyframe, last_seq the last event. */
struct scrollback_part_log {
	struct log_reader *reader;
	uint64_t first_seq, last_seq;
};

/*
 * The part that an event is in, or the first one.  Without `rows` only its
 * text, which takes half the time.  -ENOENT: there is none.
 */
int scrollback_part_load(struct scrollback_part *c,
    const struct scrollback_part_log *log, uint64_t seq, bool rows);
/* Copy a screen and its scrollback. */
void scrollback_part_copy(struct scrollback_part *c, const struct vt *vt);
void scrollback_part_finish(struct scrollback_part *c); /* all zero is fine */

/* A row's text without the newline: *p and its length. */
size_t scrollback_part_text(const struct scrollback_part *c, size_t row,
    const char **p);
/* True if the row's line continues in the next row. */
bool scrollback_part_goes_on(const struct scrollback_part *c, size_t row);
/* The row of this byte of the text. */
size_t scrollback_part_row_at(const struct scrollback_part *c, size_t at);

#endif
