#ifndef TEND_AGENT_PROFILES_H
#define TEND_AGENT_PROFILES_H

#include <stddef.h>

struct agent_profile;
struct error;

/* All profiles that are known, by name; AGENT_PROFILES_MAX at most. */
struct agent_profiles;

#define AGENT_PROFILES_MAX 64

/* The built-in profiles. */
struct agent_profiles *agent_profiles_create(void);
void agent_profiles_destroy(struct agent_profiles *all); /* NULL is allowed */

/*
 * Add the profile of a user's file, or replace the one of that name.  0, or
 * -errno and *err with the line and the reason; nothing has changed then.
 * Pointers to a profile that is replaced are no longer valid.
 */
int agent_profiles_add(struct agent_profiles *all, const char *name,
    const char *text, size_t len, struct error *err);

/* NULL: there is none of that name. */
const struct agent_profile *agent_profiles_find(const struct agent_profiles
						    *all,
    const char *name);

/* In the order of their names. */
size_t agent_profiles_count(const struct agent_profiles *all);
const struct agent_profile *agent_profiles_at(const struct agent_profiles *all,
    size_t i);

#endif
