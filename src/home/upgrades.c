#include "home/upgrades.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "home/fault.h"
#include "home/handle.h"
#include "session/home.h"

#define AT_ONCE 4

/* The work of several threads. */
struct shift {
	struct upgrades *u;
	const struct handle *handle; /* of the home */
	int program;
	upgraded_fn *done;
	void *arg;
	atomic_size_t next;   /* index of the next to upgrade */
	pthread_mutex_t lock; /* for done */
};

static int
on_session(void *arg, const char *id)
{
	struct shift *s = arg;
	struct upgrades *u = s->u;
	struct upgraded item = { 0 };
	auto_close int dirfd = home_session_dir(&s->handle->home, id, NULL);

	if (dirfd < 0 || manifest_read_now(dirfd, &item.session, NULL) < 0)
		return 0;
	if (!status_is_active(item.session.status)) {
		manifest_finish(&item.session);
		return 0;
	}
	u->items = xrealloc(u->items, u->n + 1, sizeof(*u->items));
	u->items[u->n++] = item;
	return 0;
}

/* A worker thread: take sessions until none is left. */
static void *
work(void *arg)
{
	struct shift *s = arg;
	size_t i;

	while ((i = atomic_fetch_add(&s->next, 1)) < s->u->n) {
		struct upgraded *item = &s->u->items[i];
		auto_close int dirfd = home_session_dir(&s->handle->home,
		    item->session.id, NULL);

		next_host_upgrade(&item->host, s->handle, dirfd, s->program);
		if (s->done == NULL)
			continue;
		pthread_mutex_lock(&s->lock);
		s->done(s->arg, item);
		pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

/* Use as many threads as can be created, and the current one. */
static void
upgrade_each(struct shift *s)
{
	pthread_t workers[AT_ONCE - 1];
	size_t n = 0;

	pthread_mutex_init(&s->lock, NULL);
	while (n < AT_ONCE - 1 && n + 1 < s->u->n &&
	    pthread_create(&workers[n], NULL, work, s) == 0)
		n++;
	work(s);
	while (n > 0)
		pthread_join(workers[--n], NULL);
	pthread_mutex_destroy(&s->lock);
}

int
upgrades_run(struct upgrades *u, const struct handle *h, int program,
    upgraded_fn *done, void *arg, struct fault *f)
{
	struct shift s = { .u = u,
		.handle = h,
		.program = program,
		.done = done,
		.arg = arg };
	struct error err;

	*u = (struct upgrades){ 0 };
	if (home_each(&h->home, on_session, &s, &err) < 0)
		return fault_set(f, FAIL_STORAGE, "%s", err.msg);
	upgrade_each(&s);
	return 0;
}

void
upgrades_finish(struct upgrades *u)
{
	for (size_t i = 0; i < u->n; i++)
		manifest_finish(&u->items[i].session);
	free(u->items);
}

void
upgrades_json(const struct upgrades *u, struct json_out *j)
{
	json_out_open(j, '[');
	for (size_t i = 0; i < u->n; i++)
		next_host_json(&u->items[i].host, &u->items[i].session, j);
	json_out_close(j, ']');
}
