#include "base/error.h"
#include "cmd/line/cmd.h"
#include "cmd/line/confirm.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/config.h"
#include "home/fault.h"
#include "home/gc.h"
#include "home/units.h"
#include "home/words.h"
#include "session/quota.h"

struct args {
	bool dry_run, all, yes;
	const char *older_than, *budget;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, dry_run, "dry-run", 'n',
	    "only show what would be removed"),
	OPT_VALUE(struct args, older_than, "older-than", 0, "DURATION",
	    "remove sessions that ended at least this long ago (12h, 30d)"),
	OPT_FLAG(struct args, all, "all", 'a', "remove all ended sessions"),
	OPT_VALUE(struct args, budget, "budget", 0, "SIZE",
	    "remove the oldest ended sessions until the rest fits in this"),
	CONFIRM_OPTION(struct args),
	{ 0 },
};

/* A gc and its command. */
struct collecting {
	struct call *call;
	const struct args *args;
	struct gc_request want;
	struct gc gc;
};

static void
put_line(const struct gc *g, const struct collectable *s, struct buf *out)
{
	char age[16], bytes[24];

	words_age(g->now_ms - s->ended_ms, age, sizeof(age));
	words_bytes(s->bytes, bytes, sizeof(bytes));
	buf_printf(out, "%s  %-10s  %4s  %8s  ", s->id, s->status, age, bytes);
	words_put_safe(out, s->name);
	buf_putc(out, '\n');
}

static void
put_removed(const struct gc *g, struct buf *out)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].removed)
			put_line(g, &g->items[i].what, out);
}

static void
put_sum(const struct gc *g, struct buf *out)
{
	char freed[24], saved[24], left[24];

	words_bytes(g->freed, freed, sizeof(freed));
	words_bytes(g->packed.before - g->packed.after, saved, sizeof(saved));
	words_bytes(g->home_bytes, left, sizeof(left));
	buf_printf(out, "%s %u ended session%s, %s\n",
	    g->dry ? "would remove" : "removed", g->removed,
	    g->removed == 1 ? "" : "s", freed);
	if (g->packed.segments > 0)
		buf_printf(out, "compressed %u part%s of logs, saved %s\n",
		    g->packed.segments, g->packed.segments == 1 ? "" : "s",
		    saved);
	buf_printf(out, "kept %u active and %u ended, %s\n", g->active,
	    g->ended - g->removed, left);
}

static void
put_words(const struct gc *g, struct out *out)
{
	put_removed(g, &out->buf);
	put_sum(g, &out->buf);
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].what.state == COLLECT_UNSURE)
			out_note(out, "session %s stays: %s",
			    g->items[i].what.id, g->items[i].what.why);
}

static int
collect(struct collecting *c)
{
	struct out *out = c->call->out;
	struct json_out j;
	struct fault f;

	if (gc_run(&c->gc, &c->want, &out->report, &f) < 0)
		return out_fault(out, &f);
	if (out->json) {
		out_begin(out, &j);
		gc_json(&c->gc, &j);
	} else {
		put_words(&c->gc, out);
	}
	return out_send(out);
}

/* Without a limit nothing is removed: report the counts. */
static int
refuse(struct collecting *c)
{
	uint64_t most = config_number(c->call->config, CONFIG_HOME_BUDGET);
	const struct gc *g = &c->gc;
	char ended[24], all[24], budget[24];
	struct fault f;

	if (gc_look(&c->gc, &f) < 0)
		return out_fault(c->call->out, &f);
	words_bytes(gc_ended_bytes(g), ended, sizeof(ended));
	words_bytes(g->home_bytes, all, sizeof(all));
	words_bytes(most, budget, sizeof(budget));
	return out_fail(c->call->out, FAIL_USAGE,
	    "nothing to remove; give --older-than 30d, --budget 5G or "
	    "--all; %u ended sessions take %s, all of %s takes %s%s%s",
	    g->ended, ended, g->in.home->path, all,
	    g->home_bytes > most ? ", more than " : "",
	    g->home_bytes > most ? budget : "");
}

/* On a terminal, show what would be removed, and ask. */
static int
ask_first(const struct collecting *c)
{
	struct out *out = c->call->out;
	struct fault f;
	struct gc g;
	int status = 0;

	if (c->want.dry || !confirm_asks(c->call, c->args->yes) ||
	    c->call->target->home.sessions_fd < 0)
		return 0;
	gc_init(&g, &c->call->target->home);
	if (gc_preview(&g, &c->want, &f) < 0)
		status = out_fault(out, &f);
	else
		put_removed(&g, &out->buf);
	if (status == 0)
		status = out_flush(out);
	if (status == 0 && g.removed > 0)
		status = confirm(c->call, false,
		    "remove these sessions and their logs permanently?");
	gc_finish(&g);
	return status;
}

static int
read_limits(struct collecting *c)
{
	const struct args *a = c->args;
	struct error err;
	uint64_t ns;

	c->want = GC_NOTHING;
	c->want.all = a->all;
	c->want.dry = a->dry_run;
	if (a->all && a->older_than != NULL)
		return out_fail(c->call->out, FAIL_USAGE,
		    "give only one of --all and --older-than");
	if (a->older_than != NULL) {
		if (units_duration_with_unit(a->older_than, &ns, &err) < 0)
			return out_fail(c->call->out, FAIL_USAGE,
			    "--older-than: %s", err.msg);
		c->want.age_ms = (int64_t)(ns / 1000000);
	}
	if (a->budget != NULL &&
	    units_amount(a->budget, &c->want.budget, &err) < 0)
		return out_fail(c->call->out, FAIL_USAGE, "--budget: %s",
		    err.msg);
	return 0;
}

static int
run(struct call *call)
{
	struct collecting c = { .call = call, .args = call->args };
	int status;

	status = operands_check(call, 0, 0, "");
	if (status == 0)
		status = read_limits(&c);
	if (status == 0 && gc_acts(&c.want))
		status = ask_first(&c);
	if (status != 0)
		return status;
	gc_init(&c.gc, &call->target->home);
	status = gc_acts(&c.want) ? collect(&c) : refuse(&c);
	gc_finish(&c.gc);
	return status;
}

const struct cmd cmd_gc = {
	.name = "gc",
	.usage =
	    "[-n] [-y] [--older-than DURATION | --all] [--budget SIZE] [--json]",
	.summary = "remove the files of ended sessions",
	.details =
	    "tend removes only the sessions you ask for, and never an active one.\n"
	    "--budget removes the oldest until the home's sessions take at most\n"
	    "that much.  tend also reads and compresses the logs of the ended\n"
	    "sessions that it keeps; if one is damaged, it reports that and the\n"
	    "exit status is 10.\n"
	    "\n"
	    "On a terminal, tend shows the sessions and asks first; -y skips the\n"
	    "question.  SIZE needs a unit, as in 500M or 5G.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME | CMD_READS_CONFIG,
	.run = run,
};
