#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "home/collect.h"
#include "home/config.h"
#include "cmd/line/confirm.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/units.h"
#include "home/words.h"
#include "log/compress.h"
#include "session/disk.h"
#include "session/quota.h"

#define LOCK_LIMIT_MS 5000

struct args {
	bool dry_run, all, yes;
	const char *older_than, *budget;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, dry_run, "dry-run", 'n',
	    "only tell what would be removed"),
	OPT_VALUE(struct args, older_than, "older-than", 0, "DURATION",
	    "remove those that ended so long ago, as in 12h or 30d"),
	OPT_FLAG(struct args, all, "all", 'a', "remove all that have ended"),
	OPT_VALUE(struct args, budget, "budget", 0, "SIZE",
	    "remove the oldest that have ended until the home is below this"),
	CONFIRM_OPTION(struct args),
	{ 0 },
};

/* A session that was found, and what was done with it. */
struct item {
	struct collectable what;
	bool removed;
};

struct gc {
	struct call *call;
	const struct args *args;
	struct collection in;
	bool dry, preview;      /* only counted; and only for the question */
	int64_t now_ms, age_ms; /* age -1: no matter which */
	uint64_t budget;        /* UINT64_MAX: none */
	struct item *items;     /* those that ended first, first */
	size_t n;
	unsigned active, ended, removed, failed;
	uint64_t home_bytes, freed;
	struct compress_result packed;
};

/* ------------------------------------------------------------- what is there */

static int
on_session(void *arg, const char *id)
{
	struct gc *g = arg;
	struct item item = { 0 };

	if (collect_look(&g->in, id, &item.what) < 0)
		return 0;
	g->home_bytes += item.what.bytes;
	g->active += item.what.state == COLLECT_ACTIVE;
	g->ended += item.what.state == COLLECT_ENDED;
	g->items = xrealloc(g->items, g->n + 1, sizeof(*g->items));
	g->items[g->n++] = item;
	return 0;
}

static int
oldest_first(const void *a, const void *b)
{
	const struct collectable *x = &((const struct item *)a)->what;
	const struct collectable *y = &((const struct item *)b)->what;

	if (x->ended_ms != y->ended_ms)
		return x->ended_ms < y->ended_ms ? -1 : 1;
	return strcmp(x->id, y->id);
}

static int
scan(struct gc *g)
{
	struct error err;

	if (home_each(g->in.home, on_session, g, &err) < 0)
		return out_fail(g->call->out, FAIL_STORAGE, "%s", err.msg);
	if (g->n > 0)
		qsort(g->items, g->n, sizeof(*g->items), oldest_first);
	return 0;
}

/* ------------------------------------------------------------- what goes */

static void
take(struct gc *g, struct item *item)
{
	item->removed = g->dry || collect_remove(&g->in, &item->what);
	if (!item->removed) {
		g->ended--;
		g->failed += item->what.state == COLLECT_UNSURE;
		return;
	}
	g->removed++;
	g->freed += item->what.bytes;
	g->home_bytes -= item->what.bytes;
}

static bool
is_old(const struct gc *g, const struct item *item)
{
	return g->args->all ||
	    (g->age_ms >= 0 && g->now_ms - item->what.ended_ms >= g->age_ms);
}

static void
take_old(struct gc *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].what.state == COLLECT_ENDED &&
		    is_old(g, &g->items[i]))
			take(g, &g->items[i]);
}

static void
take_over_budget(struct gc *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->home_bytes > g->budget && !g->items[i].removed &&
		    g->items[i].what.state == COLLECT_ENDED)
			take(g, &g->items[i]);
}

/*
 * Whoever keeps logs should hear of those that are damaged while there may be
 * a copy of them.  They are compressed like others: that changes no byte.
 */
static void
check_rest(struct gc *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (!g->items[i].removed &&
		    g->items[i].what.state == COLLECT_ENDED)
			collect_check(&g->in, g->items[i].what.id,
			    &g->call->out->report);
}

/* Before the budget is looked at: what is compressed may stay. */
static void
compress_rest(struct gc *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct collectable *s = &g->items[i].what;
		struct compress_result r;
		struct collectable now;

		if (g->items[i].removed || s->state != COLLECT_ENDED)
			continue;
		if (collect_compress(&g->in, s->id, &r) < 0 || r.segments == 0)
			continue;
		g->packed.segments += r.segments;
		g->packed.before += r.before;
		g->packed.after += r.after;
		if (collect_look(&g->in, s->id, &now) == 0) {
			g->home_bytes += now.bytes - s->bytes;
			s->bytes = now.bytes;
		}
	}
}

