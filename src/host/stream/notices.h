#ifndef TEND_HOST_STREAM_NOTICES_H
#define TEND_HOST_STREAM_NOTICES_H

#include <stdbool.h>

struct manifest;
struct vt_event;

/*
 * The program's title, bells and notifications, kept in the manifest for
 * listings.  Texts come from the program: they are cut to the size of their
 * field, and characters that a terminal obeys are left out.
 *
 * A host that dies forgets the notices of the last second, which it had not
 * written yet.
 */

/* Whether the event changed the manifest. */
bool notices_event(struct manifest *m, const struct vt_event *ev);

/* Whether the title is another one than before. */
bool notices_title(struct manifest *m, const char *title);

#endif
