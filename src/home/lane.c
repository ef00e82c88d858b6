#include "home/lane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/failpoint.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/version.h"
#include "client/channel.h"
#include "wire/hello.h"

struct lane {
	struct lanes *lanes;
	struct list link;
	char id[ID_SIZE];
	struct hello hello; /* of its channels, with their principal */
	int dirfd;
	struct list asks;        /* struct asking, as they came */
	struct list idle;        /* of the lanes, if there are none */
	struct channel *channel; /* of the calls that are not long; or NULL */
	struct watch
	    *timer; /* answers calls that were refused here; idle: ends it */
};

static void advance(struct lane *lane);

static struct asking *
asking_of(struct list *link)
{
	return container_of(link, struct asking, link);
}

/* ----------------------------------------------------------------- leaving */

static struct lane *
oldest_idle(const struct lanes *l)
{
	return container_of(l->idle.next, struct lane, idle);
}

static bool
is_idle(const struct lane *lane)
{
	return !list_is_empty(&lane->idle);
}

static void
end_idle(struct lane *lane)
{
	if (!is_idle(lane))
		return;
	list_remove(&lane->idle);
	lane->lanes->n_idle--;
	watch_rearm(lane->timer, -1);
}

static void
lane_destroy(struct lane *lane)
{
	end_idle(lane);
	list_remove(&lane->link);
	channel_destroy(lane->channel);
	watch_remove(lane->timer);
	fd_close(&lane->dirfd);
	free(lane);
}

/* The last call has left.  Forgotten requests must not delay later ones. */
static void
begin_idle(struct lane *lane)
{
	struct lanes *l = lane->lanes;

	if (l->linger_ms == 0 || lane->channel == NULL ||
	    channel_pending(lane->channel) > 0) {
		lane_destroy(lane);
		return;
	}
	list_append(&l->idle, &lane->idle);
	watch_rearm(lane->timer, l->linger_ms);
	if (++l->n_idle > LANES_IDLE)
		lane_destroy(oldest_idle(l));
}

static void
leave(struct asking *a)
{
	struct lane *lane = a->lane;

	list_remove(&a->link);
	a->lane = NULL;
	channel_destroy(a->own);
	a->own = NULL;
	if (list_is_empty(&lane->asks))
		begin_idle(lane);
	else
		advance(lane);
}

void
lane_leave(struct asking *a)
{
	if (a->lane == NULL)
		return;
	if (a->posted && a->rc == 0 && a->own == NULL &&
	    a->lane->channel != NULL)
		channel_forget(a->lane->channel, a->request);
	leave(a);
}

static void
on_answer(void *arg, const struct channel_answer *answer)
{
	struct asking *a = arg;

	failpoint("call-answered");
	leave(a);
	a->on_answer(a, answer);
}

static void
fail(struct asking *a, int rc, const char *message)
{
	const struct channel_answer answer = { .outcome = CHANNEL_NOT_SENT,
		.rc = rc,
		.code = "",
		.message = message };

	on_answer(a, &answer);
}

static struct asking *
first_refused(const struct lane *lane)
{
	list_for_each(it, &lane->asks) {
		if (asking_of(it)->rc < 0)
			return asking_of(it);
	}
	return NULL;
}

/* Answering may destroy the lane, so the next one has a turn of its own. */
static void
on_timer(void *arg)
{
	struct lane *lane = arg;
	struct asking *a = first_refused(lane);
	struct error why;

	if (is_idle(lane)) {
		lane_destroy(lane);
		return;
	}
	if (a == NULL)
		return;
	watch_rearm(lane->timer, 0);
	why = a->err;
	fail(a, a->rc, why.msg);
}

/* ---------------------------------------------------------------- channels */

static void
on_close(void *arg, int rc, const struct error *err)
{
	struct lane *lane = arg;

	(void)rc;
	(void)err;
	channel_destroy(lane->channel);
	lane->channel = NULL;
	if (is_idle(lane))
		lane_destroy(lane);
}

static struct channel *
open_channel(const struct lane *lane, const struct channel_handlers *on,
    void *arg)
{
	return channel_create(lane->lanes->loop, lane->dirfd, &lane->hello, on,
	    arg);
}

static struct channel *
channel_of(struct lane *lane, const struct asking *a)
{
	static const struct channel_handlers on = { .on_close = on_close };

	if (a->own != NULL)
		return a->own;
	if (lane->channel == NULL)
		lane->channel = open_channel(lane, &on, lane);
	return lane->channel;
}

/* -------------------------------------------------------------- long calls */

static void
begun(struct asking *a)
{
	a->begun = true;
	a->on_progress(a, true);
	advance(a->lane);
}

static void
on_probe(void *arg, const struct channel_answer *answer)
{
	(void)answer;
	begun(arg);
}

