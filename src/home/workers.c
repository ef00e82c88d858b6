#include "home/workers.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"

#define LAST_MS 1000 /* for tasks that only read, at the end */

struct workers {
	unsigned threads, queue; /* limits */
	unsigned n_running, n_waiting;
	struct list running, waiting;
	struct watch *watch;
	int bell; /* eventfd: a task has ended */
	pthread_mutex_t mutex;
	struct list ended; /* guarded by the mutex */
};

/* ----------------------------------------------------------- in the thread */

static void *
run(void *arg)
{
	struct task *t = arg;
	struct workers *w = t->workers;

	t->run(t);
	pthread_mutex_lock(&w->mutex);
	list_append(&w->ended, &t->ended);
	pthread_mutex_unlock(&w->mutex);
	fd_poke(w->bell);
	return NULL;
}

/* ------------------------------------------------------------- in the loop */

/* Returns 0 or a positive errno. */
static int
begin(struct workers *w, struct task *t)
{
	int rc = pthread_create(&t->thread, NULL, run, t);

	if (rc != 0)
		return rc;
	t->began = true;
	list_append(&w->running, &t->link);
	w->n_running++;
	return 0;
}

static struct task *
take_waiting(struct workers *w)
{
	struct task *t;

	if (list_is_empty(&w->waiting))
		return NULL;
	t = container_of(w->waiting.next, struct task, link);
	list_remove(&t->link);
	w->n_waiting--;
	return t;
}

static void
refuse(struct task *t, int error)
{
	t->error = error;
	t->done(t);
}

static void
begin_waiting(struct workers *w)
{
	struct task *t;

	while (w->n_running < w->threads && (t = take_waiting(w)) != NULL) {
		int rc = begin(w, t);

		if (rc != 0)
			refuse(t, rc);
	}
}

static struct task *
take_ended(struct workers *w)
{
	struct task *t = NULL;

	pthread_mutex_lock(&w->mutex);
	if (!list_is_empty(&w->ended)) {
		t = container_of(w->ended.next, struct task, ended);
		list_remove(&t->ended);
	}
	pthread_mutex_unlock(&w->mutex);
	return t;
}

/* The thread has rung the bell, or is about to: it ends at once. */
static void
end(struct workers *w, struct task *t)
{
	pthread_join(t->thread, NULL);
	list_remove(&t->link);
	w->n_running--;
	t->done(t);
}

static void
on_bell(void *arg, enum loop_events ready)
{
	struct workers *w = arg;
	struct task *t;
	uint64_t n;

	(void)ready;
	(void)!read(w->bell, &n, sizeof(n));
	while ((t = take_ended(w)) != NULL)
		end(w, t);
	begin_waiting(w);
}

struct workers *
workers_create(struct loop *loop, unsigned threads, unsigned queue)
{
	struct workers *w = xcalloc(1, sizeof(*w));

	w->threads = threads;
	w->queue = queue;
	list_init(&w->running);
	list_init(&w->waiting);
	list_init(&w->ended);
	pthread_mutex_init(&w->mutex, NULL);
	w->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->bell >= 0)
		w->watch = loop_fd(loop, w->bell, LOOP_READ, on_bell, w);
	if (w->watch != NULL)
		return w;
	fd_close(&w->bell);
	free(w);
	return NULL;
}

int
workers_add(struct workers *w, struct task *t)
{
	t->workers = w;
	list_init(&t->ended);
	if (w->n_running < w->threads)
		return -begin(w, t);
	if (w->n_waiting >= w->queue)
		return -EAGAIN;
	list_append(&w->waiting, &t->link);
	w->n_waiting++;
	return 0;
}

bool
workers_withdraw(struct task *t)
{
	if (t->began)
		return false;
	list_remove(&t->link);
	t->workers->n_waiting--;
	return true;
}

/* ----------------------------------------------------------------- the end */

/* True if a running task must be waited for. */
static bool
has_to_wait(const struct workers *w, int64_t until)
{
	if (clock_ms(CLOCK_MONOTONIC) < until)
		return w->n_running > 0;
	list_for_each(it, &w->running) {
		if (!container_of(it, struct task, link)->reads)
			return true;
	}
	return false;
}

static void
await_running(struct workers *w)
{
	int64_t until = clock_ms(CLOCK_MONOTONIC) + LAST_MS;
	struct pollfd p = { .fd = w->bell, .events = POLLIN };
	struct task *t;

	while (has_to_wait(w, until)) {
		int64_t left = until - clock_ms(CLOCK_MONOTONIC);
		uint64_t n;

		if (poll(&p, 1, left > 0 ? (int)left : -1) > 0)
			(void)!read(w->bell, &n, sizeof(n));
		while ((t = take_ended(w)) != NULL)
			end(w, t);
	}
}

void
workers_destroy(struct workers *w)
{
	struct task *t;

	if (w == NULL)
		return;
	watch_remove(w->watch);
	while ((t = take_waiting(w)) != NULL)
		refuse(t, ECANCELED);
	await_running(w);
	if (w->n_running > 0) {
		list_for_each(it, &w->running)
			pthread_detach(
			    container_of(it, struct task, link)->thread);
		return;
	}
	pthread_mutex_destroy(&w->mutex);
	fd_close(&w->bell);
	free(w);
}