static void
collect(struct gc *g)
{
	struct error err;

	take_old(g);
	if (!g->preview)
		check_rest(g);
	if (!g->dry)
		compress_rest(g);
	take_over_budget(g);
	if (!g->dry && home_sweep(g->in.home, &err) < 0)
		out_note(g->call->out, "%s", err.msg);
}

/* The first that could not be removed; NULL: all were, or some. */
static const struct collectable *
failure(const struct gc *g)
{
	size_t i = 0;

	if (g->failed == 0 || g->removed > 0)
		return NULL;
	while (g->items[i].what.state != COLLECT_UNSURE)
		i++;
	return &g->items[i].what;
}

/* ------------------------------------------------------------- the answer */

static void
put_removed(struct json_out *j, const struct collectable *s)
{
	char ended[WORDS_TIME_MAX];

	words_time(s->ended_ms, ended);
	json_out_open(j, '{');
	json_put_text(j, "id", s->id);
	json_put_text(j, "name", s->name);
	json_put_text(j, "status", s->status);
	json_put_text(j, "ended_at", ended);
	json_put_number(j, "bytes", s->bytes);
	json_out_close(j, '}');
}

static void
put_skipped(struct json_out *j, const struct collectable *s)
{
	json_out_open(j, '{');
	json_put_text(j, "id", s->id);
	json_put_text(j, "why", s->why);
	json_out_close(j, '}');
}

static void
put_json(const struct gc *g)
{
	struct json_out j;

	out_begin(g->call->out, &j);
	json_out_open(&j, '{');
	json_put_bool(&j, "dry_run", g->dry);
	json_put_open(&j, "removed", '[');
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].removed)
			put_removed(&j, &g->items[i].what);
	json_out_close(&j, ']');
	json_put_number(&j, "freed_bytes", g->freed);
	json_put_number(&j, "compressed_segments", g->packed.segments);
	json_put_number(&j, "compressed_bytes",
	    g->packed.before - g->packed.after);
	json_put_number(&j, "active", g->active);
	json_put_number(&j, "ended", g->ended - g->removed);
	json_put_number(&j, "home_bytes", g->home_bytes);
	json_put_open(&j, "skipped", '[');
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].what.state == COLLECT_UNSURE)
			put_skipped(&j, &g->items[i].what);
	json_out_close(&j, ']');
	json_out_close(&j, '}');
}

static void
put_line(const struct gc *g, const struct collectable *s)
{
	struct buf *out = &g->call->out->buf;
	char age[16], bytes[24];

	words_age(g->now_ms - s->ended_ms, age, sizeof(age));
	words_bytes(s->bytes, bytes, sizeof(bytes));
	buf_printf(out, "%s  %-10s  %4s  %8s  ", s->id, s->status, age, bytes);
	words_put_safe(out, s->name);
	buf_putc(out, '\n');
}

static void
put_sum(const struct gc *g)
{
	struct buf *out = &g->call->out->buf;
	char freed[24], saved[24], left[24];

	words_bytes(g->freed, freed, sizeof(freed));
	words_bytes(g->packed.before - g->packed.after, saved, sizeof(saved));
	words_bytes(g->home_bytes, left, sizeof(left));
	buf_printf(out, "%s %u ended session%s, %s\n",
	    g->dry ? "would remove" : "removed", g->removed,
	    g->removed == 1 ? "" : "s", freed);
	if (g->packed.segments > 0)
		buf_printf(out, "compressed %u part%s of logs, %s saved\n",
		    g->packed.segments, g->packed.segments == 1 ? "" : "s",
		    saved);
	buf_printf(out, "%u active and %u ended stay, %s\n", g->active,
	    g->ended - g->removed, left);
}

static void
put_words(const struct gc *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].removed)
			put_line(g, &g->items[i].what);
	put_sum(g);
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].what.state == COLLECT_UNSURE)
			out_note(g->call->out, "session %s stays: %s",
			    g->items[i].what.id, g->items[i].what.why);
}

static int
answer(const struct gc *g)
{
	const struct collectable *failed = failure(g);

	if (failed != NULL)
		return out_fail(g->call->out, FAIL_STORAGE, "session %s: %s",
		    failed->id, failed->why);
	if (g->call->out->json)
		put_json(g);
	else
		put_words(g);
	return out_send(g->call->out);
}

/* Nothing is removed by a command that does not say what. */
static int
ask(const struct gc *g)
{
	uint64_t bytes = 0,
		 most = config_number(g->call->config, CONFIG_HOME_BUDGET,
		     QUOTA_HOME);
	char ended[24], all[24], budget[24];

	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].what.state == COLLECT_ENDED)
			bytes += g->items[i].what.bytes;
	words_bytes(bytes, ended, sizeof(ended));
	words_bytes(g->home_bytes, all, sizeof(all));
	words_bytes(most, budget, sizeof(budget));
	return out_fail(g->call->out, FAIL_USAGE,
	    "say what may go: --older-than 30d, --budget 5G or --all; "
	    "%u sessions have ended and take %s, all of %s takes %s%s%s",
	    g->ended, ended, g->in.home->path, all,
	    g->home_bytes > most ? ", more than " : "",
	    g->home_bytes > most ? budget : "");
}

