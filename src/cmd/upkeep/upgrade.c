#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/upkeep/succession.h"
#include "cmd/target/target.h"
#include "session/launch.h"

#define AT_ONCE 4 /* with --all */

struct args {
	bool all;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, all, "all", 'a', "upgrade every running session"),
	{ 0 },
};

/* A session and its outcome. */
struct item {
	struct manifest m;
	struct succession result;
};

struct upgrade {
	struct call *call;
	int program; /* tend-host */
	struct item *items;
	size_t n;
	atomic_size_t next;   /* index of the next to upgrade */
	pthread_mutex_t lock; /* for the output */
};

/* ------------------------------------------------------------ one session */

static int
upgrade_one(struct upgrade *u)
{
	struct handle *t = u->call->target;
	struct succession s;

	if (!status_is_active(t->session.status))
		return target_not_running(u->call);
	succession_make(t->dirfd, "session.upgrade", u->program, &s);
	return succession_answer(u->call, &s);
}

/* -------------------------------------------------------------------- all */

static int
on_session(void *arg, const char *id)
{
	struct upgrade *u = arg;
	struct item item = { 0 };
	auto_close int dirfd = home_session_dir(&u->call->target->home, id,
	    NULL);

	if (dirfd < 0 || manifest_read_now(dirfd, &item.m, NULL) < 0)
		return 0; /* 'tend ls' reports these */
	if (!status_is_active(item.m.status)) {
		manifest_finish(&item.m);
		return 0;
	}
	u->items = xrealloc(u->items, u->n + 1, sizeof(*u->items));
	u->items[u->n++] = item;
	return 0;
}

/* Print one line as each is done. */
static void
tell(struct upgrade *u, const struct item *item)
{
	struct out *out = u->call->out;

	if (out->json)
		return;
	succession_words(&item->result, &item->m, &out->buf);
	out_flush(out);
}

/* A worker thread: take sessions until none is left. */
static void *
work(void *arg)
{
	struct upgrade *u = arg;
	size_t i;

	while ((i = atomic_fetch_add(&u->next, 1)) < u->n) {
		struct item *item = &u->items[i];
		auto_close int dirfd = home_session_dir(&u->call->target->home,
		    item->m.id, NULL);

		succession_make(dirfd, "session.upgrade", u->program,
		    &item->result);
		pthread_mutex_lock(&u->lock);
		tell(u, item);
		pthread_mutex_unlock(&u->lock);
	}
	return NULL;
}

/* Use as many threads as can be created, and the current one. */
static int
upgrade_each(struct upgrade *u)
{
	pthread_t workers[AT_ONCE - 1];
	size_t n = 0;

	pthread_mutex_init(&u->lock, NULL);
	while (n < AT_ONCE - 1 && n + 1 < u->n &&
	    pthread_create(&workers[n], NULL, work, u) == 0)
		n++;
	work(u);
	while (n > 0)
		pthread_join(workers[--n], NULL);
	pthread_mutex_destroy(&u->lock);
	for (size_t i = 0; i < u->n; i++)
		if (!u->items[i].result.done)
			return out_status(u->call->out,
			    u->items[i].result.failure);
	return 0;
}

static void
put_all(const struct upgrade *u)
{
	struct json_out j;

	out_begin(u->call->out, &j);
	json_out_open(&j, '[');
	for (size_t i = 0; i < u->n; i++)
		succession_json(&u->items[i].result, &u->items[i].m, &j);
	json_out_close(&j, ']');
}

static int
upgrade_all(struct upgrade *u)
{
	struct error err;
	int status, sent;

	if (home_each(&u->call->target->home, on_session, u, &err) < 0)
		return out_fail(u->call->out, FAIL_STORAGE, "%s", err.msg);
	status = upgrade_each(u);
	if (u->call->out->json)
		put_all(u);
	sent = out_send(u->call->out);
	for (size_t i = 0; i < u->n; i++)
		manifest_finish(&u->items[i].m);
	free(u->items);
	return sent != 0 ? sent : status;
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	auto_close int program = -1;
	struct upgrade u = { .call = call };
	struct error err;
	int status = 0;

	if (a->all)
		status = operands_check(call, 0, 0, "");
	else
		status = target_take_session(call, 0);
	if (status == 0 && !a->all)
		status = operands_check(call, 0, 0, "");
	if (status != 0)
		return status;
	program = launch_open_host(&err);
	if (program < 0)
		return out_fail(call->out, FAIL_INTERNAL, "%s", err.msg);
	u.program = program;
	return a->all ? upgrade_all(&u) : upgrade_one(&u);
}

const struct cmd cmd_upgrade = {
	.name = "upgrade",
	.usage = "SESSION|--all [--json]",
	.summary = "move a running session to the installed tend",
	.details =
	    "The program keeps running and does not notice.  Attached clients stay\n"
	    "attached, and no output or input is lost.  tend first tries the new\n"
	    "host: if it is not ready after 5 seconds, or cannot read the session,\n"
	    "the old host continues and tend reports the reason.\n"
	    "\n"
	    "The keeper of a session is not replaced.  --all prints one line per\n"
	    "session; the exit status is that of the first failure.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
