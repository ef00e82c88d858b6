#include "home/workers.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"

#define LAST_MS 1000 /* for tasks that only read, at the end */
#define IDLE_MS 5000 /* until a thread without a task ends */

struct workers {
	unsigned threads, queue; /* limits */
	unsigned n_running, n_waiting;
	struct list running, waiting;
	struct watch *watch;
	int bell; /* eventfd: a task has ended */
	pthread_mutex_t mutex;
	/* Guarded by the mutex: */
	pthread_cond_t wake; /* there is a task, or the end */
	pthread_cond_t left; /* a thread has ended */
	struct list begun, ended;
	unsigned n_begun;   /* tasks that no thread has taken yet */
	unsigned n_idle;    /* threads without a task */
	unsigned n_threads; /* all of them */
	bool closing;
};

/* ----------------------------------------------------------- in the thread */

/* Wait for another task, with the mutex; NULL: there is none. */
static struct task *
await_task(struct workers *w)
{
	struct timespec until;
	struct task *t;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += IDLE_MS / 1000;
	while (list_is_empty(&w->begun) && !w->closing && rc == 0)
		rc = pthread_cond_timedwait(&w->wake, &w->mutex, &until);
	w->n_idle--;
	if (list_is_empty(&w->begun))
		return NULL;
	t = container_of(w->begun.next, struct task, ended);
	list_remove(&t->ended);
	w->n_begun--;
	return t;
}

static void *
run(void *arg)
{
	struct task *t = arg;
	struct workers *w = t->workers;

	while (t != NULL) {
		t->run(t);
		pthread_mutex_lock(&w->mutex);
		list_append(&w->ended, &t->ended);
		w->n_idle++; /* before the loop looks for such a thread */
		pthread_mutex_unlock(&w->mutex);
		fd_poke(w->bell);
		pthread_mutex_lock(&w->mutex);
		t = await_task(w);
		if (t == NULL) {
			w->n_threads--;
			pthread_cond_signal(&w->left);
		}
		pthread_mutex_unlock(&w->mutex);
	}
	return NULL;
}

/* ------------------------------------------------------------- in the loop */

/* Returns 0 or a positive errno. */
static int
begin_thread(struct workers *w, struct task *t)
{
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, run, t);

	if (rc != 0)
		return rc;
	pthread_detach(thread);
	w->n_threads++;
	return 0;
}

/* Give the task to a thread that is idle, or to a new one. */
static int
begin(struct workers *w, struct task *t)
{
	int rc = 0;

	pthread_mutex_lock(&w->mutex);
	if (w->n_idle > w->n_begun) {
		list_append(&w->begun, &t->ended);
		w->n_begun++;
		pthread_cond_signal(&w->wake);
	} else {
		rc = begin_thread(w, t);
	}
	pthread_mutex_unlock(&w->mutex);
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

static void
end(struct workers *w, struct task *t)
{
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
	pthread_condattr_t attr;

	w->threads = threads;
	w->queue = queue;
	list_init(&w->running);
	list_init(&w->waiting);
	list_init(&w->begun);
	list_init(&w->ended);
	pthread_mutex_init(&w->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &attr);
	pthread_cond_init(&w->left, NULL);
	pthread_condattr_destroy(&attr);
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
workers_are_idle(const struct workers *w)
{
	return w->n_running == 0 && w->n_waiting == 0;
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

/* False: threads that still read something use the workers. */
static bool
end_threads(struct workers *w)
{
	bool all;

	pthread_mutex_lock(&w->mutex);
	w->closing = true;
	pthread_cond_broadcast(&w->wake);
	while (w->n_threads > w->n_running)
		pthread_cond_wait(&w->left, &w->mutex);
	all = w->n_threads == 0;
	pthread_mutex_unlock(&w->mutex);
	return all;
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
	if (!end_threads(w))
		return;
	pthread_cond_destroy(&w->wake);
	pthread_cond_destroy(&w->left);
	pthread_mutex_destroy(&w->mutex);
	fd_close(&w->bell);
	free(w);
}
