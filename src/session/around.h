#ifndef TEND_SESSION_AROUND_H
#define TEND_SESSION_AROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/id.h"

struct confinement;

/*
 * The sessions that a process is in.  TEND_SESSION does not tell: a program can
 * change it, or pass it on, as the server of tmux does, which outlives the
 * session that it was started in.  The keepers among the ancestors tell.  A
 * keeper adopts orphans, so a process stays below it after setsid(2) and when
 * its parents have ended.
 *
 * Processes end while their parents are looked for, and their numbers are used
 * again: a parent must be older than its child, or still be its parent after it
 * was looked at.  `doubtful` is set when the ancestors cannot be told: the process
 * or one of its ancestors has ended or is hidden, or there are more than
 * AROUND_ANCESTORS_MAX of them or AROUND_SESSIONS_MAX keepers.  A hidden
 * process of another user is no doubt: it ends the search.
 */
#define AROUND_ANCESTORS_MAX 256
#define AROUND_SESSIONS_MAX 16

struct around {
	bool doubtful;
	size_t n;                     /* keepers that were found */
	struct confinement *sessions; /* theirs, the nearest first */
};

void around_find(struct around *a, pid_t pid);
void around_finish(struct around *a);

/*
 * The nearest session of this process.  True when there is one; id is "" when
 * only that is known.  Where the parents cannot be seen, TEND_SESSION is
 * believed.
 */
bool around_session(char id[ID_SIZE]);

#endif
