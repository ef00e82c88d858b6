#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/fault.h"
#include "home/homes.h"
#include "home/words.h"

struct args {
	bool all;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, all, "all", 'a',
	    "also list homes without an active session, and missing ones"),
	{ 0 },
};

static void
put_note(struct buf *out, const struct homes_row *row)
{
	if (row->note[0] == '\0')
		return;
	buf_printf(out, "%32s", "");
	words_put_safe(out, row->note);
	buf_putc(out, '\n');
}

static void
put_row(struct buf *out, const struct homes_row *row, int64_t now_ms)
{
	char active[16] = "-", sessions[16] = "-", log[24] = "-", used[16];

	if (registry_is_home(row->state)) {
		snprintf(active, sizeof(active), "%u", row->active);
		snprintf(sessions, sizeof(sessions), "%u", row->sessions);
		words_bytes(row->log_bytes, log, sizeof(log));
	}
	words_age(now_ms - row->entry->used_ms, used, sizeof(used));
	buf_printf(out, "%6s  %8s  %8s  %4s  ", active, sessions, log, used);
	words_put_safe(out, row->entry->path);
	buf_puts(out, row->here ? " (here)\n" : "\n");
	put_note(out, row);
}

static void
put_rows(struct buf *out, const struct homes *l)
{
	int64_t now_ms = clock_ms(CLOCK_REALTIME);

	if (l->n > 0)
		buf_puts(out, "ACTIVE  SESSIONS       LOG  USED  HOME\n");
	for (size_t i = 0; i < l->n; i++)
		put_row(out, &l->rows[i], now_ms);
}

static int
list(struct call *call)
{
	const struct args *a = call->args;
	struct json_out j;
	struct homes l;

	homes_read(&l, &call->target->home, a->all, &call->out->report);
	if (call->out->json) {
		out_begin(call->out, &j);
		homes_json(&l, &j);
	} else {
		put_rows(&call->out->buf, &l);
	}
	homes_finish(&l);
	return out_send(call->out);
}

static int
forget(struct call *call, const char *dir)
{
	char path[PATH_MAX];
	struct json_out j;
	struct fault f;

	if (homes_forget(dir, path, &f) < 0) {
		if (f.failure != FAIL_NOT_FOUND)
			return out_fault(call->out, &f);
		return out_fail(call->out, FAIL_NOT_FOUND,
		    "%s; 'tend homes --all' lists it", f.msg);
	}
	if (call->out->json) {
		out_begin(call->out, &j);
		homes_json_forgotten(path, &j);
	}
	return out_send(call->out);
}

static int
run(struct call *call)
{
	int status;

	if (call->argc == 0)
		return list(call);
	if (strcmp(call->argv[0], "forget") != 0)
		return out_fail(call->out, FAIL_USAGE,
		    "unexpected argument: %s; use 'tend homes' or 'tend homes "
		    "forget DIR'",
		    call->argv[0]);
	status = operands_check(call, 2, 2, "the directory to forget");
	return status != 0 ? status : forget(call, call->argv[1]);
}

const struct cmd cmd_homes = {
	.name = "homes",
	.usage = "[-a] [forget DIR] [--json]",
	.summary = "list the homes that have sessions",
	.details =
	    "List the homes with an active session; with -a, every home that has\n"
	    "had a session on this machine, and its state.  'forget' removes a home\n"
	    "from the list and does not touch its files; its next session adds it\n"
	    "again.  A moved home leaves the list by itself, a missing home after\n"
	    "30 days.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
