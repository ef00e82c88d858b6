#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "home/checkup_state.h"
#include "home/config.h"

/* Checks the settings in force and their origin. */

#define TEXT_MAX 8192

/* True if the setting has its default value. */
static bool
tell(struct checkup *c, const struct config_setting *s,
    const struct config_value *v)
{
	const char *env = s->variable != NULL ? getenv(s->variable) : NULL;

	if (env != NULL && *env != '\0')
		checkup_ok(c, "%s.%s: $%s = %s", s->section, s->key,
		    s->variable, env);
	else if (v->text != NULL)
		checkup_ok(c, "%s.%s = %s (%s:%u)", s->section, s->key, v->text,
		    v->file, v->line);
	else
		return true;
	return false;
}

static void
on_warning(void *arg, const char *text)
{
	checkup_bad(arg, CHECKUP_WARNING, "tend ignores the setting",
	    "fix that line; tend(1) lists the settings", "%s", text);
}

static void
tell_files(struct checkup *c, const struct config *config)
{
	char path[PATH_MAX];

	if (config->files[0] == NULL && config_user_file(path))
		checkup_ok(c,
		    "no configuration file; it would be %s, and 'man tend' "
		    "lists its settings",
		    path);
	else if (config->files[0] == NULL)
		checkup_ok(c, "no configuration file");
	for (size_t i = 0; i < 2 && config->files[i] != NULL; i++)
		checkup_ok(c, "%s", config->files[i]);
}

void
checkup_config(struct checkup *c)
{
	auto_free char *standard = NULL;
	struct buf rest;

	config_read(c->config, on_warning, c);
	tell_files(c, c->config);
	buf_init(&rest, TEXT_MAX);
	for (size_t i = 0; i < CONFIG_COUNT; i++) {
		const struct config_setting *s = &config_settings[i];

		if (tell(c, s, &c->config->values[i]))
			buf_printf(&rest, "%s%s.%s = %s",
			    rest.len > 0 ? ", " : "", s->section, s->key,
			    s->standard != NULL ? s->standard : "none");
	}
	standard = buf_take(&rest);
	if (standard[0] != '\0')
		checkup_ok(c, "by default: %s", standard);
}

/* `run` reports a variable that makes no sense. */
uint64_t
checkup_limit(const struct checkup *c, enum config_key key)
{
	uint64_t n;

	if (config_limit(c->config, key, &n, NULL) < 0)
		return config_number(c->config, key);
	return n;
}