/* ------------------------------------------------------------- the question */

/* Forget what was found, to look again. */
static void
start_over(struct gc *g)
{
	free(g->items);
	g->items = NULL;
	g->n = 0;
	g->active = g->ended = g->removed = g->failed = 0;
	g->home_bytes = g->freed = 0;
}

/*
 * Show on a terminal what would go, and ask.  A budget may take less than that,
 * for what stays is compressed first.
 */
static int
ask_first(struct gc *g)
{
	struct out *out = g->call->out;
	int status;

	if (g->args->dry_run || !confirm_asks(g->call, g->args->yes))
		return 0;
	status = scan(g);
	if (status != 0)
		return status;
	g->dry = g->preview = true;
	collect(g);
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].removed)
			put_line(g, &g->items[i].what);
	status = out_flush(out);
	if (status == 0 && g->removed > 0)
		status = confirm(g->call, false,
		    "remove these sessions for good, logs and all?");
	g->dry = g->preview = false;
	start_over(g);
	return status;
}

/* ------------------------------------------------------------- the command */

static int
set_limits(struct gc *g)
{
	const struct args *a = g->args;
	struct error err;
	uint64_t ns;

	g->now_ms = clock_ms(CLOCK_REALTIME);
	g->age_ms = -1;
	g->budget = UINT64_MAX;
	if (a->all && a->older_than != NULL)
		return out_fail(g->call->out, FAIL_USAGE,
		    "--all leaves nothing for --older-than; give one of them");
	if (a->older_than != NULL) {
		if (units_duration_with_unit(a->older_than, &ns, &err) < 0)
			return out_fail(g->call->out, FAIL_USAGE,
			    "--older-than: %s", err.msg);
		g->age_ms = (int64_t)(ns / 1000000);
	}
	if (a->budget != NULL && units_amount(a->budget, &g->budget, &err) < 0)
		return out_fail(g->call->out, FAIL_USAGE, "--budget: %s",
		    err.msg);
	return 0;
}

/* The lock is that of who collects; whoever runs sessions needs none. */
static int
lock(struct gc *g)
{
	int rc = home_lock(g->in.home->sessions_fd, LOCK_LIMIT_MS);

	if (rc == -EBUSY)
		return out_fail(g->call->out, FAIL_BUSY,
		    "another gc is at work in %s", g->in.home->path);
	if (rc < 0)
		return out_fail(g->call->out, FAIL_STORAGE,
		    "cannot lock %s/sessions: %s", g->in.home->path,
		    strerror(-rc));
	return 0;
}

static int
run_gc(struct gc *g)
{
	bool acts = g->args->all || g->age_ms >= 0 || g->budget != UINT64_MAX;
	struct disk d;
	int status = 0;

	g->in.network = disk_look(g->in.home->fd, &d) == 0 && d.network;
	if (acts && g->in.home->sessions_fd >= 0)
		status = ask_first(g);
	if (status == 0 && acts && !g->dry && g->in.home->sessions_fd >= 0)
		status = lock(g);
	if (status == 0)
		status = scan(g);
	if (status != 0)
		return status;
	if (!acts)
		return ask(g);
	if (g->in.home->sessions_fd >= 0)
		collect(g);
	return answer(g);
}

static int
run(struct call *call)
{
	struct gc g = { .call = call,
		.args = call->args,
		.in.home = &call->target->home };
	int status;

	g.dry = g.args->dry_run;
	status = operands_check(call, 0, 0, "");
	if (status == 0)
		status = set_limits(&g);
	umask(077);
	if (status == 0)
		status = run_gc(&g);
	free(g.items);
	return status;
}

const struct cmd cmd_gc = {
	.name = "gc",
	.usage =
	    "[-n] [-y] [--older-than DURATION | --all] [--budget SIZE] [--json]",
	.summary = "remove the files of sessions that have ended",
	.details =
	    "Nothing goes that was not asked for, and nothing that is active.\n"
	    "--budget removes the oldest until all of the home's sessions take\n"
	    "no more than that.  The logs of ended sessions that stay are read\n"
	    "and compressed; when one is damaged, that is told and the status\n"
	    "is 10.\n"
	    "\n"
	    "On a terminal it shows what would go and asks; -y answers.  SIZE has\n"
	    "a unit, as in 500M or 5G.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME | CMD_READS_CONFIG,
	.run = run,
};
