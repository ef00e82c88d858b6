#include "hub/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
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
#include "home/permit.h"
#include "hub/directory.h"
#include "hub/hub.h"
#include "session/home.h"
#include "session/manifest.h"

#define BATCH 64 /* sessions read in one turn */
#define READS 16 /* of events, in one turn */
#define FILE_NAME "session.json"

/* A directory of HOME/sessions. */
struct seen {
	char id[ID_SIZE];
	int wd;             /* -1: not watched */
	pid_t keeper, host; /* of an active session; 0: none */
	ino_t ino;          /* of session.json; 0: none */
	struct timespec at; /* its time */
	unsigned round;     /* the last one in which it was there */
	bool queued;
};

struct watched {
	int wd;
	char id[ID_SIZE];
};

struct follow {
	struct hub *hub;
	struct permit permit;
	char boot[40]; /* "": unknown */
	int fd;        /* inotify; -1: none */
	struct watch *watch, *tick, *work;
	int root; /* the watch of HOME/sessions; -1: none */
	struct seen *seen;
	size_t n_seen, cap_seen; /* by id */
	struct watched *watched;
	size_t n_watched, cap_watched; /* by wd, which the kernel counts up */
	char (*queue)[ID_SIZE];
	size_t n_queue, cap_queue, queue_at;
	unsigned round;
	size_t at; /* of this round */
	int64_t round_ms;
	bool hurry; /* events were lost */
	bool over;  /* the home has gone */
};

/* ------------------------------------------------------------------- seen */

static size_t
index_of(const struct follow *f, const char *id)
{
	size_t low = 0, high = f->n_seen;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(f->seen[middle].id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct seen *
find(const struct follow *f, const char *id)
{
	size_t i = index_of(f, id);

	return i < f->n_seen && strcmp(f->seen[i].id, id) == 0 ? &f->seen[i] :
								 NULL;
}

static void
queue(struct follow *f, struct seen *s)
{
	if (s->queued)
		return;
	s->queued = true;
	if (f->n_queue == f->cap_queue) {
		f->cap_queue = f->cap_queue == 0 ? 64 : 2 * f->cap_queue;
		f->queue = xrealloc(f->queue, f->cap_queue, sizeof(*f->queue));
	}
	memcpy(f->queue[f->n_queue++], s->id, ID_SIZE);
	watch_rearm(f->work, 0);
}

/* ---------------------------------------------------------------- watches */

static size_t
watched_index(const struct follow *f, int wd)
{
	size_t low = 0, high = f->n_watched;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->watched[middle].wd < wd)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
forget_watch(struct follow *f, int wd)
{
	size_t i = watched_index(f, wd);

	if (i == f->n_watched || f->watched[i].wd != wd)
		return;
	f->n_watched--;
	memmove(f->watched + i, f->watched + i + 1,
	    (f->n_watched - i) * sizeof(*f->watched));
}

static void
remember_watch(struct follow *f, int wd, const char *id)
{
	size_t i = watched_index(f, wd);

	if (i == f->n_watched || f->watched[i].wd != wd) {
		if (f->n_watched == f->cap_watched) {
			f->cap_watched = f->cap_watched == 0 ?
			    64 :
			    2 * f->cap_watched;
			f->watched = xrealloc(f->watched, f->cap_watched,
			    sizeof(*f->watched));
		}
		memmove(f->watched + i + 1, f->watched + i,
		    (f->n_watched - i) * sizeof(*f->watched));
		f->n_watched++;
	}
	f->watched[i].wd = wd;
	memcpy(f->watched[i].id, id, ID_SIZE);
}

static int
add_watch(struct follow *f, const char *path, uint32_t events)
{
	int wd = f->fd < 0 ?
	    -1 :
	    inotify_add_watch(f->fd, path, events | IN_ONLYDIR);

	if (wd < 0 && (f->fd < 0 || errno == ENOSPC || errno == ENOMEM))
		hub_note(f->hub, HUB_NOT_WATCHED,
		    "cannot watch all sessions, so some changes are seen later",
		    strerror(errno));
	return wd;
}

static void
watch_session(struct follow *f, struct seen *s)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/sessions/%s", f->hub->home.path,
	    s->id);
	s->wd = add_watch(f, path, IN_MOVED_TO);
	if (s->wd >= 0)
		remember_watch(f, s->wd, s->id);
}

