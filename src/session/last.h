#ifndef TEND_SESSION_LAST_H
#define TEND_SESSION_LAST_H

#include "base/id.h"

/*
 * Which session of a home was attached last, for `tend attach -`:
 *
 *	HOME/last	a link to sessions/ID
 *
 * It is renamed over what is there, so that several who attach at once leave the
 * link of one of them.  Nothing depends on it: what is no such link is as if
 * nobody had attached, and it may lead to a session that is gone.
 */

/* -EACCES when the home is another user's, for root leaves nothing behind. */
int last_note(int homefd, const char *id);

/* -ENOENT when none is known. */
int last_read(int homefd, char id[ID_SIZE]);

#endif
