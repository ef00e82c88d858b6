#ifndef TEND_VT_TEXT_H
#define TEND_VT_TEXT_H

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

/* Screen hash (K-14): lower-case hex SHA-256 of what vt_text() gives. */
void vt_hash(const struct vt *vt, char out[65]);

#endif