static void
watch_root(struct follow *f)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/sessions", f->hub->home.path);
	f->root = add_watch(f, path,
	    IN_CREATE | IN_DELETE | IN_MOVE | IN_DELETE_SELF | IN_MOVE_SELF);
}

/* --------------------------------------------------------------- sessions */

static void
add(struct follow *f, const char *id)
{
	size_t i = index_of(f, id);

	if (i < f->n_seen && strcmp(f->seen[i].id, id) == 0) {
		queue(f, &f->seen[i]);
		return;
	}
	if (f->n_seen == f->cap_seen) {
		f->cap_seen = f->cap_seen == 0 ? 64 : 2 * f->cap_seen;
		f->seen = xrealloc(f->seen, f->cap_seen, sizeof(*f->seen));
	}
	memmove(f->seen + i + 1, f->seen + i,
	    (f->n_seen - i) * sizeof(*f->seen));
	f->n_seen++;
	f->seen[i] = (struct seen){ .round = f->round };
	memcpy(f->seen[i].id, id, ID_SIZE);
	/* First watch, then read: no change is lost between the two. */
	watch_session(f, &f->seen[i]);
	queue(f, &f->seen[i]);
}

static void
drop(struct follow *f, const char *id)
{
	size_t i = index_of(f, id);

	if (i == f->n_seen || strcmp(f->seen[i].id, id) != 0)
		return;
	/* Before the entry goes: the id may be its own. */
	directory_drop(f->hub->directory, id);
	if (f->seen[i].wd >= 0) {
		(void)inotify_rm_watch(f->fd, f->seen[i].wd);
		forget_watch(f, f->seen[i].wd);
	}
	f->n_seen--;
	memmove(f->seen + i, f->seen + i + 1,
	    (f->n_seen - i) * sizeof(*f->seen));
	if (f->at > i)
		f->at--;
}

/* Returns false if there is no such file. */
static bool
look(const struct follow *f, const char *id, struct stat *st)
{
	char path[ID_SIZE + sizeof("/" FILE_NAME)];

	snprintf(path, sizeof(path), "%s/" FILE_NAME, id);
	return fstatat(f->hub->home.sessions_fd, path, st,
		   AT_SYMLINK_NOFOLLOW) == 0;
}

static void
take(struct follow *f, struct seen *s, struct manifest *m)
{
	bool active = status_is_active(m->status);

	s->keeper = active ? m->keeper.pid : 0;
	s->host = active ? m->host.pid : 0;
	manifest_believe_id(m, s->id);
	if (permit_sees(&f->permit, m))
		directory_take(f->hub->directory, m);
}

/* Errors that say nothing about the session. */
static bool
is_passing(int rc)
{
	return rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM || rc == -EIO;
}

static void
read_session(struct follow *f, struct seen *s)
{
	struct stat st = { 0 };
	struct manifest m;
	struct error err;
	auto_close int fd = home_session_dir(&f->hub->home, s->id, &err);
	int rc;

	if (fd == -ENOENT) {
		drop(f, s->id);
		return;
	}
	(void)look(f, s->id, &st);
	s->ino = st.st_ino;
	s->at = st.st_mtim;
	s->keeper = s->host = 0;
	rc = fd < 0 ? fd : manifest_read_in(fd, &m, f->boot, &err);
	if (is_passing(rc)) {
		s->ino = 0; /* the next round reads it */
		hub_note(f->hub, HUB_NO_HOME, "cannot read a session", err.msg);
		return;
	}
	if (rc < 0) {
		directory_drop(f->hub->directory, s->id);
		return;
	}
	take(f, s, &m);
	manifest_finish(&m);
}

