#include "home/calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "client/channel.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/lane.h"
#include "home/operation.h"
#include "home/report.h"
#include "home/workers.h"
#include "op/ops.h"

#define ANSWER_MS 15000 /* beyond the timeout of the call itself */

struct calls {
	struct loop *loop;
	struct lanes lanes;
	struct workers *finder; /* one thread, so that calls keep their order */
	struct workers *home;
	struct list list; /* struct calling */
	size_t n, max;
	bool closing;
};

/*
 * A call is either with a thread (errand) or with a host (asking).  It is freed
 * after its callback.
 */
struct calling {
	struct calls *calls;
	struct list link;
	struct operation o;
	char *session, *principal, *verified;
	calls_done_fn *fn; /* NULL: the answer is not needed */
	void *arg;
	bool cancelled;         /* and it ends */
	struct errand *errand;  /* NULL: it has none */
	struct asking asking;   /* asking.lane is NULL: it does not ask */
	char *args;             /* as text */
	char id[ID_SIZE];       /* of the session; "": not known yet */
	bool again;             /* this is the second attempt */
	struct fault *why;      /* no host has answered; or NULL */
	struct watch *deadline; /* of the host */
};

/* The work of a thread for a call. */
struct errand {
	struct task task;
	struct calling *call;
	struct operation o;
	struct handle handle; /* of a search */
	struct report report;
	json_t *result;
	struct fault fault;
	int rc;
	int cancel; /* eventfd */
};

static int find(struct calling *call, struct fault *f);

/* --------------------------------------------------------------- the end */

static void
errand_free(struct errand *e)
{
	if (e == NULL)
		return;
	handle_finish(&e->handle);
	report_finish(&e->report);
	json_decref(e->result);
	fd_close(&e->cancel);
	free(e);
}

static void
call_free(struct calling *call)
{
	list_remove(&call->link);
	call->calls->n--;
	lane_leave(&call->asking);
	errand_free(call->errand);
	watch_remove(call->deadline);
	json_decref((json_t *)call->o.args);
	free(call->session);
	free(call->principal);
	free(call->verified);
	free(call->args);
	free(call->why);
	free(call);
}

static void
conclude(struct calling *call, json_t *result, const struct fault *f)
{
	struct report none;
	struct calls_answer a = { .result = result, .fault = f };

	report_init(&none, NULL, NULL);
	a.report = call->errand != NULL ? &call->errand->report : &none;
	if (call->fn != NULL)
		call->fn(call->arg, &a);
	call_free(call);
	report_finish(&none);
}

/* ---------------------------------------------------------------- threads */

static struct errand *
errand_of(struct task *t)
{
	return container_of(t, struct errand, task);
}

static int
send(struct calling *call, struct workers *to, struct errand *e,
    struct fault *f)
{
	int rc = e->cancel < 0 ? -errno : workers_add(to, &e->task);

	if (rc == 0) {
		call->errand = e;
		return 0;
	}
	errand_free(e);
	if (rc == -EAGAIN)
		return fault_set(f, FAIL_BUSY,
		    "too many operations wait for a thread; wait for one to "
		    "end");
	return fault_set(f, fault_shortage(-rc, FAIL_INTERNAL),
	    "cannot start a thread: %s", strerror(-rc));
}

static struct errand *
errand_create(struct calling *call, void (*run)(struct task *),
    void (*done)(struct task *))
{
	struct errand *e = xcalloc(1, sizeof(*e));

	e->task.run = run;
	e->task.done = done;
	e->call = call;
	e->o = call->o;
	if (call->id[0] != '\0')
		e->o.session = call->id;
	handle_init(&e->handle, call->o.home);
	report_init(&e->report, NULL, NULL);
	e->cancel = e->o.cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return e;
}

/* False: the call has ended. */
static bool
goes_on(struct errand *e)
{
	struct calling *call = e->call;

	if (call->cancelled || call->calls->closing) {
		call_free(call);
		return false;
	}
	if (e->task.error != 0)
		e->rc = fault_set(&e->fault,
		    fault_shortage(e->task.error, FAIL_INTERNAL),
		    "cannot start a thread: %s", strerror(e->task.error));
	return true;
}

static void
run_operation(struct task *t)
{
	struct errand *e = errand_of(t);

	e->rc = operation_run(&e->o, &e->report, &e->result, &e->fault);
}

