#include "home/home_watch.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fd.h"
#include "session/home.h"
#include "session/manifest.h"

#define BLIND_MS 1000
#define TOGETHER_MS 100

void
home_watch_init(struct home_watch *v)
{
	*v = (struct home_watch){ .fd = inotify_init1(
				      IN_NONBLOCK | IN_CLOEXEC) };
	v->blind = v->fd < 0;
}

void
home_watch_finish(struct home_watch *v)
{
	fd_close(&v->fd);
}

/* True if the watch is new. */
static bool
add(struct home_watch *v, const char *path, uint32_t events)
{
	int wd = inotify_add_watch(v->fd, path, events | IN_ONLYDIR);

	v->blind |= wd < 0;
	if (wd <= v->newest)
		return false;
	v->newest = wd;
	return true;
}

bool
home_watch_watch(struct home_watch *v, const struct home *h,
    const struct manifest *items, unsigned n)
{
	char path[PATH_MAX + 64];
	bool added = false;

	if (v->fd < 0 || h->sessions_fd < 0)
		return false;
	snprintf(path, sizeof(path), "%s/sessions", h->path);
	added |= add(v, path, IN_CREATE | IN_DELETE | IN_MOVE);
	for (unsigned i = 0; i < n; i++) {
		if (!status_is_active(items[i].status))
			continue;
		snprintf(path, sizeof(path), "%s/sessions/%s", h->path,
		    items[i].id);
		added |= add(v, path, IN_MOVED_TO);
	}
	return added;
}

int
home_watch_wait_ms(const struct home_watch *v)
{
	return v->blind || v->newest == 0 ? BLIND_MS : HOME_WATCH_LOOK_MS;
}

void
home_watch_drain(struct home_watch *v)
{
	char events[4096];

	(void)poll(NULL, 0, TOGETHER_MS);
	while (read(v->fd, events, sizeof(events)) > 0)
		continue;
}