static void
read_queue(struct follow *f, size_t max)
{
	for (; max > 0 && f->queue_at < f->n_queue; max--) {
		struct seen *s = find(f, f->queue[f->queue_at++]);

		if (s != NULL) {
			s->queued = false;
			read_session(f, s);
		}
	}
	if (f->queue_at < f->n_queue) {
		watch_rearm(f->work, 0);
		return;
	}
	f->queue_at = f->n_queue = 0;
	if (!f->hub->ready) {
		f->hub->ready = true;
		directory_begin(f->hub->directory);
	}
}

static void
on_work(void *arg)
{
	read_queue(arg, BATCH);
}

/* ------------------------------------------------------------------ events */

static void
hurry(struct follow *f)
{
	int64_t wait = f->round_ms + FOLLOW_AGAIN_MS -
	    clock_ms(CLOCK_MONOTONIC);

	f->hurry = true;
	f->at = SIZE_MAX;
	watch_rearm(f->tick, wait > 0 ? wait : 0);
}

static void
take_event(struct follow *f, const struct inotify_event *e)
{
	const char *name = e->len > 0 ? e->name : "";
	size_t i;

	if (e->mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF)) {
		if (e->mask & IN_Q_OVERFLOW)
			hub_note(f->hub, HUB_OVERFLOW,
			    "too many changes at once; reading the home again",
			    "");
		hurry(f);
	} else if (e->wd == f->root && (e->mask & IN_IGNORED)) {
		f->root = -1;
	} else if (e->wd == f->root) {
		if (!id_is_valid(name))
			return;
		if (e->mask & (IN_CREATE | IN_MOVED_TO))
			add(f, name);
		else
			drop(f, name);
	} else if (e->mask & IN_IGNORED) {
		forget_watch(f, e->wd);
	} else if (strcmp(name, FILE_NAME) == 0) {
		i = watched_index(f, e->wd);
		if (i < f->n_watched && f->watched[i].wd == e->wd &&
		    find(f, f->watched[i].id) != NULL)
			queue(f, find(f, f->watched[i].id));
	}
}

/* Returns false if there were no events. */
static bool
read_events(struct follow *f)
{
	_Alignas(struct inotify_event) char part[16384];
	ssize_t n = f->fd < 0 ? -1 : read(f->fd, part, sizeof(part));

	for (char *p = part; n > 0 && p < part + n;) {
		const struct inotify_event *e = (const void *)p;

		take_event(f, e);
		p += sizeof(*e) + e->len;
	}
	return n > 0;
}

static void
on_events(void *arg, enum loop_events ready)
{
	struct follow *f = arg;

	(void)ready;
	for (int i = 0; i < READS && read_events(f); i++)
		continue;
}

/* ------------------------------------------------------------------ rounds */

static bool
is_gone(pid_t pid)
{
	return pid > 0 && kill(pid, 0) < 0 && errno == ESRCH;
}

static void
check(struct follow *f, struct seen *s)
{
	struct stat st = { 0 };

	if (s->wd < 0)
		watch_session(f, s);
	(void)look(f, s->id, &st);
	if (st.st_ino != s->ino || st.st_mtim.tv_sec != s->at.tv_sec ||
	    st.st_mtim.tv_nsec != s->at.tv_nsec || is_gone(s->keeper) ||
	    is_gone(s->host) ||
	    ((s->keeper | s->host) != 0 && f->round % FOLLOW_DEEP == 0))
		queue(f, s);
}

static int
on_id(void *arg, const char *id)
{
	struct follow *f = arg;
	struct seen *s = find(f, id);

	if (s != NULL)
		s->round = f->round;
	else
		add(f, id);
	return 0;
}

