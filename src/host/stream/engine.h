#ifndef TEND_HOST_STREAM_ENGINE_H
#define TEND_HOST_STREAM_ENGINE_H

#include <stdbool.h>

struct host;
struct vt;

/*
 * The host's terminal engine, h->vt, and its way back to the program: answers
 * to queries go to the server's input, what the program said to viewers.
 */

/* Have this engine, from a replay; NULL: a fresh one of the manifest's size. */
void engine_adopt(struct host *h, struct vt *vt);

/* Begin anew, with an empty screen. */
void engine_reset(struct host *h);

/* Whether queries in the bytes to come are answered. */
void engine_answers(struct host *h, bool answer);

#endif
