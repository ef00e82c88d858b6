#ifndef TEND_HOST_STREAM_NOTICES_H
#define TEND_HOST_STREAM_NOTICES_H

#include <stdbool.h>

struct manifest;
struct vt_event;

/*
 * The program's title, bells and notifications, kept in the manifest for
 * listings.  The texts come from the program: they are cut to the size of
 * their field, and control characters are removed.
 *
 * A host that dies loses the notices of the last second, which were not
 * written yet.
 */

/* True if the event changed the manifest. */
bool notices_event(struct manifest *m, const struct vt_event *ev);

/* True if the title changed. */
bool notices_title(struct manifest *m, const char *title);

#endif