static bool
is_same(const char *path, int fd)
{
	struct stat named, open;

	return stat(path, &named) == 0 && fstat(fd, &open) == 0 &&
	    named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

static void
end_hub(struct follow *f)
{
	f->over = true;
	log_write(&f->hub->log, LOG_ERROR, "the home was replaced or removed",
	    log_str("home", f->hub->home.path));
	f->hub->status = 1;
	loop_stop(f->hub->loop);
}

/* HOME/sessions may be another directory than before. */
static void
open_sessions(struct follow *f)
{
	struct home *home = &f->hub->home;
	char path[PATH_MAX + 16];
	struct error err;
	int fd;

	snprintf(path, sizeof(path), "%s/sessions", home->path);
	if (is_same(path, home->sessions_fd))
		return;
	fd = home_open_part(home, "sessions", true, &err);
	if (fd < 0) {
		hub_note(f->hub, HUB_NO_HOME, "cannot read the sessions",
		    err.msg);
		return;
	}
	fd_close(&home->sessions_fd);
	home->sessions_fd = fd;
	/* All watches are of the old directories. */
	watch_remove(f->watch);
	f->watch = NULL;
	fd_close(&f->fd);
	f->root = -1;
	f->n_watched = 0;
	for (size_t i = 0; i < f->n_seen; i++)
		f->seen[i].wd = -1;
}

static void
open_events(struct follow *f)
{
	if (f->fd >= 0)
		return;
	f->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (f->fd >= 0)
		f->watch = loop_fd(f->hub->loop, f->fd, LOOP_READ, on_events,
		    f);
}

/* Compare the list of directories with the known ones. */
static void
begin_round(struct follow *f)
{
	struct error err;

	f->round++;
	f->round_ms = clock_ms(CLOCK_MONOTONIC);
	f->at = 0;
	if (!is_same(f->hub->home.path, f->hub->home.fd)) {
		end_hub(f);
		return;
	}
	open_sessions(f);
	open_events(f);
	if (f->root < 0)
		watch_root(f);
	if (home_each(&f->hub->home, on_id, f, &err) < 0) {
		hub_note(f->hub, HUB_NO_HOME, "cannot list the sessions",
		    err.msg);
		return;
	}
	for (size_t i = f->n_seen; i-- > 0;) {
		if (f->seen[i].round != f->round)
			drop(f, f->seen[i].id);
	}
}

/* The number of sessions to look at in this tick. */
static size_t
slice(const struct follow *f)
{
	size_t n = f->n_seen / (FOLLOW_ROUND_MS / FOLLOW_TICK_MS) + 1;

	return f->hurry || n > FOLLOW_SLICE ? FOLLOW_SLICE : n;
}

static void
on_tick(void *arg)
{
	struct follow *f = arg;
	int64_t now = clock_ms(CLOCK_MONOTONIC);

	if (f->at >= f->n_seen &&
	    (f->hurry || now - f->round_ms >= FOLLOW_ROUND_MS))
		begin_round(f);
	if (f->over)
		return;
	for (size_t n = slice(f); n > 0 && f->at < f->n_seen; n--)
		check(f, &f->seen[f->at++]);
	if (f->at >= f->n_seen)
		f->hurry = false;
	watch_rearm(f->tick, f->hurry ? 0 : FOLLOW_TICK_MS);
}

static void
look_at_processes(struct follow *f, struct seen *s)
{
	if (is_gone(s->keeper) || is_gone(s->host))
		queue(f, s);
}

void
follow_catch_up(struct follow *f)
{
	while (read_events(f))
		continue;
	for (size_t i = 0; i < f->n_seen; i++)
		look_at_processes(f, &f->seen[i]);
	read_queue(f, SIZE_MAX);
}

void
follow_look(struct follow *f, const char *id)
{
	struct seen *s;

	while (read_events(f))
		continue;
	s = find(f, id);
	if (s != NULL)
		look_at_processes(f, s);
	read_queue(f, SIZE_MAX);
}

struct follow *
follow_create(struct hub *hub)
{
	struct follow *f = xcalloc(1, sizeof(*f));

	f->hub = hub;
	f->fd = f->root = -1;
	permit_init(&f->permit, &hub->home);
	if (boot_id(f->boot) < 0)
		f->boot[0] = '\0';
	f->work = loop_timer(hub->loop, 0, on_work, f);
	f->tick = loop_timer(hub->loop, FOLLOW_TICK_MS, on_tick, f);
	begin_round(f);
	return f;
}

void
follow_destroy(struct follow *f)
{
	if (f == NULL)
		return;
	watch_remove(f->watch);
	watch_remove(f->tick);
	watch_remove(f->work);
	fd_close(&f->fd);
	permit_finish(&f->permit);
	free(f->seen);
	free(f->watched);
	free(f->queue);
	free(f);
}
