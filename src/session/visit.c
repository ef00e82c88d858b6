#include "session/visit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "session/environ.h"
#include "session/home.h"

#define FILE_NAME "visit.env"
#define FILE_MAX (64u << 10)
#define AGENT "SSH_AUTH_SOCK"

const char *const visit_names[] = {
	"DBUS_SESSION_BUS_ADDRESS",
	"DISPLAY",
	"KRB5CCNAME",
	"SSH_AGENT_PID",
	"SSH_ASKPASS",
	AGENT,
	"SSH_CLIENT",
	"SSH_CONNECTION",
	"SSH_TTY",
	"WAYLAND_DISPLAY",
	"XAUTHORITY",
	NULL,
};

/* None of these variables may contain a control character. */
static bool
is_plain(const char *value)
{
	size_t len = 0;

	for (; value[len] != '\0'; len++)
		if ((unsigned char)value[len] < ' ' || value[len] == 0x7f)
			return false;
	return len <= VISIT_VALUE_MAX;
}

static bool
is_name(const char *text)
{
	for (const char *const *name = visit_names; *name != NULL; name++) {
		size_t len = strlen(*name);

		if (strncmp(text, *name, len) == 0 && text[len] == '=')
			return true;
	}
	return false;
}

/* A name in the directory that no other visitor uses at the same time. */
static void
own_name(char *out, size_t size, const char *name)
{
	snprintf(out, size, ".%s.%d", name, (int)getpid());
}

static int
put_in_place(int dirfd, const char *from, const char *name)
{
	int e;

	if (renameat(dirfd, from, dirfd, name) == 0)
		return 0;
	e = errno;
	unlinkat(dirfd, from, 0);
	return -e;
}

/*
 * A visitor from inside a session has that session's link.  Two links that
 * point at each other lead nowhere, so store the socket itself then.
 */
static int
find_agent(char *const *env, char out[PATH_MAX])
{
	const char *path = environ_value(env, AGENT);
	struct stat st;

	if (path == NULL || path[0] != '/' || strlen(path) >= PATH_MAX ||
	    stat(path, &st) < 0 || !S_ISSOCK(st.st_mode))
		return -ENOENT;
	if (environ_value(env, "TEND_SESSION") != NULL)
		return realpath(path, out) != NULL ? 0 : -errno;
	memcpy(out, path, strlen(path) + 1);
	return 0;
}

static int
set_link(int dirfd, char *const *env)
{
	char agent[PATH_MAX], name[64];

	if (find_agent(env, agent) < 0)
		return 0;
	own_name(name, sizeof(name), VISIT_LINK);
	unlinkat(dirfd, name, 0);
	if (symlinkat(agent, dirfd, name) < 0)
		return -errno;
	return put_in_place(dirfd, name, VISIT_LINK);
}

static int
write_file(int dirfd, const struct buf *b)
{
	char name[64];
	int rc;

	own_name(name, sizeof(name), FILE_NAME);
	unlinkat(dirfd, name, 0);
	auto_close int fd = openat(dirfd, name,
	    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	rc = fchmod(fd, 0600) < 0 ? -errno : 0;
	if (rc == 0)
		rc = fd_write_all(fd, b->data, b->len);
	if (rc == 0)
		return put_in_place(dirfd, name, FILE_NAME);
	unlinkat(dirfd, name, 0);
	return rc;
}

static int
set_file(int dirfd, char *const *env)
{
	struct buf b;
	int rc;

	buf_init(&b, FILE_MAX);
	for (const char *const *name = visit_names; *name != NULL; name++) {
		const char *value = environ_value(env, *name);

		if (value != NULL && is_plain(value)) {
			buf_printf(&b, "%s=%s", *name, value);
			buf_putc(&b, '\0');
		}
	}
	rc = b.full ? -E2BIG : write_file(dirfd, &b);
	buf_finish(&b);
	return rc;
}

int
visit_note(int dirfd, char *const *env)
{
	struct stat st;
	int rc;

	if (fstat(dirfd, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid())
		return -EACCES;
	rc = set_file(dirfd, env);
	return rc == 0 ? set_link(dirfd, env) : rc;
}

/* Keep only entries that we could have written. */
static char **
split(const char *p, size_t len)
{
	char **env = xcalloc(1, sizeof(*env));
	size_t n = 0;

	for (const char *end = p + len; p < end; p += strlen(p) + 1) {
		if (!is_name(p) || !is_plain(strchr(p, '=') + 1))
			continue;
		env = xrealloc(env, n + 2, sizeof(*env));
		env[n++] = xstrdup(p);
		env[n] = NULL;
	}
	return env;
}

char **
visit_read(int dirfd, struct error *err)
{
	auto_close int fd = openat(dirfd, FILE_NAME,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_free char *text = xcalloc(FILE_MAX + 1, 1);
	ssize_t n = fd < 0 ? -1 : read(fd, text, FILE_MAX);

	if (n >= 0)
		return split(text, (size_t)n);
	if (errno == ENOENT)
		error_set(err, ENOENT, "no client has attached yet");
	else
		error_set(err, errno, "cannot read " FILE_NAME ": %s",
		    strerror(errno));
	return NULL;
}

bool
visit_link_path(const struct home *h, const char *id, char *out, size_t size)
{
	int n = snprintf(out, size, "%s/sessions/%s/" VISIT_LINK, h->path, id);

	return n > 0 && (size_t)n < size && path_fits_socket(out);
}
