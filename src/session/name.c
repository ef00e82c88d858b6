/*
 * Names of active sessions.  HOME/names holds one symbolic link for each
 * name.  Its own name is the name's hash, and it points at the session's id.
 * readlink(2) reads it whole and rename(2) replaces it whole.  A process that
 * changes links holds the lock of the directory, so only one can take over a
 * stale name.
 */
#include "session/home.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/sha256.h"

#define SEGMENTS_MAX 8
#define SEGMENT_MAX 64
#define HASH_SIZE 33
#define LOCK_LIMIT_MS 5000
#define NUMBER_MAX 9999
#define NUMBER_ASKED 9 /* up to this one, stale names are reused */
#define BASE_MAX 56    /* of a default name; leaves room for a number */

#define DIGITS "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define FIRST LETTERS DIGITS "_"
#define REST FIRST ".-"

int
name_check(const char *name, struct error *err)
{
	const char *s = name;
	char id[ID_SIZE];
	unsigned segments = 0;
	size_t len;

	if (strlen(name) > NAME_SIZE_MAX)
		return error_set(err, EINVAL, "a name has at most %d bytes",
		    NAME_SIZE_MAX);
	if (id_parse(name, id) == 0)
		return error_set(err, EINVAL,
		    "a name must not look like an id: %s", name);
	do {
		len = strspn(s, REST);
		if (len == 0 || len > SEGMENT_MAX || strspn(s, FIRST) == 0 ||
		    (s[len] != '/' && s[len] != '\0'))
			return error_set(err, EINVAL,
			    "a name is 1 to 8 segments joined by /, each up to 64"
			    " letters, digits, _ . - and not beginning with"
			    " . or -");
		s += len + 1;
	} while (++segments < SEGMENTS_MAX && s[-1] == '/');
	if (s[-1] == '/')
		return error_set(err, EINVAL, "a name has at most %d segments",
		    SEGMENTS_MAX);
	return 0;
}

static void
hash_name(const char *name, char out[HASH_SIZE])
{
	uint8_t digest[SHA256_SIZE];
	char hex[SHA256_HEX_SIZE];
	struct sha256 s;

	sha256_init(&s);
	sha256_update(&s, name, strlen(name));
	sha256_final(&s, digest);
	sha256_hex(digest, hex);
	memcpy(out, hex, HASH_SIZE - 1);
	out[HASH_SIZE - 1] = '\0';
}

/* The id in the link, or -ENOENT; an invalid id counts as none. */
static int
read_holder(int names, const char *hash, char id[ID_SIZE])
{
	ssize_t n = readlinkat(names, hash, id, ID_SIZE);

	if (n < 0)
		return -errno;
	id[n < ID_SIZE ? n : 0] = '\0';
	return 0;
}

/* Open and lock the directory of names; closing it unlocks it. */
static int
open_names(const struct home *h, bool create, struct error *err)
{
	auto_close int fd = home_open_part(h, "names", create, err);
	int rc;

	if (fd < 0)
		return fd;
	rc = home_lock(fd, LOCK_LIMIT_MS);
	if (rc < 0)
		return error_set(err, -rc, "cannot lock %s/names: %s", h->path,
		    strerror(-rc));
	return fd_take(&fd);
}

struct claim {
	const char *id;
	name_active_fn *active; /* NULL: treat every holder as active */
	void *arg;
};

static int
replace(int names, const char *hash, const char *id)
{
	if (symlinkat(id, names, id) < 0 && errno != EEXIST)
		return -errno;
	if (renameat(names, id, names, hash) < 0)
		return -errno;
	return 0;
}

