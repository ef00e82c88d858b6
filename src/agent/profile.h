#ifndef TEND_AGENT_PROFILE_H
#define TEND_AGENT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/*
 * Everything that tend knows about one agent, read from a text: the names of
 * its program, and the meaning of its title and its screen.  docs/agents.md
 * describes the format.
 *
 * Limits: a file is refused beyond AGENT_FILE_MAX bytes, AGENT_RULES_MAX rules
 * (of titles and of screens together), AGENT_PATTERNS_MAX patterns in a rule
 * AGENT_RANGES_MAX ranges of versions, or AGENT_NAMES_MAX values of one other
 * key.  Patterns have the limits of
 * op/pattern.h.
 */
struct agent_profile;

#define AGENT_FILE_MAX (64u << 10)
#define AGENT_NAME_MAX 32 /* bytes of the name of a profile or a rule */
#define AGENT_RULES_MAX 64
#define AGENT_PATTERNS_MAX 16
#define AGENT_NAMES_MAX 16

/*
 * NULL, and *err with the line and the reason, if anything in the text is
 * wrong.  Nothing in a profile is skipped.
 */
struct agent_profile *agent_profile_parse(const char *name, const char *text,
    size_t len, struct error *err);
void agent_profile_destroy(struct agent_profile *p); /* NULL is allowed */

const char *agent_profile_name(const struct agent_profile *p);  /* "claude" */
const char *agent_profile_title(const struct agent_profile *p); /* for people */
const char *agent_profile_text(const struct agent_profile *p);  /* its file */

/* True if it is from a user's file. */
bool agent_profile_is_own(const struct agent_profile *p);

/* The versions that it knows, as words; "" if it counts for all. */
void agent_profile_seen(const struct agent_profile *p, char *out, size_t size);

#endif
