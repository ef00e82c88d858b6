#include "session/integrate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "session/environ.h"
#include "session/home.h"
#include "session/manifest.h"
#include "shell/integration.h"

#define DIR_NAME "shell"
#define KEY_BYTES 8

static bool
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

/* Search PATH as execvp will; the name must lead to the same file. */
static bool
find_program(const char *name, const char *path, char out[PATH_MAX])
{
	char dir[PATH_MAX];

	if (strchr(name, '/') != NULL)
		return realpath(name, out) != NULL;
	while (path != NULL && *path != '\0') {
		size_t len = strcspn(path, ":");

		snprintf(dir, sizeof(dir), "%.*s", (int)len, path);
		if (len > 0 && len < sizeof(dir)) {
			char found[PATH_MAX];

			if (path_join(found, sizeof(found), dir, name) == 0 &&
			    is_program(found))
				return realpath(found, out) != NULL;
		}
		path += len + (path[len] == ':');
	}
	return false;
}

/* Random bytes in hexadecimal. */
static bool
make_key(char *out, size_t size)
{
	unsigned char bytes[KEY_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(out + 2 * i, size - 2 * i, "%02x", bytes[i]);
	return true;
}

/* Make the file and its directories, below the session's directory. */
static int
write_file(int dir, const struct integration *in)
{
	char path[128];
	auto_close int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", DIR_NAME, in->file);
	for (char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdirat(dir, path, 0700) < 0 && errno != EEXIST)
			return -errno;
		*p = '/';
	}
	fd = openat(dir, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	return fd_write_all(fd, in->text, strlen(in->text));
}

/* envp with `variable` instead of any entry with the same name. */
static char **
replace(char **envp, char *variable)
{
	size_t len = variable != NULL ? strcspn(variable, "=") + 1 : 0;
	size_t n = 0, kept = 0;
	char **out;

	while (envp[n] != NULL)
		n++;
	out = xcalloc(n + 2, sizeof(*out));
	for (size_t i = 0; i < n; i++)
		if (len == 0 || strncmp(envp[i], variable, len) != 0)
			out[kept++] = envp[i];
	out[kept] = variable;
	return out;
}

static bool
is_wanted(const struct manifest *m, char **envp)
{
	const char *word = environ_value(envp, "TEND_SHELL_INTEGRATION");

	return !m->no_integration && (word == NULL || strcmp(word, "off") != 0);
}

static void
plan(struct integration *in, struct manifest *m, const struct home *home,
    char **envp, char key[33])
{
	char program[PATH_MAX], dir[PATH_MAX];
	int n = snprintf(dir, sizeof(dir), "%s/sessions/%s/" DIR_NAME,
	    home->path, m->id);

	*in = (struct integration){ 0 };
	if (!is_wanted(m, envp) || n >= (int)sizeof(dir) || dir[0] != '/' ||
	    !find_program(m->command[0], environ_value(envp, "PATH"),
		program) ||
	    !make_key(key, 33))
		return;
	integration_plan(in, m->command, strrchr(program, '/') + 1, dir, key,
	    environ_value, envp);
}

void
integrate(struct integrated *out, struct manifest *m, const struct home *home,
    int dir, char **envp)
{
	struct integration in;
	char key[33] = "";

	*out = (struct integrated){ 0 };
	plan(&in, m, home, envp, key);
	if (in.kind != SHELL_NONE && write_file(dir, &in) == 0) {
		snprintf(m->shell, sizeof(m->shell), "%s", shell_name(in.kind));
		memcpy(m->shell_key, key, sizeof(m->shell_key));
		if (in.option != NULL) {
			out->args[0] = xstrdup(in.option);
			out->args[1] = xstrdup(in.value);
		}
		if (in.variable != NULL)
			out->variable = xstrdup(in.variable);
	}
	out->envp = replace(envp, out->variable);
	integration_finish(&in);
}

void
integrated_finish(struct integrated *out)
{
	free(out->args[0]);
	free(out->args[1]);
	free(out->envp);
	free(out->variable);
	*out = (struct integrated){ 0 };
}
