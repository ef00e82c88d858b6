#ifndef TEND_HOST_STREAM_ENGINE_H
#define TEND_HOST_STREAM_ENGINE_H

#include <stdbool.h>

struct error;
struct session;
struct vt;

/*
 * The terminal engine of the display.  Answers to queries and what the program
 * said go to the display's hooks.
 */

/* Have this engine, from a replay; NULL: a fresh one of the manifest's size. */
void engine_adopt(struct session *session, struct vt *vt);

/* Begin anew, with an empty screen. */
void engine_reset(struct session *session);

/* Whether queries in the bytes to come are answered. */
void engine_answers(struct session *session, bool answer);

/*
 * Give the terminal, the screen and the log another size, and tell the hooks.
 * `by` names the client in the log.  The same size again is no event.
 */
int engine_resize(struct session *session, unsigned cols, unsigned rows,
    const char *by, struct error *err);

#endif
