#ifndef TEND_HOST_STREAM_ENGINE_H
#define TEND_HOST_STREAM_ENGINE_H

#include <stdbool.h>

struct error;
struct session;
struct vt;

/*
 * The terminal engine of the display.  Its answers to queries and the
 * program's events go to the display's hooks.
 */

/* Use this engine, from a replay; NULL: a new one of the manifest's size. */
void engine_adopt(struct session *session, struct vt *vt);

/* Start again with an empty screen. */
void engine_reset(struct session *session);

/* Set whether queries in the following bytes are answered. */
void engine_answers(struct session *session, bool answer);

/*
 * Resize the terminal, the screen and the log, and call the hooks.  `by` names
 * the client in the log.  The same size again is no event.
 */
int engine_resize(struct session *session, unsigned cols, unsigned rows,
    const char *by, struct error *err);

#endif
