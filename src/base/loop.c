#include "base/loop.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <uv.h>

#include "base/list.h"
#include "base/mem.h"

#define YIELD_MS 5

enum watch_kind {
	WATCH_FD,
	WATCH_TIMER,
	WATCH_SETTLE,
};

struct loop {
	uv_loop_t uv;
	struct list watches; /* descriptors, timers */
	struct list hooks;
	struct watch *removed; /* to be freed at the end of the turn */
	bool stopped;
};

/*
 * A watch stays in its list until it is freed, so that whoever walks the list
 * may call handlers that remove any of them.
 */
struct watch {
	struct loop *loop;
	struct list link;
	struct watch *next_removed;
	enum watch_kind kind;
	enum loop_events want; /* of a descriptor */
	bool dead;             /* removed: nothing is called any more */
	union {
		loop_fn *plain;
		loop_fd_fn *fd;
	} fn;
	void *arg;
	union {
		uv_handle_t handle;
		uv_poll_t poll;
		uv_timer_t timer;
	} uv;
};

/* Keep what libuv has let go of until the turn is over. */
static void
discard(struct watch *w)
{
	w->next_removed = w->loop->removed;
	w->loop->removed = w;
}

static void
free_removed(struct loop *loop)
{
	struct watch *w, *next;

	for (w = loop->removed; w != NULL; w = next) {
		next = w->next_removed;
		list_remove(&w->link);
		free(w);
	}
	loop->removed = NULL;
}

/*
 * libuv runs timers both before and after it sleeps.  Stopping it makes it
 * look at its descriptors without sleeping and return, so that what a handler
 * has changed is settled now and not after the next event.
 */
static void
end_turn(struct loop *loop)
{
	uv_stop(&loop->uv);
}

static struct watch *
watch_create(struct loop *loop, enum watch_kind kind, struct list *list,
    void *arg)
{
	struct watch *w = xcalloc(1, sizeof(*w));

	w->loop = loop;
	w->kind = kind;
	w->arg = arg;
	list_append(list, &w->link);
	return w;
}

/* Undo watch_create for a watch that libuv has refused. */
static struct watch *
refuse(struct watch *w, int rc)
{
	list_remove(&w->link);
	free(w);
	errno = -rc;
	return NULL;
}

static void
on_closed(uv_handle_t *handle)
{
	discard(handle->data);
}

static void watch_start(struct watch *w);

static void
on_ready(uv_poll_t *poll, int status, int events)
{
	struct watch *w = poll->data;
	unsigned ready = 0;

	if (w->dead)
		return;
	if (status < 0)
		ready = w->want;
	if (events & UV_READABLE)
		ready |= LOOP_READ;
	if (events & UV_WRITABLE)
		ready |= LOOP_WRITE;
	if (events & UV_DISCONNECT)
		ready |= LOOP_HANGUP;
	end_turn(w->loop);
	w->fn.fd(w->arg, ready);
	/* libuv gives up watching after an error; we go on until removed. */
	if (status < 0 && !w->dead)
		watch_start(w);
}

static void
watch_start(struct watch *w)
{
	int events = 0, rc;

	if (w->want & LOOP_READ)
		events |= UV_READABLE;
	if (w->want & LOOP_WRITE)
		events |= UV_WRITABLE;
	if (w->want & LOOP_HANGUP)
		events |= UV_DISCONNECT;
	rc = uv_poll_start(&w->uv.poll, events, on_ready);
	assert(rc == 0);
	(void)rc;
}

struct watch *
loop_fd(struct loop *loop, int fd, enum loop_events want, loop_fd_fn *fn,
    void *arg)
{
	struct watch *w = watch_create(loop, WATCH_FD, &loop->watches, arg);
	int rc = uv_poll_init(&loop->uv, &w->uv.poll, fd);

	if (rc < 0)
		return refuse(w, rc);
	w->uv.poll.data = w;
	w->fn.fd = fn;
	watch_want(w, want);
	return w;
}

/* libuv would leave epoll and enter it again, even for the same events. */
void
watch_want(struct watch *w, enum loop_events want)
{
	assert(w->kind == WATCH_FD && !w->dead);
	if (want == w->want)
		return;
	w->want = want;
	watch_start(w);
}

static void
on_timer(uv_timer_t *timer)
{
	struct watch *w = timer->data;

	end_turn(w->loop);
	w->fn.plain(w->arg);
}

struct watch *
loop_timer(struct loop *loop, int64_t ms, loop_fn *fn, void *arg)
{
	struct watch *w = watch_create(loop, WATCH_TIMER, &loop->watches, arg);

	uv_timer_init(&loop->uv, &w->uv.timer);
	w->uv.timer.data = w;
	w->fn.plain = fn;
	watch_rearm(w, ms);
	return w;
}

/*
 * libuv counts from when it last looked at the clock, which may have been
 * long before a slow handler came here.
 */
void
watch_rearm(struct watch *w, int64_t ms)
{
	assert(w->kind == WATCH_TIMER && !w->dead);
	uv_timer_stop(&w->uv.timer);
	if (ms < 0)
		return;
	uv_update_time(&w->loop->uv);
	uv_timer_start(&w->uv.timer, on_timer, (uint64_t)ms, 0);
}

/*
 * A timer of no time that is begun in one is called at once, before libuv has
 * looked at a descriptor; so it must be of some.
 */
void
watch_yield(struct watch *w)
{
	watch_rearm(w, YIELD_MS);
}

struct watch *
loop_settle(struct loop *loop, loop_fn *fn, void *arg)
{
	struct watch *w = watch_create(loop, WATCH_SETTLE, &loop->hooks, arg);

	w->fn.plain = fn;
	return w;
}

static void
settle(struct loop *loop)
{
	list_for_each(it, &loop->hooks) {
		struct watch *w = container_of(it, struct watch, link);

		if (!w->dead)
			w->fn.plain(w->arg);
	}
}

void
watch_remove(struct watch *w)
{
	if (w == NULL || w->dead)
		return;
	w->dead = true;
	if (w->kind == WATCH_SETTLE)
		discard(w);
	else
		uv_close(&w->uv.handle, on_closed);
}

struct loop *
loop_create(void)
{
	struct loop *loop = xcalloc(1, sizeof(*loop));
	int rc = uv_loop_init(&loop->uv);

	if (rc < 0) {
		free(loop);
		errno = -rc;
		return NULL;
	}
	list_init(&loop->watches);
	list_init(&loop->hooks);
	return loop;
}

static void
remove_all(struct list *list)
{
	list_for_each(it, list)
		watch_remove(container_of(it, struct watch, link));
}

void
loop_destroy(struct loop *loop)
{
	int rc;

	if (loop == NULL)
		return;
	remove_all(&loop->watches);
	remove_all(&loop->hooks);
	/* A stop that is still pending makes the first run return at once. */
	while (uv_run(&loop->uv, UV_RUN_DEFAULT) != 0)
		continue;
	free_removed(loop);
	rc = uv_loop_close(&loop->uv);
	assert(rc == 0);
	(void)rc;
	free(loop);
}

static void
turn(struct loop *loop)
{
	uv_run(&loop->uv, UV_RUN_ONCE);
	settle(loop);
	free_removed(loop);
}

void
loop_run(struct loop *loop)
{
	while (!loop->stopped && uv_loop_alive(&loop->uv))
		turn(loop);
	loop->stopped = false;
}

void
loop_stop(struct loop *loop)
{
	loop->stopped = true;
}
