#include "hub/access.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/mem.h"
#include "hub/identity.h"
#include "policy/glob.h"
#include "policy/policy.h"
#include "session/home.h"

struct access {
	struct policy *policy; /* NULL: everybody but the owner is denied */
	char ended[ACCESS_ENDED][IDENTITY_CREDENTIAL_SIZE]; /* credentials */
	size_t n_ended; /* ever; the newest are kept */
	int64_t *next;  /* the earliest end; 0: none */
};

struct access *
access_create(void)
{
	struct access *a = xcalloc(1, sizeof(*a));

	a->next = xcalloc(1, sizeof(*a->next));
	return a;
}

void
access_destroy(struct access *a)
{
	if (a == NULL)
		return;
	policy_destroy(a->policy);
	free(a->next);
	free(a);
}

/* The text of the file; -ENOENT if there is none. */
static int
read_file(const struct home *home, struct buf *b, struct error *err)
{
	struct stat st;
	auto_close int fd = file_open(home->fd, ACCESS_FILE, &st);
	int rc = fd;

	if (fd == -ENOENT)
		return fd;
	if (fd >= 0 && !S_ISREG(st.st_mode))
		return error_set(err, EACCES, "%s/%s is not a regular file",
		    home->path, ACCESS_FILE);
	if (fd >= 0 && (st.st_mode & 022) != 0)
		return error_set(err, EACCES,
		    "others can write %s/%s; \"chmod go-w\" mends that",
		    home->path, ACCESS_FILE);
	if (fd >= 0)
		rc = file_read(fd, POLICY_MAX, b);
	if (rc < 0)
		return error_set(err, -rc, "cannot read %s/%s: %s", home->path,
		    ACCESS_FILE, strerror(-rc));
	return 0;
}

int
access_load(struct access *a, const struct home *home, struct error *err)
{
	struct policy *p = NULL;
	struct buf b;
	int rc;

	buf_init(&b, POLICY_MAX + 1);
	rc = read_file(home, &b, err);
	if (rc == 0) {
		p = policy_read((const char *)b.data, b.len, err);
		rc = p != NULL ? 0 : -EINVAL;
	}
	buf_finish(&b);
	if (rc < 0 && rc != -ENOENT)
		return rc; /* the last good policy stays */
	policy_destroy(a->policy);
	a->policy = p;
	return 0;
}

/* ------------------------------------------------------------ credentials */

void
access_end(struct access *a, const char *credential)
{
	snprintf(a->ended[a->n_ended++ % ACCESS_ENDED], sizeof(*a->ended), "%s",
	    credential);
}

static bool
is_ended(const struct access *a, const char *credential)
{
	size_t n = a->n_ended < ACCESS_ENDED ? a->n_ended : ACCESS_ENDED;

	if (credential[0] == '\0')
		return false;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(a->ended[i], credential) == 0)
			return true;
	}
	return false;
}

bool
access_is_valid(const struct access *a, const struct identity *who)
{
	if (is_ended(a, who->credential))
		return false;
	if (who->until_ms == 0)
		return true;
	if (who->until_ms <= clock_ms(CLOCK_REALTIME))
		return false;
	if (*a->next == 0 || who->until_ms < *a->next)
		*a->next = who->until_ms;
	return true;
}

int64_t
access_next_end(const struct access *a)
{
	return *a->next;
}

void
access_forget_ends(struct access *a)
{
	*a->next = 0;
}

/* ------------------------------------------------------------- permissions */

bool
access_sees_all(const struct identity *who)
{
	return who->owner && who->targets[0] == '\0';
}

size_t
access_share(const struct identity *who, size_t max)
{
	return access_sees_all(who) ? max : max - max / 4;
}

static bool
is_target(const struct identity *who, const char *id, const char *name)
{
	if (who->targets[0] == '\0')
		return true;
	if (strncmp(who->targets, "id:", 3) == 0)
		return strcmp(who->targets + 3, id) == 0;
	return glob_match(who->targets, name);
}

unsigned
access_permissions(const struct access *a, const struct identity *who,
    const char *id, const char *name)
{
	if (!access_is_valid(a, who) || !is_target(who, id, name))
		return 0;
	if (who->owner)
		return who->scope;
	return who->scope & policy_permissions(a->policy, who->principal, name);
}

unsigned
access_home(const struct access *a, const struct identity *who)
{
	/* A credential for certain sessions has no rights on the home. */
	if (!access_is_valid(a, who) || who->targets[0] != '\0')
		return 0;
	if (who->owner)
		return who->scope;
	return who->scope & policy_home(a->policy, who->principal);
}