static void
on_operation(struct task *t)
{
	struct errand *e = errand_of(t);

	if (goes_on(e))
		conclude(e->call, e->rc == 0 ? e->result : NULL,
		    e->rc == 0 ? NULL : &e->fault);
}

static int
work(struct calling *call, struct fault *f)
{
	struct errand *e = errand_create(call, run_operation, on_operation);

	e->task.reads = operation_ends(call->o.op);
	return send(call, call->calls->home, e, f);
}

/* ------------------------------------------------------------------ hosts */

static void
fail(struct calling *call, enum failure failure, const char *message)
{
	struct fault f;

	fault_set(&f, failure, "%s", message);
	conclude(call, NULL, &f);
}

/*
 * No host has answered.  Another may follow, or the session is about to end;
 * looking again shows which.
 */
static void
look_again(struct calling *call)
{
	struct fault f;

	watch_rearm(call->deadline, -1);
	if (find(call, &f) < 0)
		conclude(call, NULL, &f);
}

static void
on_unanswered(struct calling *call, const struct channel_answer *a)
{
	bool taken = a->outcome == CHANNEL_UNKNOWN;
	bool reads = call->o.op->permission == OP_OBSERVE;
	const char *name = call->session;

	if (taken && reads && !call->again) {
		call->again = true;
		look_again(call);
		return;
	}
	call->why = xcalloc(1, sizeof(*call->why));
	if (taken && !reads)
		fault_set(call->why, FAIL_UNKNOWN,
		    "session %.60s: the host ended before it answered; the "
		    "request may or may not have taken effect: check with "
		    "'tend snapshot'",
		    name);
	else
		fault_set(call->why, handle_conn_failure(a->rc),
		    "cannot reach session %.60s: %s", name, a->message);
	look_again(call);
}

static void
on_answer(struct asking *asking, const struct channel_answer *a)
{
	struct calling *call = container_of(asking, struct calling, asking);

	if (a->outcome == CHANNEL_DONE)
		conclude(call, a->result, NULL);
	else if (a->outcome == CHANNEL_REFUSED)
		fail(call, handle_refusal(a->code, a->retryable), a->message);
	else
		on_unanswered(call, a);
}

/* A call without a timeout of its own may take as long as its host lives. */
static void
on_progress(struct asking *asking, bool begun)
{
	struct calling *call = container_of(asking, struct calling, asking);
	const json_t *own = json_object_get(call->o.args, "timeout_ms");

	if (!begun)
		watch_rearm(call->deadline, ANSWER_MS);
	else if (json_is_integer(own))
		watch_rearm(call->deadline,
		    ANSWER_MS + json_integer_value(own));
	else
		watch_rearm(call->deadline, -1);
}

static void
on_deadline(void *arg)
{
	struct calling *call = arg;
	struct fault f;

	lane_leave(&call->asking);
	fault_set(&f, FAIL_TIMEOUT, "session %.60s does not answer",
	    call->session);
	conclude(call, NULL, &f);
}

static void
ask(struct calling *call, int *dirfd)
{
	struct type_field timeout;

	if (call->deadline == NULL)
		call->deadline = loop_timer(call->calls->loop, -1, on_deadline,
		    call);
	watch_rearm(call->deadline, ANSWER_MS);
	if (call->args == NULL)
		call->args = json_dumps(call->o.args, JSON_COMPACT);
	call->asking = (struct asking){ .op = call->o.op->name,
		.args = call->args,
		.principal = call->principal,
		.verified = call->verified,
		.is_long = op_find_argument(call->o.op, "timeout", &timeout),
		.on_answer = on_answer,
		.on_progress = on_progress };
	lane_ask(&call->calls->lanes, call->id, dirfd, &call->asking);
}

/* No search is needed, and the call overtakes none that is still looked for. */
static bool
may_ask_at_once(const struct calling *call)
{
	struct calls *c = call->calls;

	return call->o.is_active && workers_are_idle(c->finder) &&
	    lanes_has(&c->lanes, call->session, call->principal,
		call->verified);
}

static void
ask_at_once(struct calling *call)
{
	int none = -1;

	snprintf(call->id, sizeof(call->id), "%s", call->session);
	ask(call, &none);
}

