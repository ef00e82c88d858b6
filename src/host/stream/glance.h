#ifndef TEND_HOST_STREAM_GLANCE_H
#define TEND_HOST_STREAM_GLANCE_H

#include <stddef.h>

struct host;
struct vt;

/*
 * What a listing shows of a session without asking anybody: the last line of
 * its screen, in session.json.  That is written anew once output has paused for
 * a second, but not more often than every 5 seconds, and every 10 seconds while
 * there is no pause.  A session that writes nothing costs nothing.
 */
struct glance;

struct glance *glance_create(struct host *h);
void glance_destroy(struct glance *g); /* NULL is fine */

/* There was output. */
void glance_output(struct glance *g);

/*
 * The lowest row that has a word in it, without the frame around it, its blanks
 * joined; "" when there is none.  Cut to size, at a character's border.
 */
void glance_line(const struct vt *vt, char *out, size_t size);

#endif
