#ifndef TEND_AGENT_PROFILE_STATE_H
#define TEND_AGENT_PROFILE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "op/activity.h"
#include "agent/profile.h"
#include "agent/versions.h"

struct agent_profiles;
struct pattern;

/* The content of a profile, for the files of this folder. */

/*
 * A pattern, which is compiled at its first use: a host knows all profiles
 * and needs the patterns of one.
 */
struct agent_pattern {
	unsigned line;
	char *text;
	struct pattern *compiled; /* NULL: not yet, or it cannot be */
	bool tried;
};

struct agent_patterns {
	struct agent_pattern *of;
	size_t n;
};

struct agent_names {
	char *of[AGENT_NAMES_MAX];
	size_t n;
};

/* The box that a rule demands. */
enum agent_needs_box {
	AGENT_ANY_BOX,
	AGENT_NO_BOX,
	AGENT_SOME_BOX,
	AGENT_EMPTY_BOX,
	AGENT_DRAFT_BOX,
	AGENT_NEEDS_BOX
};

/* Of a title or a screen. */
struct agent_rule {
	char name[AGENT_NAME_MAX + 1];
	bool of_title;
	unsigned line;
	bool has_activity;
	enum activity activity;
	struct agent_versions *seen; /* NULL: those of the profile */
	struct agent_patterns match, unless;
	unsigned rows;
	enum agent_needs_box box;
	bool proof;
};

struct agent_box_rule {
	unsigned rows;
	bool faint;
	struct agent_patterns begin, end, margin, placeholder, fold;
};

struct agent_profile {
	char name[AGENT_NAME_MAX + 1];
	char *title;
	const char *text; /* the copy, or that of the built-in file */
	char *copy;       /* NULL: none */
	const char *rest; /* of the text, not parsed yet; NULL: none */
	bool own;         /* of a user's file */
	struct agent_names program, package, path, app, except;
	struct agent_patterns version;
	struct agent_versions seen;
	struct agent_box_rule box;
	struct agent_rule *rules;
	size_t n;
};

/*
 * All searches of one look together have the steps of one search
 * (op/pattern.h).  When these are used up, nothing is found any more, and
 * nothing that was found may be believed: the missing match may be a dialog's.
 */
struct agent_search {
	size_t steps;
	bool gave_up;
};

/* The first match that begins at or after *from: true, and its bytes. */
bool agent_pattern_find(struct agent_pattern *p, struct agent_search *s,
    const char *text, size_t len, size_t *from, size_t *to);

/* True if one of them is in the text. */
bool agent_patterns_any(const struct agent_patterns *all,
    struct agent_search *s, const char *text, size_t len);

/*
 * A built-in profile, whose text stays valid, at first with its section [agent]
 * alone: a program is recognised by that, and a host needs the rest of one.
 */
struct agent_profile *agent_profile_brief(const char *name, const char *text);
/* Parse the rest, unless that is done. */
void agent_profile_complete(struct agent_profile *p);

/* agent_profiles_at, but a built-in profile may have its first section alone. */
const struct agent_profile *agent_profiles_peek(const struct agent_profiles
						    *all,
    size_t i);

/* Compile all patterns now: 0, or -EINVAL and the line and reason. */
int agent_profile_check(const struct agent_profile *p, struct error *err);

/* True if the rule counts for this version; NULL or "": not known. */
bool agent_rule_counts(const struct agent_profile *p,
    const struct agent_rule *rule, const char *version);

/* True if what the profile knows of screens counts for this version. */
bool agent_profile_counts(const struct agent_profile *p, const char *version);

#endif
