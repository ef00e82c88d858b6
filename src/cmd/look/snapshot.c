#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/artifact.h"
#include "home/fault.h"
#include "home/past_screen.h"
#include "home/units.h"
#include "home/when.h"
#include "home/words.h"
#include "op/snapshot.h"
#include "vt/text.h"

struct args {
	const char *format, *at, *since, *max_bytes, *output;
	bool scrollback, rows, cells, hidden, last_command;
};

static const struct opt options[] = {
	OPT_CHOICE(struct args, format, "format", 'f', "FORMAT", FORMAT_CHOICES,
	    FORMAT_LIST " (default: text)"),
	OPT_VALUE(struct args, at, "at", 0, "WHEN",
	    "show the screen at this moment"),
	OPT_FLAG(struct args, scrollback, "scrollback", 0,
	    "also show the lines that scrolled off the top"),
	OPT_FLAG(struct args, rows, "rows", 0,
	    "text: also print the blank rows at the end"),
	OPT_VALUE(struct args, since, "since", 0, "SEQ",
	    "text, json: only the rows that changed after this event"),
	OPT_FLAG(struct args, last_command, "last-command", 0,
	    "text, json: only the output of the shell's last command"),
	OPT_FLAG(struct args, cells, "cells", 0,
	    "json: also each cell's style, links and modes"),
	OPT_FLAG(struct args, hidden, "hidden", 0,
	    "json: also report text that cannot be seen"),
	OPT_VALUE(struct args, max_bytes, "max-bytes", 0, "SIZE",
	    "leave out lines at the top to stay below this size"),
	OPT_VALUE(struct args, output, "output", 'o', "FILE",
	    "write to a file, and record it with the session"),
	{ 0 },
};

/* The state of a snapshot: the request, then the result. */
struct shooting {
	struct call *call;
	const struct args *args;
	struct snapshot want;
	size_t begin; /* start of the answer itself in the envelope */
	uint64_t seq, offset;
	char hash[65];
};

/* The request. */

/* --json is --format json; both may be given. */
static int
settle_format(struct shooting *s)
{
	struct out *out = s->call->out;
	const char *name = s->args->format;

	s->want.format = out->json ? SNAPSHOT_JSON : SNAPSHOT_TEXT;
	if (name == NULL)
		return 0;
	s->want.format = format_find(name);
	if (s->want.format == SNAPSHOT_FORMATS)
		return out_fail(out, FAIL_USAGE,
		    "--format %s: give " FORMAT_LIST, name);
	if (out->json && s->want.format != SNAPSHOT_JSON)
		return out_fail(out, FAIL_USAGE,
		    "give only one of --format %s and --json", name);
	out->json = s->want.format == SNAPSHOT_JSON;
	return 0;
}

static int
settle_numbers(struct shooting *s)
{
	const struct args *a = s->args;
	struct error err;
	uint64_t bytes = 0;

	s->want.has_since = a->since != NULL;
	if (a->since != NULL &&
	    !units_number(a->since, INT64_MAX, &s->want.since))
		return out_fail(s->call->out, FAIL_USAGE,
		    "--since %s: give the seq from the --json answer of an "
		    "earlier snapshot",
		    a->since);
	if (a->max_bytes != NULL && units_size(a->max_bytes, &bytes, &err) < 0)
		return out_fail(s->call->out, FAIL_USAGE, "--max-bytes %s",
		    err.msg);
	if (a->max_bytes != NULL && bytes == 0)
		return out_fail(s->call->out, FAIL_USAGE,
		    "--max-bytes 0 leaves nothing; give at least 1");
	s->want.max_bytes = bytes;
	return 0;
}

