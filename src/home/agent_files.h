#ifndef TEND_HOME_AGENT_FILES_H
#define TEND_HOME_AGENT_FILES_H

#include <limits.h>
#include <stdbool.h>

struct agent_profiles;

/*
 * The user's own profiles of agents (agent/profile.h), which add to the
 * built-in ones or replace them:
 *
 *	$XDG_CONFIG_HOME/tend/agents/NAME.ini	or ~/.config/tend/agents
 *
 * Other names are passed over.  A file that cannot be used is reported, and the
 * others count.
 */

/* The directory, existing or not; false without a home directory. */
bool agent_files_dir(char out[PATH_MAX]);

/* `why` has the reason, with the line. */
typedef void agent_files_fn(void *arg, const char *path, const char *why);

/* Add all files to the profiles, in the order of their names. */
void agent_files_read(struct agent_profiles *all, agent_files_fn *refused,
    void *arg);

#endif
