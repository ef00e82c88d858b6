#ifndef TEND_BASE_PATH_H
#define TEND_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/*
 * Where tend keeps its state, as an absolute path.  The first of these that
 * says something decides:
 *
 *	option			what --home said, or NULL
 *	$TEND_HOME
 *	$XDG_STATE_HOME/tend	when it is absolute, as its specification asks
 *	~/.local/state/tend	~ being $HOME, or what the user database says
 *
 * The empty string says nothing.  A relative option or $TEND_HOME is taken
 * from the current directory.  The directory need not exist.
 */
int path_home(const char *option, char *out, size_t size, struct error *err);

/* The last two of these: the user's own home, whatever else is named. */
int path_user_home(char *out, size_t size, struct error *err);

/*
 * A file or directory of the user's settings, as in "tend/config.ini", existing
 * or not: in $XDG_CONFIG_HOME if that is absolute, or in ~/.config.  False
 * without a home directory.
 */
bool path_config(const char *name, char *out, size_t size);

/*
 * dir/name, with one slash between.  0, or -ENAMETOOLONG with out untouched
 * when it does not fit with its NUL.  out must not overlap the others.
 */
int path_join(char *out, size_t size, const char *dir, const char *name);

/*
 * An absolute path without ".", ".." and slashes too many, by its text alone:
 * for a place that does not exist any more.  A link before ".." would lead
 * elsewhere.
 */
void path_clean(char *path);

/* True if a unix socket can have this path (sun_path, with its NUL). */
bool path_fits_socket(const char *path);

#endif
