#include "hub/certificate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "hub/hub.h"
#include "hub/names.h"
#include "session/home.h"
#include "web/tls.h"

#define CERT "cert.pem"
#define KEY "key.pem"

/* Name the file that cannot be used: OpenSSL does not. */
static int
check_file(const char *path, bool is_key, struct error *err)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_set(err, EBADMSG, "cannot read the %s %s: %s",
		    is_key ? "key" : "certificate", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, EBADMSG, "%s is not a regular file",
		    path);
	if (is_key && (st.st_mode & 007) != 0)
		return error_set(err, EBADMSG,
		    "everybody on this machine can use the key %s; \"chmod "
		    "o-rwx\" mends that",
		    path);
	return 0;
}

static struct tls_context *
load(const char *cert, const char *key, struct error *err)
{
	if (check_file(cert, false, err) < 0 || check_file(key, true, err) < 0)
		return NULL;
	return tls_context_create(cert, key, err);
}

/* ------------------------------------------------------------ the user's own */

/* Split CERT:KEY: the path of the key, or NULL. */
static const char *
split(const char *option, char cert[PATH_MAX])
{
	const char *colon = strchr(option, ':');

	if (colon == NULL || colon == option || colon[1] == '\0' ||
	    strchr(colon + 1, ':') != NULL || colon - option >= PATH_MAX)
		return NULL;
	memcpy(cert, option, (size_t)(colon - option));
	cert[colon - option] = '\0';
	return colon + 1;
}

static struct tls_context *
open_files(const char *option, struct error *err)
{
	char cert[PATH_MAX];
	const char *key = split(option, cert);

	if (key != NULL)
		return load(cert, key, err);
	error_set(err, EINVAL,
	    "--tls %.80s: give \"self\", or the files of a certificate and its "
	    "key as CERT:KEY",
	    option);
	return NULL;
}

/* True if `path` is the directory or something in it. */
static bool
has(const char *dir, const char *path)
{
	char real[PATH_MAX];
	size_t len = strcmp(dir, "/") == 0 ? 0 : strlen(dir);

	return path != NULL && realpath(path, real) != NULL &&
	    strncmp(real, dir, len) == 0 &&
	    (real[len] == '/' || real[len] == '\0');
}

/* Add the directory of a path, with all links resolved. */
static size_t
add_dir(const struct home *home, const char *path, char dirs[][PATH_MAX],
    size_t n)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%.*s",
	    slash != NULL ? (int)(slash - path + 1) : 1,
	    slash != NULL ? path : ".");
	if (realpath(dir, dirs[n]) == NULL || has(dirs[n], home->path) ||
	    has(dirs[n], getenv("HOME")))
		return n;
	return n + 1;
}

size_t
certificate_dirs(const struct home *home, const struct hub_options *o,
    char dirs[CERTIFICATE_DIRS][PATH_MAX])
{
	char cert[PATH_MAX], real[PATH_MAX];
	const char *key = o->tls != NULL ? split(o->tls, cert) : NULL;
	const char *const files[] = { cert, key };
	size_t n = 0;

	for (size_t i = 0; key != NULL && i < 2; i++) {
		n = add_dir(home, files[i], dirs, n);
		if (realpath(files[i], real) != NULL)
			n = add_dir(home, real, dirs, n);
	}
	return n;
}

/* --------------------------------------------------------------- self-made */

static int
open_dir(const struct home *home, struct error *err)
{
	auto_close int fd = -1;
	struct stat st;

	if (mkdirat(home->fd, CERTIFICATE_DIR, 0700) < 0 && errno != EEXIST)
		return error_set(err, errno,
		    "cannot make %s/" CERTIFICATE_DIR ": %s", home->path,
		    strerror(errno));
	fd = openat(home->fd, CERTIFICATE_DIR,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_set(err, EBADMSG,
		    "cannot open %s/" CERTIFICATE_DIR ": %s", home->path,
		    strerror(errno));
	if (st.st_uid != geteuid() || (st.st_mode & 077) != 0)
		return error_set(err, EBADMSG,
		    "%s/" CERTIFICATE_DIR " must belong to you and have mode "
		    "0700",
		    home->path);
	return fd_take(&fd);
}

static bool
is_there(int dir, const char *name)
{
	return faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int
make(int dir, const struct hub_options *o, struct error *err)
{
	auto_free char(*names)[NAMES_SIZE] = xcalloc(NAMES_MAX, NAMES_SIZE);
	const char *list[NAMES_MAX];
	size_t n = names_of_certificate(o, names);

	for (size_t i = 0; i < n; i++)
		list[i] = names[i];
	(void)unlinkat(dir, CERT, 0);
	(void)unlinkat(dir, KEY, 0);
	return tls_make_certificate(dir, list, n, err);
}

static struct tls_context *
load_own(const struct home *home, struct error *err)
{
	char cert[PATH_MAX], key[PATH_MAX];

	if (path_join(cert, sizeof(cert), home->path,
		CERTIFICATE_DIR "/" CERT) < 0 ||
	    path_join(key, sizeof(key), home->path, CERTIFICATE_DIR "/" KEY) <
		0) {
		error_set(err, ENAMETOOLONG,
		    "the path of the home is too long");
		return NULL;
	}
	return load(cert, key, err);
}

static struct tls_context *
open_own(const struct home *home, const struct hub_options *o,
    struct error *err)
{
	auto_close int dir = open_dir(home, err);
	struct tls_context *c;

	if (dir < 0)
		return NULL;
	/* The key is written first: without a certificate it is of no use. */
	if (!is_there(dir, CERT) && make(dir, o, err) < 0)
		return NULL;
	c = load_own(home, err);
	if (c == NULL || !tls_has_expired(c))
		return c;
	tls_context_destroy(c);
	return make(dir, o, err) < 0 ? NULL : load_own(home, err);
}

struct tls_context *
certificate_open(const struct home *home, const struct hub_options *o,
    struct error *err)
{
	if (strcmp(o->tls, "self") == 0)
		return open_own(home, o, err);
	return open_files(o->tls, err);
}
