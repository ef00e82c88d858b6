#ifndef TEND_SESSION_LAST_H
#define TEND_SESSION_LAST_H

#include "base/id.h"

/*
 * The session of a home that was attached last, for `tend attach -`:
 *
 *	HOME/last	a link to sessions/ID
 *
 * It is replaced by rename(2), so several attaches at once leave the link of
 * one of them.  Nothing depends on it.  A file that is no such link counts as
 * missing, and the link may name a session that was removed.
 */

/* -EACCES if the home is another user's: root writes nothing there. */
int last_note(int homefd, const char *id);

/* -ENOENT if no session was attached yet. */
int last_read(int homefd, char id[ID_SIZE]);

#endif
