#ifndef TEND_VT_TEXT_H
#define TEND_VT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct vt;
struct vt_row;

/*
 * The screen as text, in the one form that hashes, waits and people share:
 * exactly `rows` lines joined by '\n', without a final one, trailing ASCII
 * blanks of each trimmed.  A blank cell is a space.  Always valid UTF-8.
 */
int vt_text(const struct vt *vt, struct buf *out);

/* The rows of the history in the same form, each ended by '\n'. */
int vt_history_text(const struct vt *vt, struct buf *out);

/* One row of it, trimmed. */
int vt_row_text(const struct vt_row *row, struct buf *out);

/*
 * Rows put together to the logical lines that they are parts of, one after the
 * other.  Where the margin broke a line there is no '\n', and the blanks before
 * the break stay, but not the pad of a wide character that went below.
 */
struct vt_lines {
	struct buf *out;
	unsigned cols;
	size_t at;      /* where in `out` the last row begins */
	unsigned blank; /* columns behind its text */
	bool padded;    /* the last of them is a pad */
	bool any;
};

void vt_lines_begin(struct vt_lines *l, const struct vt *vt, struct buf *out);

/* True if the row went on with the line before. */
bool vt_lines_add(struct vt_lines *l, const struct vt_row *row);

/* Screen hash (K-14): lower-case hex SHA-256 of what vt_text() gives. */
void vt_hash(const struct vt *vt, char out[65]);

#endif