static int
settle(struct shooting *s)
{
	const struct args *a = s->args;
	struct error err;
	struct when when;
	int status = operands_check(s->call, 0, 0, "");

	if (status == 0)
		status = settle_format(s);
	if (status == 0)
		status = settle_numbers(s);
	if (status != 0)
		return status;
	s->want.scrollback = a->scrollback;
	s->want.cells = a->cells;
	s->want.hidden = a->hidden;
	s->want.last_command = a->last_command;
	if (a->rows && s->want.format != SNAPSHOT_TEXT)
		return out_fail(s->call->out, FAIL_USAGE,
		    "--rows is only for text; other formats have all rows");
	if (snapshot_check(&s->want, SNAPSHOT_OPTIONS, &err) < 0)
		return out_fail(s->call->out, FAIL_USAGE, "%s", err.msg);
	if (a->at != NULL && when_parse(a->at, &when, &err) < 0)
		return out_fail(s->call->out, FAIL_USAGE, "--at: %s", err.msg);
	return 0;
}

/* The answer. */

static void
begin_answer(struct shooting *s, struct json_out *j)
{
	if (s->call->out->json)
		out_begin(s->call->out, j);
	s->begin = s->call->out->buf.len;
}

/* A file replaces standard output, except with JSON. */
static int
end_answer(struct shooting *s)
{
	const struct artifact made = {
		.kind = "snapshot",
		.format = format_name(s->want.format),
		.seq = s->seq,
		.offset = s->offset,
		.hash = s->hash,
	};
	struct out *out = s->call->out;
	struct fault f;

	if (s->args->output == NULL || strcmp(s->args->output, "-") == 0 ||
	    out->buf.full)
		return out_send(out);
	if (artifact_save(s->call->target, s->args->output, &made,
		out->buf.data + s->begin, out->buf.len - s->begin, &f) < 0)
		return out_fault(out, &f);
	if (!out->json)
		buf_clear(&out->buf);
	return out_send(out);
}

static void
tell_truncated(const struct shooting *s, bool truncated)
{
	if (truncated)
		out_note(s->call->out, "left out lines at the top");
}

/*
 * Blank rows at the end of a screen are useless to people, and a diff without
 * changes prints nothing.
 */
static void
end_text(struct shooting *s)
{
	bool screen = !s->want.has_since && !s->want.last_command;
	struct buf *out = &s->call->out->buf;

	while (screen && !s->args->rows && out->len > s->begin &&
	    out->data[out->len - 1] == '\n')
		out->len--;
	if (out->len > s->begin || s->args->rows || s->want.last_command)
		buf_putc(out, '\n');
}

/* The screen of any moment, from the log. */

static int
put_shot(struct shooting *s, const struct past_screen *shot)
{
	struct out *out = s->call->out;
	bool truncated = false;
	struct json_out j;
	struct fault f;
	int rc;

	s->seq = shot->now.shown_seq;
	s->offset = shot->now.shown_offset;
	vt_hash(shot->now.vt, s->hash);
	begin_answer(s, &j);
	rc = out->json ?
	    past_screen_put(shot, &s->want, &j, &f) :
	    past_screen_data(shot, &s->want, &out->buf, &truncated, &f);
	if (rc < 0)
		return out_fault(out, &f);
	if (s->want.format == SNAPSHOT_TEXT)
		end_text(s);
	tell_truncated(s, truncated);
	return end_answer(s);
}

static int
from_log(struct shooting *s)
{
	struct call *call = s->call;
	struct past_screen shot;
	struct fault f;
	int status;

	if (past_screen_take(&shot, call->target, &s->want, s->args->at,
		&call->out->report, &f) < 0)
		status = out_fault(call->out, &f);
	else
		status = put_shot(s, &shot);
	past_screen_finish(&shot);
	return status;
}

/* The screen of a running session, from its host. */

/* Hosts of older versions refuse an unknown member, even if it is false. */
static void
put_flag(struct json_out *j, const char *key, bool value)
{
	if (!value)
		return;
	json_out_key(j, key);
	json_out_bool(j, true);
}

