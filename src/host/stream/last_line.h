#ifndef TEND_HOST_STREAM_LAST_LINE_H
#define TEND_HOST_STREAM_LAST_LINE_H

#include <stddef.h>

struct session;
struct vt;

/*
 * What a listing shows of a session without asking anybody: the last line of
 * its screen, in session.json.  That is written anew once output has paused for
 * a second, but not more often than every 5 seconds, and every 10 seconds while
 * there is no pause.  A session that writes nothing costs nothing.
 */
struct last_line;

struct last_line *last_line_create(struct session *session);
void last_line_destroy(struct last_line *g); /* NULL is fine */

/* There was output. */
void last_line_output(struct last_line *g);

/*
 * The lowest row that has a word in it, without the frame around it, its blanks
 * joined; "" when there is none.  Cut to size, at a character's border.
 */
void last_line_of(const struct vt *vt, char *out, size_t size);

#endif
