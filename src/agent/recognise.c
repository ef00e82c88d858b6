#include "agent/recognise.h"

#include <stdbool.h>
#include <string.h>

#include "agent/command.h"
#include "agent/profile_state.h"
#include "agent/profiles.h"

/* How a profile is asked, and the thing it is asked about. */
typedef bool fits_fn(const struct agent_profile *p, const void *arg);

static bool
has(const struct agent_names *names, const char *word)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->of[i], word) == 0)
			return true;
	return false;
}

/* "@openai/codex" or, with a version, "@openai/codex@0.166.0". */
static bool
is_package(const char *word, const char *package)
{
	size_t len = strlen(package);

	return strncmp(word, package, len) == 0 &&
	    (word[len] == '\0' || word[len] == '@');
}

/* A file of the package: .../node_modules/PACKAGE/... */
static bool
is_in_package(const char *path, const char *package)
{
	static const char modules[] = "node_modules/";
	size_t len = strlen(package);

	for (const char *p = path; (p = strstr(p, modules)) != NULL;) {
		p += sizeof(modules) - 1;
		if (strncmp(p, package, len) == 0 && p[len] == '/')
			return true;
	}
	return false;
}

static bool
fits_package(const struct agent_profile *p, const char *word)
{
	word += strncmp(word, "npm:", 4) == 0 ? 4 : 0;
	for (size_t i = 0; i < p->package.n; i++)
		if (is_package(word, p->package.of[i]))
			return true;
	return false;
}

/* By its own name, its package or its folder. */
static bool
fits_path(const struct agent_profile *p, const char *path)
{
	const char *base = agent_command_base(path);

	if (has(&p->program, base + (*base == '-')))
		return true;
	for (size_t i = 0; i < p->package.n; i++)
		if (is_in_package(path, p->package.of[i]))
			return true;
	for (size_t i = 0; i < p->path.n; i++)
		if (strstr(path, p->path.of[i]) != NULL)
			return true;
	return false;
}

static bool
fits_command(const struct agent_profile *p, const void *arg)
{
	const struct agent_command *c = arg;

	if (c->argument != NULL && has(&p->except, c->argument))
		return false;
	return fits_path(p, c->word) ||
	    (c->kind != AGENT_PROGRAM && fits_package(p, c->word));
}

static bool
fits_app(const struct agent_profile *p, const void *app)
{
	return has(&p->app, app);
}

/* The profiles of the user's own files come first. */
static const struct agent_profile *
find(const struct agent_profiles *all, fits_fn *fits, const void *arg)
{
	const struct agent_profile *found = NULL;

	for (size_t i = 0; i < agent_profiles_count(all); i++) {
		const struct agent_profile *p = agent_profiles_peek(all, i);

		if ((found == NULL || (p->own && !found->own)) && fits(p, arg))
			found = p;
	}
	return found != NULL ? agent_profiles_find(all, found->name) : NULL;
}

const struct agent_profile *
agent_recognise(const struct agent_profiles *all, const char *words, size_t len)
{
	struct agent_command command;

	if (!agent_command_read(words, len, &command))
		return NULL;
	return find(all, fits_command, &command);
}

const struct agent_profile *
agent_recognise_app(const struct agent_profiles *all, const char *app)
{
	return find(all, fits_app, app);
}
