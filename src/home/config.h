#ifndef TEND_HOME_CONFIG_H
#define TEND_HOME_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/*
 * The user's settings, read from ini files (ini.h).  config.def lists each
 * setting with its section and key:
 *
 *	$XDG_CONFIG_HOME/tend/config.ini	or ~/.config/tend/config.ini
 *	/etc/tend/config.ini			if the first lacks a setting
 *
 * Options and the environment take precedence.  An unknown setting or an
 * invalid value causes a warning with file and line, and is otherwise ignored:
 * no command fails because of it.
 */
enum config_key {
#define SETTING(name, ...) CONFIG_##name,
#include "home/config.def"
	CONFIG_COUNT,
};

enum config_kind {
	CONFIG_KIND_KEY,  /* a key of the keyboard */
	CONFIG_KIND_KEYS, /* one or more keys, separated by blanks */
	CONFIG_KIND_CHOICE,
	CONFIG_KIND_SIZE,
	CONFIG_KIND_DURATION,
	CONFIG_KIND_NUMBER,
	CONFIG_KIND_TEXT, /* words; the command that uses them checks them */
};

struct config_setting {
	const char *section, *key;
	enum config_kind kind;
	const char *choices;
	uint64_t least, most;
	const char *standard; /* the default; NULL: none */
	const char *variable; /* the environment variable, or NULL */
	const char *help;
};

extern const struct config_setting config_settings[CONFIG_COUNT];

struct config_value {
	char *text; /* NULL: no file sets it */
	char *file;
	unsigned line;
};

struct config {
	struct config_value values[CONFIG_COUNT];
	char *files[2]; /* the files that were read; NULL: none */
};

typedef void config_warn_fn(void *arg, const char *text);

void config_init(struct config *c);
void config_finish(struct config *c);

/*
 * The path of the user's file, existing or not; false without a home directory.
 */
bool config_user_file(char out[PATH_MAX]);

/* Read both files, if they exist. */
void config_read(struct config *c, config_warn_fn *warn, void *arg);

/* Read the text of one file.  Settings that have a value keep it.  Pure. */
void config_take(struct config *c, const char *file, const char *p, size_t len,
    config_warn_fn *warn, void *arg);

/* The value from the files, which is valid, or NULL. */
const char *config_text(const struct config *c, enum config_key key);

/* The same unless `option` or the environment variable is set; or NULL. */
const char *config_or(const struct config *c, enum config_key key,
    const char *option);

/* A size or number from the files, or the default of config.def. */
uint64_t config_number(const struct config *c, enum config_key key);

/*
 * The same, unless the variable sets it; -EINVAL if the variable makes no
 * sense.
 */
int config_limit(const struct config *c, enum config_key key, uint64_t *out,
    struct error *err);

#endif
