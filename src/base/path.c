#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"

int
path_join(char *out, size_t size, const char *dir, const char *name)
{
	size_t dir_len = strlen(dir), name_len = strlen(name);
	size_t slash = dir_len > 0 && dir[dir_len - 1] != '/';

	if (dir_len + slash + name_len >= size)
		return -ENAMETOOLONG;
	memcpy(out, dir, dir_len);
	if (slash)
		out[dir_len] = '/';
	memcpy(out + dir_len + slash, name, name_len + 1);
	return 0;
}

/* The end of what is left when its last name goes. */
static char *
without_last(char *path, char *end)
{
	while (end > path && *--end != '/')
		;
	return end;
}

void
path_clean(char *path)
{
	char *end = path;

	for (const char *p = path; *p != '\0';) {
		size_t slashes = strspn(p, "/");
		const char *name = p + slashes;
		size_t len = strcspn(name, "/");

		p = name + len;
		if (len == 2 && memcmp(name, "..", 2) == 0) {
			end = without_last(path, end);
		} else if (len > 0 && !(len == 1 && *name == '.')) {
			*end++ = '/';
			memmove(end, name, len);
			end += len;
		}
	}
	if (end == path)
		*end++ = '/';
	*end = '\0';
}

bool
path_fits_socket(const char *path)
{
	struct sockaddr_un sa;

	return strlen(path) < sizeof(sa.sun_path);
}

/* The value from the environment, or NULL. */
static const char *
env(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? value : NULL;
}

static int
join(char *out, size_t size, const char *dir, const char *name,
    struct error *err)
{
	if (path_join(out, size, dir, name) < 0)
		return error_set(err, ENAMETOOLONG, "home path is too long");
	return 0;
}

static int
from_here(const char *path, char *out, size_t size, struct error *err)
{
	char cwd[PATH_MAX];

	if (path[0] == '/')
		return join(out, size, "", path, err);
	if (getcwd(cwd, sizeof(cwd)) == NULL)
		return error_set(err, errno, "cannot tell where %s is: %s",
		    path, strerror(errno));
	return join(out, size, cwd, path, err);
}

/* $HOME, or what the user database says; NULL: neither is a path. */
static const char *
user_directory(void)
{
	const char *home = env("HOME");
	const struct passwd *pw;

	if (home == NULL || home[0] != '/') {
		pw = getpwuid(getuid());
		home = pw != NULL ? pw->pw_dir : NULL;
	}
	return home != NULL && home[0] == '/' ? home : NULL;
}

bool
path_config(const char *name, char *out, size_t size)
{
	const char *config = env("XDG_CONFIG_HOME"), *home = user_directory();
	char dir[PATH_MAX];

	if (config != NULL && config[0] == '/')
		return path_join(out, size, config, name) == 0;
	return home != NULL &&
	    path_join(dir, sizeof(dir), home, ".config") == 0 &&
	    path_join(out, size, dir, name) == 0;
}

static int
from_user(char *out, size_t size, struct error *err)
{
	const char *home = env("HOME");
	struct passwd *pw;

	if (home == NULL) {
		pw = getpwuid(getuid());
		home = pw != NULL ? pw->pw_dir : NULL;
	}
	if (home == NULL || home[0] != '/')
		return error_set(err, ENOENT,
		    "no home directory: set HOME or TEND_HOME");
	return join(out, size, home, ".local/state/tend", err);
}

int
path_user_home(char *out, size_t size, struct error *err)
{
	const char *dir = env("XDG_STATE_HOME");

	if (dir != NULL && dir[0] == '/')
		return join(out, size, dir, "tend", err);
	return from_user(out, size, err);
}

int
path_home(const char *option, char *out, size_t size, struct error *err)
{
	const char *dir;

	if (option != NULL && *option != '\0')
		return from_here(option, out, size, err);
	dir = env("TEND_HOME");
	if (dir != NULL)
		return from_here(dir, out, size, err);
	return path_user_home(out, size, err);
}
