#include "agent/profiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/profile.h"
#include "agent/profile_state.h"
#include "base/error.h"
#include "base/mem.h"

#include "agent/profile_texts.h"

struct agent_profiles {
	struct agent_profile *of[AGENT_PROFILES_MAX];
	size_t n;
};

static const struct {
	const char *name, *text;
} built_in[] = {
#define AGENT(name) { #name, text_##name },
#include "agent/profiles.def"
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* The place of the first profile that is not before this name. */
static size_t
place_of(const struct agent_profiles *all, const char *name)
{
	size_t i = 0;

	while (i < all->n && strcmp(all->of[i]->name, name) < 0)
		i++;
	return i;
}

static bool
is_at(const struct agent_profiles *all, size_t i, const char *name)
{
	return i < all->n && strcmp(all->of[i]->name, name) == 0;
}

static int
put(struct agent_profiles *all, struct agent_profile *p, struct error *err)
{
	size_t i = place_of(all, p->name);

	if (is_at(all, i, p->name)) {
		agent_profile_destroy(all->of[i]);
		all->of[i] = p;
		return 0;
	}
	if (all->n == AGENT_PROFILES_MAX)
		return error_set(err, ENOSPC,
		    "there are %d profiles, and no more fit",
		    AGENT_PROFILES_MAX);
	memmove(&all->of[i + 1], &all->of[i], (all->n - i) * sizeof(*all->of));
	all->of[i] = p;
	all->n++;
	return 0;
}

/* The patterns of these are checked by a test. */
struct agent_profiles *
agent_profiles_create(void)
{
	struct agent_profiles *all = xcalloc(1, sizeof(*all));

	for (size_t i = 0; i < COUNT(built_in); i++)
		put(all,
		    agent_profile_brief(built_in[i].name, built_in[i].text),
		    NULL);
	return all;
}

void
agent_profiles_destroy(struct agent_profiles *all)
{
	if (all == NULL)
		return;
	for (size_t i = 0; i < all->n; i++)
		agent_profile_destroy(all->of[i]);
	free(all);
}

int
agent_profiles_add(struct agent_profiles *all, const char *name,
    const char *text, size_t len, struct error *err)
{
	struct agent_profile *p = agent_profile_parse(name, text, len, err);
	int rc;

	if (p == NULL)
		return -EINVAL;
	p->own = true;
	rc = agent_profile_check(p, err);
	if (rc == 0)
		rc = put(all, p, err);
	if (rc < 0)
		agent_profile_destroy(p);
	return rc;
}

const struct agent_profile *
agent_profiles_find(const struct agent_profiles *all, const char *name)
{
	size_t i = place_of(all, name);

	if (!is_at(all, i, name))
		return NULL;
	agent_profile_complete(all->of[i]);
	return all->of[i];
}

size_t
agent_profiles_count(const struct agent_profiles *all)
{
	return all->n;
}

const struct agent_profile *
agent_profiles_peek(const struct agent_profiles *all, size_t i)
{
	return all->of[i];
}

const struct agent_profile *
agent_profiles_at(const struct agent_profiles *all, size_t i)
{
	agent_profile_complete(all->of[i]);
	return all->of[i];
}
