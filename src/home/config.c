#include "home/config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/ini.h"
#include "base/mem.h"
#include "base/path.h"
#include "home/suggest.h"
#include "home/units.h"
#include "vt/key.h"

#define SYSTEM_FILE "/etc/tend/config.ini"
#define NAME "tend/config.ini"

const struct config_setting config_settings[CONFIG_COUNT] = {
#define SETTING(name, section, key, kind, ...) \
	[CONFIG_##name] = { section, key, CONFIG_KIND_##kind, __VA_ARGS__ },
#include "home/config.def"
};

/* ------------------------------------------------------------ one value */

static bool
is_choice(const char *choices, const char *text)
{
	size_t len = strlen(text);

	for (const char *p = choices; *p != '\0';) {
		size_t n = strcspn(p, "|");

		if (n == len && memcmp(p, text, n) == 0)
			return true;
		p += n + (p[n] == '|');
	}
	return false;
}

static int
check_range(const struct config_setting *s, const char *text, uint64_t n,
    struct error *err)
{
	if (n < s->least)
		return error_set(err, EINVAL, "%.40s is too small", text);
	if (n > s->most)
		return error_set(err, EINVAL, "%.40s is too large", text);
	return 0;
}

/* Names of keys, separated by blanks; at least one. */
static int
check_keys(const char *text, struct error *err)
{
	const char *p = text + strspn(text, " ");
	char name[KEY_NAME_MAX];
	struct key key;
	int rc = *p == '\0' ? error_set(err, EINVAL, "no key is given") : 0;

	while (rc == 0 && *p != '\0') {
		size_t len = strcspn(p, " ");

		snprintf(name, sizeof(name), "%.*s", (int)len, p);
		rc = key_parse(name, &key, err);
		p += len;
		p += strspn(p, " ");
	}
	return rc;
}

/* The value as a number, if it is one; 0, or -EINVAL and the error. */
static int
parse(const struct config_setting *s, const char *text, uint64_t *out,
    struct error *err)
{
	struct key key;
	int rc = 0;

	*out = 0;
	switch (s->kind) {
	case CONFIG_KIND_KEY:
		return key_parse(text, &key, err);
	case CONFIG_KIND_KEYS:
		return check_keys(text, err);
	case CONFIG_KIND_CHOICE:
		return is_choice(s->choices, text) ?
		    0 :
		    error_set(err, EINVAL, "%.40s is not one of %s", text,
			s->choices);
	case CONFIG_KIND_SIZE:
		rc = units_amount(text, out, err);
		break;
	case CONFIG_KIND_DURATION:
		rc = units_duration(text, out, err);
		*out /= 1000000;
		break;
	case CONFIG_KIND_NUMBER:
		if (!units_number(text, UINT32_MAX, out))
			return error_set(err, EINVAL, "%.40s is not a number",
			    text);
		break;
	case CONFIG_KIND_TEXT:
		return 0;
	}
	return rc < 0 ? rc : check_range(s, text, *out, err);
}

/* ------------------------------------------------------------ a file */

struct taking {
	struct config *c;
	const char *file;
	config_warn_fn *warn;
	void *arg;
};

static void warn(const struct taking *t, unsigned line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void
warn(const struct taking *t, unsigned line, const char *fmt, ...)
{
	char why[512], text[PATH_MAX + 600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (line > 0)
		snprintf(text, sizeof(text), "%s:%u: %s", t->file, line, why);
	else
		snprintf(text, sizeof(text), "%s: %s", t->file, why);
	t->warn(t->arg, text);
}

static void
warn_unknown(const struct taking *t, unsigned line, const char *section,
    const char *key)
{
	struct suggest near;
	char typed[NEAR_WORD_MAX + 1], name[NEAR_WORD_MAX + 1];

	snprintf(typed, sizeof(typed), "%.30s.%.30s", section, key);
	suggest_init(&near, typed);
	for (size_t i = 0; i < CONFIG_COUNT; i++) {
		snprintf(name, sizeof(name), "%s.%s",
		    config_settings[i].section, config_settings[i].key);
		suggest_look(&near, name);
	}
	if (near.best[0] != '\0')
		warn(t, line, "unknown setting %s (did you mean %s?)", typed,
		    near.best);
	else
		warn(t, line, "unknown setting %s; see tend(1)", typed);
}

static void
on_value(void *arg, unsigned line, const char *section, const char *key,
    const char *text)
{
	struct taking *t = arg;
	struct error err = { 0 };
	uint64_t n;
	size_t i = 0;

	while (i < CONFIG_COUNT &&
	    (strcmp(config_settings[i].section, section) != 0 ||
		strcmp(config_settings[i].key, key) != 0))
		i++;
	if (i == CONFIG_COUNT) {
		warn_unknown(t, line, section, key);
	} else if (parse(&config_settings[i], text, &n, &err) < 0) {
		warn(t, line, "%s.%s: %s", section, key, err.msg);
	} else {
		struct config_value *v = &t->c->values[i];

		/*
		 * Within one file the last value counts; of two files, the
		 * first file.
		 */
		if (v->text != NULL && strcmp(v->file, t->file) != 0)
			return;
		free(v->text);
		free(v->file);
		*v = (struct config_value){ xstrdup(text), xstrdup(t->file),
			line };
	}
}

static void
on_complaint(void *arg, unsigned line, const char *why)
{
	warn(arg, line, "%s", why);
}

void
config_take(struct config *c, const char *file, const char *p, size_t len,
    config_warn_fn *fn, void *arg)
{
	static const struct ini_ops ops = { on_value, on_complaint };
	struct taking t = { .c = c, .file = file, .warn = fn, .arg = arg };

	ini_parse(p, len, &ops, &t);
}

/* True if the file exists. */
static bool
read_file(struct config *c, const char *path, config_warn_fn *fn, void *arg)
{
	struct taking t = { .c = c, .file = path, .warn = fn, .arg = arg };
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	struct buf b;
	int rc = fd < 0 ? -errno : 0;

	if (rc == -ENOENT || rc == -ENOTDIR)
		return false;
	buf_init(&b, INI_FILE_MAX + 1);
	if (rc == 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		rc = -EINVAL;
	if (rc == 0)
		rc = file_read(fd, INI_FILE_MAX, &b);
	if (rc < 0)
		warn(&t, 0, "configuration file ignored: %s",
		    rc == -EINVAL ? "not a regular file" : strerror(-rc));
	else if (b.len > 0)
		config_take(c, path, (char *)b.data, b.len, fn, arg);
	buf_finish(&b);
	return rc == 0;
}

/* ------------------------------------------------------------ both files */

bool
config_user_file(char out[PATH_MAX])
{
	return path_config(NAME, out, PATH_MAX);
}

void
config_read(struct config *c, config_warn_fn *fn, void *arg)
{
	char path[PATH_MAX];
	size_t n = 0;

	if (config_user_file(path) && read_file(c, path, fn, arg))
		c->files[n++] = xstrdup(path);
	if (read_file(c, SYSTEM_FILE, fn, arg))
		c->files[n] = xstrdup(SYSTEM_FILE);
}

void
config_init(struct config *c)
{
	*c = (struct config){ 0 };
}

void
config_finish(struct config *c)
{
	for (size_t i = 0; i < CONFIG_COUNT; i++) {
		free(c->values[i].text);
		free(c->values[i].file);
	}
	free(c->files[0]);
	free(c->files[1]);
}

const char *
config_text(const struct config *c, enum config_key key)
{
	return c->values[key].text;
}

const char *
config_or(const struct config *c, enum config_key key, const char *option)
{
	const char *variable = config_settings[key].variable;
	const char *env = variable != NULL ? getenv(variable) : NULL;

	if (option != NULL || (env != NULL && *env != '\0'))
		return option;
	return config_text(c, key);
}

uint64_t
config_number(const struct config *c, enum config_key key)
{
	const struct config_setting *s = &config_settings[key];
	const char *text = config_text(c, key);
	uint64_t n = 0;

	if (text == NULL || parse(s, text, &n, NULL) < 0)
		parse(s, s->standard, &n, NULL);
	return n;
}

static int
read_variable(const struct config_setting *s, const char *text, uint64_t *out,
    struct error *err)
{
	struct error why;

	if (s->kind == CONFIG_KIND_SIZE) {
		if (units_size(text, out, &why) < 0)
			return error_set(err, EINVAL, "%s: %.200s", s->variable,
			    why.msg);
		return 0;
	}
	if (!units_number(text, s->most, out))
		return error_set(err, EINVAL,
		    "%s=%.50s: give a number, or 0 for no limit", s->variable,
		    text);
	return 0;
}

int
config_limit(const struct config *c, enum config_key key, uint64_t *out,
    struct error *err)
{
	const struct config_setting *s = &config_settings[key];
	const char *text = s->variable != NULL ? getenv(s->variable) : NULL;

	if (text != NULL)
		return read_variable(s, text, out, err);
	*out = config_number(c, key);
	return 0;
}
