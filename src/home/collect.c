/*
 * Each session is checked twice: when all are examined, and again before it is
 * removed.  The second check holds the lock of its log, without which no host
 * can write it.
 */
#include "home/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "home/damage.h"
#include "home/words.h"
#include "log/compress.h"
#include "log/io.h"
#include "session/find.h"
#include "session/tree.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define LOCK_LIMIT_MS 100 /* readers hold it for a moment */

/* Only the machine that ran a session knows if it still runs. */
static bool
is_of_another_machine(const struct collection *c, const struct manifest *m)
{
	char boot[40];

	return c->network && status_has_live_host(m->status) &&
	    boot_id(boot) == 0 && strcmp(boot, m->boot_id) != 0;
}

static void
be_unsure(struct collectable *s, const char *why)
{
	s->state = COLLECT_UNSURE;
	snprintf(s->why, sizeof(s->why), "%s", why);
}

static void
judge(const struct collection *c, struct manifest *m, struct collectable *out)
{
	bool foreign = is_of_another_machine(c, m);

	manifest_reconcile(m);
	snprintf(out->name, sizeof(out->name), "%s", m->name);
	words_status(m, out->status, sizeof(out->status));
	if (m->ended_ms != 0)
		out->ended_ms = m->ended_ms;
	if (m->suspect) {
		be_unsure(out, "its session.json is damaged");
	} else if (foreign) {
		be_unsure(out,
		    "it may run on another machine that uses this disk; if "
		    "not, tend destroy it");
	} else if (!status_is_collectable(m->status)) {
		out->state = COLLECT_ACTIVE;
	} else if (m->keeper.pid != 0 || m->host.pid != 0) {
		out->state = COLLECT_ACTIVE; /* it still receives late output */
	} else {
		out->state = COLLECT_ENDED;
	}
}

/* A session whose start was interrupted never gets a session.json. */
static void
judge_unread(const struct collection *c, int rc, struct collectable *out)
{
	void *home = (void *)(uintptr_t)c->home;

	snprintf(out->status, sizeof(out->status), "unknown");
	if (rc == -ENOENT && find_is_active(home, out->id)) {
		out->state = COLLECT_ACTIVE;
	} else if (rc == -ENOENT) {
		out->state = COLLECT_ENDED;
	} else {
		be_unsure(out,
		    rc == -EPROTO ? "it was written by a newer tend" :
				    "its session.json cannot be read");
	}
}

static void
look(const struct collection *c, int dirfd, struct collectable *out)
{
	struct tree_size size;
	struct manifest m;
	int rc = tree_measure(dirfd, &size);

	if (rc < 0) {
		be_unsure(out, strerror(-rc));
		return;
	}
	out->bytes = size.bytes;
	out->ended_ms = size.newest_ms;
	rc = manifest_read(dirfd, &m, NULL);
	if (rc < 0) {
		judge_unread(c, rc, out);
		return;
	}
	judge(c, &m, out);
	manifest_finish(&m);
}

int
collect_look(const struct collection *c, const char *id,
    struct collectable *out)
{
	auto_close int dirfd = -1;
	struct error err = { 0 };

	*out = (struct collectable){ 0 };
	snprintf(out->id, sizeof(out->id), "%s", id);
	dirfd = home_session_dir(c->home, id, &err);
	if (dirfd == -ENOENT)
		return -ENOENT;
	if (dirfd < 0)
		be_unsure(out, err.msg);
	else
		look(c, dirfd, out);
	return 0;
}

/* Lock its log; *out is -1 if it has none. */
static int
lock_log(int dirfd, int *out)
{
	auto_close int fd = openat(dirfd, "log", OPEN_DIR);
	int rc;

	*out = -1;
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	rc = home_lock(fd, LOCK_LIMIT_MS);
	if (rc == 0)
		*out = fd_take(&fd);
	return rc;
}

/* Called with the lock of its log held. */
static int
remove_locked(const struct collection *c, int dirfd,
    const struct collectable *s, struct error *err)
{
	struct collectable now = { 0 };
	int rc;

	memcpy(now.id, s->id, sizeof(now.id));
	look(c, dirfd, &now);
	if (now.state != COLLECT_ENDED)
		return -EBUSY;
	rc = home_remove_session(c->home, s->id, err);
	if (rc == 0 && now.name[0] != '\0')
		name_release(c->home, now.name, now.id);
	return rc;
}

bool
collect_remove(const struct collection *c, struct collectable *s)
{
	auto_close int dirfd = home_session_dir(c->home, s->id, NULL);
	auto_close int lock = -1;
	struct error err = { 0 };
	int rc;

	if (dirfd < 0)
		return false;
	rc = lock_log(dirfd, &lock);
	if (rc == 0)
		rc = remove_locked(c, dirfd, s, &err);
	else
		error_set(&err, -rc, "cannot lock its log: %s", strerror(-rc));
	/* The session became active, or another process removed it. */
	if (rc == -EBUSY || rc == -ENOENT)
		s->state = COLLECT_ACTIVE;
	else if (rc < 0)
		be_unsure(s, err.msg);
	return rc == 0;
}

bool
collect_check(const struct collection *c, const char *id, struct report *to)
{
	auto_close int dirfd = home_session_dir(c->home, id, NULL);
	struct manifest m;
	bool damaged;

	if (dirfd < 0 || manifest_read_now(dirfd, &m, NULL) < 0)
		return false;
	damaged = damage_look(to, &m, dirfd, DAMAGE_DEEP);
	manifest_finish(&m);
	return damaged;
}

int
collect_compress(const struct collection *c, const char *id,
    struct compress_result *out)
{
	auto_close int dirfd = home_session_dir(c->home, id, NULL);
	auto_close int log = dirfd < 0 ? -1 : openat(dirfd, "log", OPEN_DIR);

	*out = (struct compress_result){ 0 };
	if (log < 0)
		return -errno;
	return compress_log(log, &log_io_system, out);
}
