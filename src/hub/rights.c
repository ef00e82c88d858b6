#include "hub/rights.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "hub/access.h"
#include "hub/directory.h"
#include "hub/hub.h"
#include "hub/listener.h"
#include "hub/verifier.h"

struct rights {
	struct hub *hub;
	int fd;               /* inotify; -1: none */
	struct watch *watch;  /* of fd */
	struct watch *look;   /* a timer, without inotify */
	struct watch *settle; /* sets `ends` */
	struct watch *ends;   /* a timer: the next end of an identity */
	int64_t end_ms;       /* when it fires, CLOCK_REALTIME; 0: never */
	struct stat seen;     /* of the file that was read last */
	struct directory_follower names;
	bool renamed; /* reconsider at the end of this turn */
};

static void
reconsider(struct hub *hub)
{
	hub_reconsider(hub);
	listener_end_invalid(hub->listener);
}

void
rights_end(struct hub *hub, const json_t *ids)
{
	for (size_t i = 0; i < json_array_size(ids); i++)
		access_end(hub->access,
		    json_string_value(json_array_get(ids, i)));
	verifier_clear(hub->verifier);
	reconsider(hub);
}

/* ------------------------------------------------------------------ policy */

static bool
is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
	    a->st_mode == b->st_mode &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	    a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	    a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* True if the file is not the one that was read last. */
static bool
has_changed(struct rights *r)
{
	struct stat st;

	if (fstatat(r->hub->home.fd, ACCESS_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0)
		memset(&st, 0, sizeof(st));
	if (is_same(&st, &r->seen))
		return false;
	r->seen = st;
	return true;
}

static void
load(struct rights *r)
{
	struct hub *hub = r->hub;
	struct error err;

	if (!has_changed(r))
		return;
	if (access_load(hub->access, &hub->home, &err) < 0) {
		log_write(&hub->log, LOG_WARN,
		    "the policy cannot be used; the last good one stays",
		    log_str("detail", err.msg));
		return;
	}
	log_write(&hub->log, LOG_INFO, "the policy was read",
	    log_int("bytes", (int64_t)r->seen.st_size));
	reconsider(hub);
}

static void
on_change(void *arg, enum loop_events ready)
{
	struct rights *r = arg;
	char events[4096];

	(void)ready;
	while (read(r->fd, events, sizeof(events)) > 0)
		continue;
	load(r);
}

static void
on_look(void *arg)
{
	struct rights *r = arg;

	load(r);
	watch_rearm(r->look, RIGHTS_LOOK_MS);
}

static void
watch_policy(struct rights *r)
{
	char path[64];

	/* By its descriptor: the home may be moved. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->hub->home.fd);
	r->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (r->fd >= 0 &&
	    inotify_add_watch(r->fd, path,
		IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
		    IN_ATTRIB) >= 0)
		r->watch = loop_fd(r->hub->loop, r->fd, LOOP_READ, on_change,
		    r);
	if (r->watch == NULL)
		r->look = loop_timer(r->hub->loop, RIGHTS_LOOK_MS, on_look, r);
}

/* -------------------------------------------------------------------- ends */

static void
on_end(void *arg)
{
	struct rights *r = arg;

	r->end_ms = 0;
	access_forget_ends(r->hub->access);
	reconsider(r->hub);
}

/* Everybody who asked for rights in this turn has told when they end. */
static void
on_settle(void *arg)
{
	struct rights *r = arg;
	int64_t next = access_next_end(r->hub->access);
	int64_t left;

	if (next == 0 || (r->end_ms != 0 && next >= r->end_ms))
		return;
	r->end_ms = next;
	left = next - clock_ms(CLOCK_REALTIME);
	watch_rearm(r->ends,
	    left < 0           ? 0 :
		left < INT_MAX ? left + 1 :
				 INT_MAX);
}

/* ------------------------------------------------------------------- names */

static void
on_renamed(void *arg)
{
	struct rights *r = arg;

	r->renamed = false;
	reconsider(r->hub);
}

static void
on_session(void *arg, const struct directory_event *e)
{
	struct rights *r = arg;

	if (e->type != DIRECTORY_RENAMED || r->renamed)
		return;
	r->renamed = true;
	hub_later(r->hub, on_renamed, r);
}

void
rights_follow_names(struct rights *r)
{
	r->names.fn = on_session;
	r->names.arg = r;
	directory_follow(r->hub->directory, &r->names);
}

/* ------------------------------------------------------------ begin and end */

struct rights *
rights_create(struct hub *hub)
{
	struct rights *r = xcalloc(1, sizeof(*r));
	struct error err;

	r->hub = hub;
	r->fd = -1;
	list_init(&r->names.link);
	watch_policy(r);
	r->ends = loop_timer(hub->loop, -1, on_end, r);
	r->settle = loop_settle(hub->loop, on_settle, r);
	(void)has_changed(r);
	/* Nobody but the owner gets in until a bad one is mended. */
	if (access_load(hub->access, &hub->home, &err) < 0)
		log_write(&hub->log, LOG_WARN,
		    "the policy cannot be used; only the owner has rights",
		    log_str("detail", err.msg));
	return r;
}

void
rights_destroy(struct rights *r)
{
	if (r == NULL)
		return;
	list_remove(&r->names.link);
	watch_remove(r->watch);
	watch_remove(r->look);
	watch_remove(r->settle);
	watch_remove(r->ends);
	fd_close(&r->fd);
	free(r);
}