static char *
put_request(const struct shooting *s)
{
	const struct snapshot *w = &s->want;
	struct json_out j;
	struct buf b;

	buf_init(&b, 4096);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_out_key(&j, "format");
	json_out_text(&j, format_name(w->format));
	put_flag(&j, "scrollback", w->scrollback);
	put_flag(&j, "cells", w->cells);
	put_flag(&j, "hidden", w->hidden);
	put_flag(&j, "last_command", w->last_command);
	if (w->has_since) {
		json_out_key(&j, "since");
		json_out_number(&j, w->since);
	}
	if (w->max_bytes > 0) {
		json_out_key(&j, "max_bytes");
		json_out_number(&j, w->max_bytes);
	}
	json_out_close(&j, '}');
	return buf_take(&b);
}

static int
put_data(struct shooting *s, const json_t *tree)
{
	const json_t *data = json_object_get(tree, "data");
	struct buf *out = &s->call->out->buf;

	if (!json_is_string(data))
		return out_fail(s->call->out, FAIL_PROTOCOL,
		    "the host's answer has no screen");
	if (s->want.format == SNAPSHOT_TEXT) {
		words_put_lines(out, json_string_value(data));
		end_text(s);
	} else {
		buf_append(out, json_string_value(data),
		    json_string_length(data));
	}
	tell_truncated(s, json_is_true(json_object_get(tree, "truncated")));
	return 0;
}

static void
note_moment(struct shooting *s, const json_t *tree)
{
	const char *hash = json_string_value(json_object_get(tree, "hash"));

	s->seq = (uint64_t)json_integer_value(json_object_get(tree, "seq"));
	s->offset = (uint64_t)json_integer_value(
	    json_object_get(tree, "offset"));
	snprintf(s->hash, sizeof(s->hash), "%s", hash != NULL ? hash : "");
}

static int
from_host(struct shooting *s)
{
	auto_free char *args = put_request(s), *result = NULL;
	auto_json json_t *tree = NULL;
	struct json_out j;
	int status;

	status = target_ask_live(s->call, "session.snapshot", args, &result);
	if (status != 0)
		return status;
	if (result == NULL) /* it has just ended */
		return from_log(s);
	tree = json_loads(result, 0, NULL);
	note_moment(s, tree);
	begin_answer(s, &j);
	if (s->call->out->json)
		json_out_json(&j, result);
	else
		status = put_data(s, tree);
	return status != 0 ? status : end_answer(s);
}

/* K-18: ask the host of a running session, unless a moment is given. */
static int
run(struct call *call)
{
	struct shooting s = { .call = call, .args = call->args };
	int status = settle(&s);

	if (status != 0)
		return status;
	if (s.args->at == NULL &&
	    status_has_live_host(call->target->session.status))
		return from_host(&s);
	return from_log(&s);
}

const struct cmd cmd_snapshot = {
	.name = "snapshot",
	.usage = "[SESSION] [--format " FORMAT_CHOICES "] [--at WHEN]\n"
		 "            [--scrollback | --since SEQ | --last-command] "
		 "[--rows] [--cells]\n"
		 "            [--hidden] [--max-bytes SIZE] [-o FILE] [--json]",
	.summary = "show a session's screen, now or at any moment",
	.details =
	    "Without SESSION, show the session this is typed in, otherwise the\n"
	    "newest.\n"
	    "\n"
	    "WHEN is a seq (120), a byte offset (@4096), a time since the start\n"
	    "(12.5s), a time ago (-5m; for an ended session, before its end), a\n"
	    "date (2026-11-15T23:51:55Z; without the Z, local time), a local time\n"
	    "(23:51 or 23:51:55, its most recent occurrence), or mark:NAME.\n"
	    "\n"
	    "--since takes the seq of an earlier snapshot (--json) and shows the\n"
	    "rows that changed since.  --last-command needs a shell that marks its\n"
	    "commands (OSC 133).  If writing fails, no partial file is left.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_NEWEST | CMD_FINDS_DESTROYED,
	.run = run,
};
