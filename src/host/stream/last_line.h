#ifndef TEND_HOST_STREAM_LAST_LINE_H
#define TEND_HOST_STREAM_LAST_LINE_H

#include <stddef.h>

struct session;
struct vt;

/*
 * The last line of the screen, kept in session.json so that a listing can show
 * it without asking the host.  It is written after output has paused for a
 * second, at most every 5 seconds; without a pause every 10 seconds.  A
 * session without output costs nothing.
 */
struct last_line;

struct last_line *last_line_create(struct session *session);
void last_line_destroy(struct last_line *g); /* NULL is fine */

/* There was output. */
void last_line_output(struct last_line *g);

/*
 * The lowest row that contains a word, without the frame around it and with
 * blanks joined; "" if there is none.  Cut to size between two characters.
 */
void last_line_of(const struct vt *vt, char *out, size_t size);

#endif
