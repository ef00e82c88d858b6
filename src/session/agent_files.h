#ifndef TEND_SESSION_AGENT_FILES_H
#define TEND_SESSION_AGENT_FILES_H

#include <limits.h>
#include <stdbool.h>

struct agent_profiles;

/*
 * The user's own profiles of agents (agent/profile.h), which add to the
 * built-in ones or replace them:
 *
 *	$XDG_CONFIG_HOME/tend/agents/NAME.ini	or ~/.config/tend/agents
 *
 * A session gets copies in its directory at its start, as agents/NAME.ini: its
 * host may read no other directory.  Other names are passed over, and so are
 * files beyond AGENT_FILES_MAX, in the order of their names.
 */
#define AGENT_FILES_MAX 64

/* The user's directory, existing or not; false without a home directory. */
bool agent_files_dir(char out[PATH_MAX]);

/* Called for a file that cannot be used; `why` has the reason, with the line. */
typedef void agent_files_fn(void *arg, const char *name, const char *why);

/*
 * Add the files of a directory to the profiles.  Those that cannot be used are
 * reported, unless `refused` is NULL, and the others count.
 */
void agent_files_read(int dirfd, const char *dir, struct agent_profiles *all,
    agent_files_fn *refused, void *arg);

/*
 * Copy the user's files into a session's directory.  Files that cannot be
 * copied are left out: `tend agent ls` tells why one cannot be used.
 */
void agent_files_copy(int session_dirfd);

/* Add the copies in a session's directory to the profiles. */
void agent_files_take(int session_dirfd, struct agent_profiles *all);

#endif
