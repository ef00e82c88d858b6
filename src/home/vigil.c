#include "home/vigil.h"

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
vigil_init(struct vigil *v)
{
	*v = (struct vigil){ .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC) };
	v->blind = v->fd < 0;
}

void
vigil_finish(struct vigil *v)
{
	fd_close(&v->fd);
}

/* True if the watch is new. */
static bool
add(struct vigil *v, const char *path, uint32_t events)
{
	int wd = inotify_add_watch(v->fd, path, events | IN_ONLYDIR);

	v->blind |= wd < 0;
	if (wd <= v->newest)
		return false;
	v->newest = wd;
	return true;
}

bool
vigil_watch(struct vigil *v, const struct home *h, const struct manifest *items,
    unsigned n)
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
vigil_wait_ms(const struct vigil *v)
{
	return v->blind || v->newest == 0 ? BLIND_MS : VIGIL_LOOK_MS;
}

void
vigil_drain(struct vigil *v)
{
	char events[4096];

	(void)poll(NULL, 0, TOGETHER_MS);
	while (read(v->fd, events, sizeof(events)) > 0)
		continue;
}
