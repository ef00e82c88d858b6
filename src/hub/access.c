#include "hub/access.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/mem.h"
#include "hub/identity.h"
#include "op/ops.h"
#include "policy/glob.h"
#include "policy/policy.h"
#include "session/home.h"

struct access {
	struct policy *policy; /* NULL: everybody but the owner is denied */
};

struct access *
access_create(void)
{
	return xcalloc(1, sizeof(struct access));
}

void
access_destroy(struct access *a)
{
	if (a == NULL)
		return;
	policy_destroy(a->policy);
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
	if (fd >= 0)
		rc = !S_ISREG(st.st_mode) || (st.st_mode & 022) != 0 ?
		    -EACCES :
		    file_read(fd, POLICY_MAX, b);
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
	if (!is_target(who, id, name))
		return 0;
	if (who->owner)
		return who->scope;
	return who->scope & policy_permissions(a->policy, who->principal, name);
}

unsigned
access_home(const struct access *a, const struct identity *who)
{
	/* A credential for certain sessions has no rights on the home. */
	unsigned limit = who->targets[0] == '\0' ?
	    who->scope :
	    who->scope & (1u << OP_OBSERVE);

	if (who->owner)
		return limit;
	/* Everybody may ask for lists, which show what they may see. */
	return limit &
	    (policy_home(a->policy, who->principal) | 1u << OP_OBSERVE);
}