static void
ask_found(struct calling *call, struct errand *e)
{
	auto_close int dirfd = fd_take(&e->handle.dirfd);

	snprintf(call->id, sizeof(call->id), "%s", e->handle.session.id);
	call->errand = NULL;
	errand_free(e);
	ask(call, &dirfd);
}

/* ---------------------------------------------------------------- sessions */

static void
on_ended(struct calling *call, struct errand *e)
{
	struct fault f;
	int rc;

	snprintf(call->id, sizeof(call->id), "%s", e->handle.session.id);
	if (operation_by(&call->o) != OPERATION_BY_HOST) {
		call->errand = NULL;
		errand_free(e);
		rc = work(call, &f);
	} else {
		rc = handle_not_running(&e->handle, &f);
	}
	if (rc < 0)
		conclude(call, NULL, &f);
}

static void
run_find(struct task *t)
{
	struct errand *e = errand_of(t);

	e->rc = operation_find(&e->o, &e->handle, &e->fault);
}

static void
on_found(struct task *t)
{
	struct errand *e = errand_of(t);
	struct calling *call = e->call;

	if (!goes_on(e))
		return;
	if (e->rc == 0 && !status_is_active(e->handle.session.status))
		on_ended(call, e);
	else if (call->why != NULL)
		conclude(call, NULL, call->why);
	else if (e->rc < 0)
		conclude(call, NULL, &e->fault);
	else
		ask_found(call, e);
}

/* Find the session for each call, since names and homes may change. */
static int
find(struct calling *call, struct fault *f)
{
	struct errand *e = errand_create(call, run_find, on_found);

	e->task.reads = true;
	return send(call, call->calls->finder, e, f);
}

/* --------------------------------------------------------------- interface */

struct calls *
calls_create(struct loop *loop, const struct calls_options *o)
{
	struct calls *c = xcalloc(1, sizeof(*c));

	c->loop = loop;
	c->max = o->max;
	list_init(&c->list);
	lanes_init(&c->lanes, loop, o->client, o->linger_ms);
	c->finder = workers_create(loop, 1, o->max);
	c->home = workers_create(loop, o->threads, o->queue);
	if (c->finder != NULL && c->home != NULL)
		return c;
	calls_destroy(c);
	return NULL;
}

void
calls_destroy(struct calls *c)
{
	if (c == NULL)
		return;
	c->closing = true;
	list_for_each_safe(it, &c->list) {
		struct calling *call = container_of(it, struct calling, link);

		call->fn = NULL;
		if (call->errand == NULL)
			call_free(call);
		else
			fd_poke(call->errand->cancel);
	}
	lanes_finish(&c->lanes);
	workers_destroy(c->finder);
	workers_destroy(c->home);
	if (c->n == 0) /* or threads that were left running use it */
		free(c);
}

/* The caller's text may end before the call. */
static void
keep(const char **text, char **copy)
{
	if (*text != NULL)
		*text = *copy = xstrdup(*text);
}

int
calls_start(struct calls *c, const struct operation *o, calls_done_fn *fn,
    void *arg, struct calling **out, struct fault *f)
{
	struct calling *call;
	int rc = 0;

	if (operation_check(o, f) < 0)
		return -1;
	if (c->n >= c->max)
		return fault_set(f, FAIL_BUSY,
		    "too many calls are running; wait for one to end");
	call = xcalloc(1, sizeof(*call));
	call->calls = c;
	call->fn = fn;
	call->arg = arg;
	call->o = *o;
	call->o.args = o->args != NULL ? json_incref((json_t *)o->args) :
					 json_object();
	keep(&call->o.session, &call->session);
	keep(&call->o.principal, &call->principal);
	keep(&call->o.verified, &call->verified);
	list_append(&c->list, &call->link);
	c->n++;
	if (operation_by(&call->o) == OPERATION_BY_HOME)
		rc = work(call, f);
	else if (may_ask_at_once(call))
		ask_at_once(call);
	else
		rc = find(call, f);
	if (rc < 0)
		call_free(call);
	*out = rc < 0 ? NULL : call;
	return rc;
}

void
calls_cancel(struct calling *call)
{
	call->fn = NULL;
	if (!operation_ends(call->o.op))
		return;
	call->cancelled = true;
	if (call->errand == NULL || workers_withdraw(&call->errand->task))
		call_free(call);
	else
		fd_poke(call->errand->cancel);
}

size_t
calls_count(const struct calls *c)
{
	return c->n;
}
