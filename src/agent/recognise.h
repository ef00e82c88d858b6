#ifndef TEND_AGENT_RECOGNISE_H
#define TEND_AGENT_RECOGNISE_H

#include <stddef.h>

struct agent_profile;
struct agent_profiles;

/*
 * The profile of a process with this command line (words that each end with a
 * NUL, as in /proc/PID/cmdline), or NULL.  It looks through wrappers (env,
 * nice, npx, sh -c 'exec ...'), and through interpreters such as node and bun
 * in front of a script, which is recognised by its package or its name.
 */
const struct agent_profile *agent_recognise(const struct agent_profiles *all,
    const char *words, size_t len);

/* By the app= of OSC 7501; NULL: none. */
const struct agent_profile *agent_recognise_app(const struct agent_profiles
						    *all,
    const char *app);

#endif