/* A host without `parallel` would answer the probe after the call. */
static void
probe(struct asking *a)
{
	uint64_t id;

	if (!a->posted || !a->open || a->begun || a->rc < 0)
		return;
	if (a->serial ||
	    channel_post(a->own, "session.get", "{}", on_probe, a, &id, NULL) <
		0)
		begun(a);
}

static void
on_own_open(void *arg, const struct welcome *w)
{
	struct asking *a = arg;
	bool first = !a->open;

	a->open = true;
	a->serial = !(w->features & HELLO_PARALLEL);
	if (first)
		probe(a);
}

static void
on_own_close(void *arg, int rc, const struct error *err)
{
	fail(arg, rc, err->msg);
}

/* ------------------------------------------------------------------- order */

static void
post(struct lane *lane, struct asking *a)
{
	a->posted = true;
	failpoint("call-post");
	a->rc = channel_post(channel_of(lane, a), a->op, a->args, on_answer, a,
	    &a->request, &a->err);
	failpoint("call-posted");
	if (a->rc < 0)
		watch_rearm(lane->timer, 0);
	else
		a->on_progress(a, false);
	probe(a);
}

/* The next call that may be posted; NULL: none. */
static struct asking *
next_to_post(const struct lane *lane)
{
	bool unanswered = false; /* a call that is not long */

	list_for_each(it, &lane->asks) {
		struct asking *a = asking_of(it);

		if (!a->posted)
			return a->is_long && unanswered ? NULL : a;
		if (a->is_long && !a->begun && a->rc == 0)
			return NULL;
		unanswered |= !a->is_long;
	}
	return NULL;
}

static void
advance(struct lane *lane)
{
	struct asking *a;

	while ((a = next_to_post(lane)) != NULL)
		post(lane, a);
}

/* --------------------------------------------------------------- interface */

void
lanes_init(struct lanes *l, struct loop *loop, const char *client,
    int64_t linger_ms)
{
	*l = (struct lanes){ .loop = loop,
		.client = client,
		.linger_ms = linger_ms };
	list_init(&l->list);
	list_init(&l->idle);
}

void
lanes_finish(struct lanes *l)
{
	while (!list_is_empty(&l->idle))
		lane_destroy(oldest_idle(l));
}

static void
greet(const struct lanes *l, const struct asking *a, struct hello *out)
{
	hello_init(out);
	out->mode = HELLO_CONTROL;
	snprintf(out->client, sizeof(out->client), "%s %s", l->client,
	    TEND_VERSION);
	if (a->principal != NULL)
		snprintf(out->principal, sizeof(out->principal), "%s",
		    a->principal);
	if (a->verified != NULL)
		snprintf(out->verified, sizeof(out->verified), "%s",
		    a->verified);
}

static struct lane *
find(const struct lanes *l, const char *id, const char *principal,
    const char *verified)
{
	list_for_each(it, &l->list) {
		struct lane *lane = container_of(it, struct lane, link);

		if (strcmp(lane->id, id) == 0 &&
		    strcmp(lane->hello.principal, principal) == 0 &&
		    strcmp(lane->hello.verified, verified) == 0)
			return lane;
	}
	return NULL;
}

bool
lanes_has(const struct lanes *l, const char *id, const char *principal,
    const char *verified)
{
	const struct lane *lane = find(l, id,
	    principal != NULL ? principal : "",
	    verified != NULL ? verified : "");

	return lane != NULL && lane->channel != NULL;
}

static struct lane *
lane_of(struct lanes *l, const char *id, const struct hello *h, int *dirfd)
{
	struct lane *lane = find(l, id, h->principal, h->verified);

	if (lane != NULL) {
		fd_close(dirfd);
		end_idle(lane);
		return lane;
	}
	lane = xcalloc(1, sizeof(*lane));
	lane->lanes = l;
	lane->hello = *h;
	lane->dirfd = fd_take(dirfd);
	snprintf(lane->id, sizeof(lane->id), "%s", id);
	list_init(&lane->asks);
	list_init(&lane->idle);
	list_append(&l->list, &lane->link);
	lane->timer = loop_timer(l->loop, -1, on_timer, lane);
	return lane;
}

/* A long call connects at once, even if it must wait for its turn. */
void
lane_ask(struct lanes *l, const char *id, int *dirfd, struct asking *a)
{
	static const struct channel_handlers on = { .on_open = on_own_open,
		.on_close = on_own_close };
	struct hello h;
	struct lane *lane;

	greet(l, a, &h);
	lane = lane_of(l, id, &h, dirfd);
	a->lane = lane;
	a->posted = a->begun = a->open = false;
	a->rc = 0;
	list_append(&lane->asks, &a->link);
	if (a->is_long)
		a->own = open_channel(lane, &on, a);
	advance(lane);
}