static int
claim(int names, const char *name, const struct claim *c)
{
	char hash[HASH_SIZE], holder[ID_SIZE];

	hash_name(name, hash);
	if (symlinkat(c->id, names, hash) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (c->active == NULL)
		return -EEXIST;
	if (read_holder(names, hash, holder) == 0 && strcmp(holder, c->id) == 0)
		return 0;
	if (id_is_valid(holder) && c->active(c->arg, holder))
		return -EEXIST;
	return replace(names, hash, c->id);
}

static int
claim_error(int rc, const char *name, struct error *err)
{
	if (rc == -EEXIST)
		return error_set(err, EEXIST,
		    "the name %s is taken by an active session", name);
	return error_set(err, -rc, "cannot claim the name %s: %s", name,
	    strerror(-rc));
}

int
name_claim(const struct home *h, const char *name, const char *id,
    name_active_fn *active, void *arg, struct error *err)
{
	const struct claim c = { id, active, arg };
	auto_close int names = -1;
	int rc = name_check(name, err);

	if (rc < 0)
		return rc;
	names = open_names(h, true, err);
	if (names < 0)
		return names;
	rc = claim(names, name, &c);
	return rc < 0 ? claim_error(rc, name, err) : 0;
}

/* A command's basename with invalid characters replaced. */
static void
base_name(const char *command, char out[BASE_MAX + 1])
{
	const char *slash = strrchr(command, '/');
	const char *s = slash != NULL ? slash + 1 : command;
	size_t len = 0;
	char id[ID_SIZE];

	s += strcspn(s, FIRST);
	for (; *s != '\0' && len < BASE_MAX; s++)
		out[len++] = strchr(REST, *s) != NULL ? *s : '-';
	out[len] = '\0';
	if (len == 0 || id_parse(out, id) == 0)
		snprintf(out, BASE_MAX + 1, "session");
}

int
name_claim_default(const struct home *h, const char *command, const char *id,
    name_active_fn *active, void *arg, char out[NAME_SIZE_MAX + 1],
    struct error *err)
{
	struct claim c = { id, active, arg };
	auto_close int names = open_names(h, true, err);
	char base[BASE_MAX + 1];
	int rc;

	if (names < 0)
		return names;
	base_name(command, base);
	snprintf(out, NAME_SIZE_MAX + 1, "%s", base);
	rc = claim(names, out, &c);
	for (int i = 2; rc == -EEXIST && i <= NUMBER_MAX; i++) {
		if (i > NUMBER_ASKED)
			c.active = NULL;
		snprintf(out, NAME_SIZE_MAX + 1, "%s-%d", base, i);
		rc = claim(names, out, &c);
	}
	return rc < 0 ? claim_error(rc, base, err) : 0;
}

void
name_release(const struct home *h, const char *name, const char *id)
{
	char hash[HASH_SIZE], holder[ID_SIZE];
	auto_close int names = open_names(h, false, NULL);

	if (names < 0)
		return;
	hash_name(name, hash);
	if (read_holder(names, hash, holder) == 0 && strcmp(holder, id) == 0)
		unlinkat(names, hash, 0);
}

int
name_holder(const struct home *h, const char *name, char id[ID_SIZE])
{
	auto_close int names = home_open_part(h, "names", false, NULL);
	char hash[HASH_SIZE], holder[ID_SIZE];
	int rc;

	if (names < 0)
		return names;
	hash_name(name, hash);
	rc = read_holder(names, hash, holder);
	if (rc < 0)
		return rc;
	if (!id_is_valid(holder))
		return -ENOENT;
	memcpy(id, holder, ID_SIZE);
	return 0;
}

/*
 * Count the claims.  With c, count those of active sessions only and remove
 * the rest.  Closes `names`.  A claim is a link whose name is a hash.
 */
static int
each_claim(int names, const struct claim *c)
{
	DIR *d = fdopendir(names);
	char holder[ID_SIZE];
	struct dirent *e;
	int n = 0;

	if (d == NULL) {
		int rc = -errno;

		close(names);
		return rc;
	}
	while ((e = readdir(d)) != NULL) {
		if (strlen(e->d_name) != HASH_SIZE - 1)
			continue;
		if (c == NULL ||
		    (read_holder(dirfd(d), e->d_name, holder) == 0 &&
			c->active(c->arg, holder)))
			n++;
		else
			unlinkat(dirfd(d), e->d_name, 0);
	}
	closedir(d);
	return n;
}

int
name_count(const struct home *h)
{
	int names = home_open_part(h, "names", false, NULL);

	return names == -ENOENT ? 0 :
	    names < 0           ? names :
				  each_claim(names, NULL);
}

int
name_sweep(const struct home *h, name_active_fn *active, void *arg)
{
	const struct claim c = { .active = active, .arg = arg };
	int names = open_names(h, false, NULL);

	return names < 0 ? names : each_claim(names, &c);
}
