#include "hub/log_watch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"

struct log_watches {
	int fd; /* inotify; -1: none */
	struct watch *watch;
	struct list watchers;
};

static struct log_watcher *
watcher_of(struct list *link)
{
	return container_of(link, struct log_watcher, link);
}

/* All watchers, if the kernel has lost events. */
static void
call(struct log_watches *w, int wd)
{
	struct list due;

	list_init(&due);
	list_for_each_safe(it, &w->watchers) {
		if (wd >= 0 && watcher_of(it)->wd != wd)
			continue;
		list_remove(it);
		watcher_of(it)->wd = -1;
		list_append(&due, it);
	}
	while (!list_is_empty(&due)) {
		struct log_watcher *who = watcher_of(due.next);

		list_remove(&who->link);
		who->fn(who->arg);
	}
}

static void
on_ready(void *arg, enum loop_events ready)
{
	union {
		struct inotify_event event;
		char bytes[sizeof(struct inotify_event) + NAME_MAX + 1];
	} in[16];
	const char *at = (const char *)in;
	struct log_watches *w = arg;
	ssize_t n = read(w->fd, in, sizeof(in));

	(void)ready;
	while (n >= (ssize_t)sizeof(struct inotify_event)) {
		const struct inotify_event *ev = (const void *)at;
		ssize_t size = (ssize_t)(sizeof(*ev) + ev->len);

		if ((ev->mask & IN_IGNORED) == 0)
			call(w, ev->mask & IN_Q_OVERFLOW ? -1 : ev->wd);
		at += size;
		n -= size;
	}
}

void
log_watcher_init(struct log_watcher *who, void (*fn)(void *arg), void *arg)
{
	*who = (struct log_watcher){ .wd = -1, .fn = fn, .arg = arg };
	list_init(&who->link);
}

struct log_watches *
log_watches_create(struct loop *loop)
{
	struct log_watches *w = xcalloc(1, sizeof(*w));

	list_init(&w->watchers);
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->fd >= 0)
		w->watch = loop_fd(loop, w->fd, LOOP_READ, on_ready, w);
	return w;
}

void
log_watches_destroy(struct log_watches *w)
{
	if (w == NULL)
		return;
	watch_remove(w->watch);
	fd_close(&w->fd);
	free(w);
}

bool
log_watch_ask(struct log_watches *w, struct log_watcher *who, int dirfd)
{
	char path[64];

	if (who->wd >= 0)
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/log", dirfd);
	if (w->watch != NULL)
		who->wd = inotify_add_watch(w->fd, path,
		    IN_MODIFY | IN_CREATE | IN_ONESHOT);
	if (who->wd < 0)
		return false;
	list_append(&w->watchers, &who->link);
	return true;
}

void
log_watch_forget(struct log_watcher *who)
{
	list_remove(&who->link);
	who->wd = -1;
}
