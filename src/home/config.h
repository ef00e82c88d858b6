#ifndef TEND_HOME_CONFIG_H
#define TEND_HOME_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/*
 * What people set once, in files of settings (ini.h), each in the section and
 * with the key that config.def names:
 *
 *	$XDG_CONFIG_HOME/tend/config.ini	or ~/.config/tend/config.ini
 *	/etc/tend/config.ini			for what the first leaves open
 *
 * Options and the environment win over them.  A setting that is unknown or has
 * a value that makes no sense is warned of, with file and line, and otherwise
 * as if it were not there: no command fails for it.
 */
enum config_key {
#define SETTING(name, ...) CONFIG_##name,
#include "home/config.def"
	CONFIG_COUNT,
};

enum config_kind {
	CONFIG_KIND_KEY,  /* of a keyboard */
	CONFIG_KIND_KEYS, /* one or more, with blanks between them */
	CONFIG_KIND_CHOICE,
	CONFIG_KIND_SIZE,
	CONFIG_KIND_DURATION,
	CONFIG_KIND_NUMBER,
};

struct config_setting {
	const char *section, *key;
	enum config_kind kind;
	const char *choices;
	uint64_t least, most;
	const char *standard; /* when nobody sets it; NULL: none */
	const char *variable; /* or NULL */
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
	char *files[2]; /* those that were read; NULL: none */
};

typedef void config_warn_fn(void *arg, const char *text);

void config_init(struct config *c);
void config_finish(struct config *c);

/* Where the first of the files is, or would be; false where there is no home. */
bool config_user_file(char out[PATH_MAX]);

/* Read both files, if they are there. */
void config_read(struct config *c, config_warn_fn *warn, void *arg);

/* The pure half: a file's text.  What is set already stays. */
void config_take(struct config *c, const char *file, const char *p, size_t len,
    config_warn_fn *warn, void *arg);

/* What the files say, which is a valid value, or NULL. */
const char *config_text(const struct config *c, enum config_key key);

/* The same unless `option` or the variable says something; or NULL. */
const char *config_or(const struct config *c, enum config_key key,
    const char *option);

/* A size or a number that a file sets, or the default of config.def. */
uint64_t config_number(const struct config *c, enum config_key key);

#endif
