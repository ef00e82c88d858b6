#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "cmd/hub/asking.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "home/units.h"
#include "home/when.h"
#include "home/words.h"

#define LIMIT_MAX 10000

struct args {
	const char *principal, *session, *since, *limit;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, principal, "principal", 'p', "KIND:NAME",
	    "only entries of this principal"),
	OPT_VALUE(struct args, session, "session", 's', "SESSION",
	    "only entries about this session, also a removed one"),
	OPT_VALUE(struct args, since, "since", 0, "WHEN",
	    "only entries since then: -1h, or a time"),
	OPT_VALUE(struct args, limit, "limit", 'n', "COUNT",
	    "at most so many entries, the newest (100)"),
	{ 0 },
};

static int
read_since(struct call *call, json_t *args)
{
	const struct args *a = call->args;
	char text[WORDS_TIME_MAX];
	struct error err;
	struct when when;
	int64_t ms;

	if (a->since == NULL)
		return 0;
	if (when_parse(a->since, &when, &err) < 0 ||
	    (when.kind != WHEN_AGO && when.kind != WHEN_WALL))
		return out_fail(call->out, FAIL_USAGE,
		    "--since %s is not a time; use -1h, 23:51:55 or "
		    "2026-01-31T12:00:00Z",
		    a->since);
	ms = (int64_t)(when.value / 1000000);
	if (when.kind == WHEN_AGO)
		ms = clock_ms(CLOCK_REALTIME) - ms;
	words_time(ms > 0 ? ms : 0, text);
	asking_text(args, "since", text);
	return 0;
}

static int
read_limit(struct call *call, json_t *args)
{
	const struct args *a = call->args;
	uint64_t n;

	if (a->limit == NULL)
		return 0;
	if (!units_number(a->limit, LIMIT_MAX, &n) || n == 0)
		return out_fail(call->out, FAIL_USAGE,
		    "--limit %s is not a number from 1 to %d", a->limit,
		    LIMIT_MAX);
	json_object_set_new(args, "limit", json_integer((json_int_t)n));
	return 0;
}

static void
put_entry(struct buf *out, const json_t *e)
{
	static const struct {
		const char *name;
		unsigned width;
	} columns[] = { { "principal", 24 }, { "verified", 8 }, { "from", 15 },
		{ "what", 16 }, { "mode", 10 }, { "name", 16 },
		{ "outcome", 0 } };
	const json_t *ms = json_object_get(e, "duration_ms");
	char text[512];

	asking_field(out, asking_shown(e, "began_at", text, sizeof(text)), 24);
	snprintf(text, sizeof(text), "now");
	if (json_is_integer(ms))
		words_age(json_integer_value(ms), text, sizeof(text));
	asking_field(out, text, 4);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		asking_field(out,
		    asking_shown(e, columns[i].name, text, sizeof(text)),
		    columns[i].width);
}

static int
show(struct call *call, const json_t *entries)
{
	struct buf *out = &call->out->buf;

	if (call->out->json)
		return asking_json(call, entries);
	if (json_array_size(entries) > 0)
		buf_printf(out,
		    "%-24s  %-4s  %-24s  %-8s  %-15s  %-16s  %-10s  %-16s  "
		    "%s\n",
		    "BEGAN", "LONG", "PRINCIPAL", "VERIFIED", "FROM", "WHAT",
		    "MODE", "SESSION", "OUTCOME");
	for (size_t i = 0; i < json_array_size(entries); i++)
		put_entry(out, json_array_get(entries, i));
	return out_send(call->out);
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	auto_json json_t *args = json_object(), *result = NULL;
	int status = operands_check(call, 0, 0, "");

	asking_text(args, "principal", a->principal);
	asking_text(args, "session", a->session);
	if (status == 0)
		status = read_since(call, args);
	if (status == 0)
		status = read_limit(call, args);
	if (status == 0)
		status = asking_hub(call, "audit.list", json_incref(args),
		    &result);
	return status != 0 ? status :
			     show(call, json_object_get(result, "entries"));
}

const struct cmd cmd_audit = {
	.name = "audit",
	.usage = "[--principal KIND:NAME] [--session SESSION] [--since WHEN]\n"
		 "            [--limit COUNT] [--json]",
	.summary = "list who used the hub, for what and how long",
	.details =
	    "The hub records who did what over it, from where, and how long it\n"
	    "took.  The newest entry comes first; 'now' means that it goes on.  The\n"
	    "hub must be running: 'tend hub start'.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
