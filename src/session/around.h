#ifndef TEND_SESSION_AROUND_H
#define TEND_SESSION_AROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/id.h"
#include "op/ops.h"

struct confinement;
struct error;

/*
 * The sessions that a process runs in.  TEND_SESSION is no proof: a program
 * can change it or pass it on.  For instance, a tmux server outlives the
 * session that started it.  Instead this looks for keepers among the ancestors
 * of the process.  A keeper adopts orphans, so a process stays below its
 * keeper after setsid(2) and when its parents have ended.
 *
 * Processes end during the search, and the kernel reuses their pids.  So a
 * parent must be older than its child, or still be its parent after it was
 * read.  `doubtful` is set when the ancestors are not certain: the process or
 * one of its ancestors has ended or is hidden, or there are more than
 * AROUND_ANCESTORS_MAX ancestors or AROUND_SESSIONS_MAX keepers.  A hidden
 * process of another user is no doubt: it ends the search.
 */
#define AROUND_ANCESTORS_MAX 256
#define AROUND_SESSIONS_MAX 16

struct around {
	bool doubtful;
	size_t n;                     /* keepers that were found */
	struct confinement *sessions; /* of these keepers, nearest first */
};

void around_find_own(struct around *a); /* of this process */

/*
 * The process with this pid, which connected the other end of a unix socket.  If it
 * has ended, others may have the connection, and the pid: that is doubtful.
 */
void around_find_peer(struct around *a, int fd, pid_t pid);

void around_finish(struct around *a);

/*
 * Read the command line of a keeper.  False if it cannot be read; then c is
 * confined without a grant.
 */
bool around_read_keeper(pid_t keeper, struct confinement *c);

/*
 * Check that all these sessions allow this to the session `target`, or, with
 * around_check_any, that they allow anything at all.  0; or -EACCES, the
 * reason and the next step.  `doubtful` is the caller's to check.
 */
int around_check(const struct around *a, const struct confinement *target,
    const char *name, enum op_permission permission, struct error *err);
int around_check_any(const struct around *a, const struct confinement *target,
    const char *name, struct error *err);

/*
 * Find the nearest session of this process.  Return true if there is one; id
 * is "" if its id is not known.  If /proc hides the parents, this trusts
 * TEND_SESSION.
 */
bool around_session(char id[ID_SIZE]);

#endif
