#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/path.h"
#include "home/checkup_state.h"
#include "home/handle.h"
#include "home/words.h"
#include "session/disk.h"
#include "session/quota.h"
#include "session/tree.h"
#include "session/visit.h"

/* Checks the home directory and its disk. */

#define LITTLE_FREE (1ull << 30) /* or near the limit, if that is more */
#define ANY_ID "00000000000000000000000000"

/* `command path`, quoted for a shell. */
static char *
command_for(const char *command, const char *path)
{
	struct buf b;

	buf_init(&b, 8 * PATH_MAX);
	buf_printf(&b, "%s ", command);
	words_quote(path, &b);
	return buf_take(&b);
}

static void
look_at_mode(struct checkup *c, const struct home *h)
{
	auto_free char *fix = command_for("chmod 700", h->path);
	struct stat st;
	char link[PATH_MAX];

	if (fstat(h->fd, &st) == 0 && (st.st_mode & 077) != 0)
		checkup_bad(c, CHECKUP_WARNING,
		    "other users can see your sessions", fix,
		    "%s is readable by others (mode %03o)", h->path,
		    st.st_mode & 0777);
	else if (geteuid() != st.st_uid)
		checkup_bad(c, CHECKUP_WARNING,
		    "only the owner of a home can start sessions", NULL,
		    "%s belongs to another user (uid %u)", h->path, st.st_uid);
	else if (faccessat(h->fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		checkup_bad(c, CHECKUP_PROBLEM, "no session can be started",
		    fix, "%s cannot be written", h->path);
	else if (!visit_link_path(h, ANY_ID, link, sizeof(link)))
		checkup_bad(c, CHECKUP_WARNING,
		    "programs keep their first SSH agent, because the path of "
		    "a socket has at most 107 bytes",
		    "use a home with a shorter path: --home, or TEND_HOME",
		    "the path of %s is long", h->path);
	else
		checkup_ok(c, "%s, yours alone", h->path);
}

/*
 * The user must be able to write the nearest existing directory above the path.
 * On return, path names that directory.
 */
static bool
can_be_made(char *path)
{
	char *slash;

	while (faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) < 0 &&
	    errno == ENOENT && (slash = strrchr(path, '/')) != NULL)
		slash[slash == path ? 1 : 0] = '\0';
	return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
}

static void
look_above(struct checkup *c, const struct home *h)
{
	auto_free char *above = xstrdup(h->path);

	if (can_be_made(above))
		checkup_ok(c, "%s; the first session creates it", h->path);
	else
		checkup_bad(c, CHECKUP_PROBLEM, "no session can be started",
		    "use a writable home: --home, or TEND_HOME",
		    "%s does not exist and cannot be created in %s: %s",
		    h->path, above, strerror(errno));
}

void
checkup_home(struct checkup *c)
{
	struct handle *t = c->handle;
	struct error err;

	if (home_open(&t->home, t->home_option, false, &err) < 0) {
		checkup_bad(c, CHECKUP_PROBLEM,
		    "no session can be found or started", NULL, "%s", err.msg);
		return;
	}
	t->has_home = true;
	if (t->home.fd < 0)
		look_above(c, &t->home);
	else
		look_at_mode(c, &t->home);
}

static void
look_at_space(struct checkup *c, const struct disk *d)
{
	uint64_t least = checkup_limit(c, CONFIG_MIN_FREE);
	uint64_t near = least < UINT64_MAX / QUOTA_NEAR_FREE ?
	    least * QUOTA_NEAR_FREE :
	    UINT64_MAX;
	char free[24];

	words_bytes(d->free, free, sizeof(free));
	if (d->free < least)
		checkup_bad(c, CHECKUP_PROBLEM,
		    "no session can be started, and running sessions cannot "
		    "write their logs",
		    "tend gc --all", "%s are free", free);
	else if (d->free < LITTLE_FREE || d->free < near)
		checkup_bad(c, CHECKUP_WARNING,
		    "a full disk leaves gaps in the logs", "tend gc --all",
		    "%s are free", free);
	else
		checkup_ok(c, "%s free on %s", free, d->kind);
}

static void
look_at_use(struct checkup *c, const struct home *h)
{
	uint64_t most = config_number(c->config, CONFIG_HOME_BUDGET);
	struct tree_size size;
	char used[24], budget[24];

	if (tree_measure(h->fd, &size) < 0)
		return;
	words_bytes(size.bytes, used, sizeof(used));
	words_bytes(most, budget, sizeof(budget));
	if (size.bytes > most)
		checkup_bad(c, CHECKUP_WARNING,
		    "the logs of ended sessions stay until you remove them",
		    "tend gc --budget 5G",
		    "the home takes %s, more than its budget of %s", used,
		    budget);
	else
		checkup_ok(c, "the home takes %s of its budget of %s", used,
		    budget);
}

void
checkup_disk(struct checkup *c)
{
	const struct home *h = &c->handle->home;
	const char *advice;
	struct disk d;

	if (!c->handle->has_home || h->fd < 0 || disk_look(h->fd, &d) < 0) {
		checkup_ok(c, "nothing to check yet");
		return;
	}
	advice = disk_advice(&d);
	if (advice != NULL)
		checkup_bad(c, d.read_only ? CHECKUP_PROBLEM : CHECKUP_WARNING,
		    advice, "use a home on a local disk: --home, or TEND_HOME",
		    "%s is on %s%s", h->path, d.kind,
		    d.read_only ? ", read-only" : "");
	look_at_space(c, &d);
	look_at_use(c, h);
}
