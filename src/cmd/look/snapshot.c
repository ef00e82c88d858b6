#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "cmd/look/artifact.h"
#include "cmd/line/cmd.h"
#include "home/damage.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/units.h"
#include "home/when.h"
#include "log/replay.h"
#include "op/differ.h"
#include "op/snapshot.h"
#include "vt/text.h"
#include "vt/vt.h"
#include "home/words.h"

#define FIRST_SCREEN 2 /* the event: the keyframe behind `start` */

struct args {
	const char *format, *at, *since, *max_bytes, *output;
	bool scrollback, rows, cells, hidden, last_command;
};

static const struct opt options[] = {
	OPT_CHOICE(struct args, format, "format", 'f', "FORMAT",
	    "text|json|ansi|html|svg",
	    "text (the default), json, ansi, html or svg"),
	OPT_VALUE(struct args, at, "at", 0, "WHEN",
	    "the screen as it was then"),
	OPT_FLAG(struct args, scrollback, "scrollback", 0,
	    "also what scrolled off the top"),
	OPT_FLAG(struct args, rows, "rows", 0,
	    "text: also the blank rows at the end"),
	OPT_VALUE(struct args, since, "since", 0, "SEQ",
	    "text, json: only the rows that changed after it"),
	OPT_FLAG(struct args, last_command, "last-command", 0,
	    "text, json: the output of the shell's last command"),
	OPT_FLAG(struct args, cells, "cells", 0,
	    "json: also each cell's style, links and modes"),
	OPT_FLAG(struct args, hidden, "hidden", 0,
	    "json: also what stands there but cannot be seen"),
	OPT_VALUE(struct args, max_bytes, "max-bytes", 0, "SIZE",
	    "leave lines out at the top to stay below it"),
	OPT_VALUE(struct args, output, "output", 'o', "FILE",
	    "write it there, and note that with the session"),
	{ 0 },
};

/* A snapshot on its way: what is wanted, then what it was taken of. */
struct shot {
	struct call *call;
	const struct args *args;
	struct snapshot want;
	size_t begin; /* of the answer itself, in the envelope */
	uint64_t seq, offset;
	char hash[65];
};

/* What is wanted. */

/* --json is --format json; both may be said. */
static int
settle_format(struct shot *s)
{
	struct out *out = s->call->out;
	const char *name = s->args->format;

	s->want.format = out->json ? SNAPSHOT_JSON : SNAPSHOT_TEXT;
	if (name == NULL)
		return 0;
	s->want.format = snapshot_format_called(name);
	if (s->want.format == SNAPSHOT_FORMATS)
		return out_fail(out, FAIL_USAGE,
		    "--format %s: give text, json, ansi, html or svg", name);
	if (out->json && s->want.format != SNAPSHOT_JSON)
		return out_fail(out, FAIL_USAGE,
		    "--format %s and --json contradict each other; give one",
		    name);
	out->json = s->want.format == SNAPSHOT_JSON;
	return 0;
}

static int
settle_numbers(struct shot *s)
{
	const struct args *a = s->args;
	struct error err;
	uint64_t bytes = 0;

	s->want.has_since = a->since != NULL;
	if (a->since != NULL &&
	    !units_number(a->since, INT64_MAX, &s->want.since))
		return out_fail(s->call->out, FAIL_USAGE,
		    "--since %s: give the seq of a snapshot before, as its "
		    "--json says it",
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
settle(struct shot *s)
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
		    "--rows is for text; the other formats have all rows");
	if (snapshot_check(&s->want, SNAPSHOT_OPTIONS, &err) < 0)
		return out_fail(s->call->out, FAIL_USAGE, "%s", err.msg);
	if (a->at != NULL && when_parse(a->at, &when, &err) < 0)
		return out_fail(s->call->out, FAIL_USAGE, "--at: %s", err.msg);
	return 0;
}

/* What is answered. */

static void
begin_answer(struct shot *s, struct json_out *j)
{
	if (s->call->out->json)
		out_begin(s->call->out, j);
	s->begin = s->call->out->buf.len;
}

/* A file takes the place of standard output, but for JSON. */
static int
end_answer(struct shot *s)
{
	const struct artifact made = {
		.kind = "snapshot",
		.format = snapshot_format_name(s->want.format),
		.seq = s->seq,
		.offset = s->offset,
		.hash = s->hash,
	};
	struct out *out = s->call->out;
	int status;

	if (s->args->output == NULL || strcmp(s->args->output, "-") == 0 ||
	    out->buf.full)
		return out_send(out);
	status = artifact_save(s->call, s->args->output, &made,
	    out->buf.data + s->begin, out->buf.len - s->begin);
	if (status != 0)
		return status;
	if (!out->json)
		buf_clear(&out->buf);
	return out_send(out);
}

static void
tell_truncated(const struct shot *s, bool truncated)
{
	if (truncated)
		out_note(s->call->out, "lines at the top were left out");
}

/*
 * Blank rows at the end of a screen say nothing to a person; that no row has
 * changed is no line.
 */
static void
end_text(struct shot *s)
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

/* What it is compared with: NULL where the log does not go back to. */
struct before {
	const struct vt *then, *now;
};

static bool
is_new(const void *arg, unsigned y)
{
	const struct before *b = arg;

	return b->then == NULL || differ_row(b->then, b->now, y);
}

static int
show(struct shot *s, const struct replay *now, const struct vt *then)
{
	const struct before before = { then, now->vt };
	const struct snapshot_of of = { .vt = now->vt,
		.seq = now->shown_seq,
		.offset = now->shown_offset,
		.is_new = is_new,
		.arg = &before };
	struct out *out = s->call->out;
	bool truncated = false;
	struct json_out j;
	struct error err;
	int result;

	if (!now->complete)
		out_note(out,
		    "part of the log before this moment is missing; the "
		    "screen may be wrong");
	if (now->rebuilt)
		out_note(out,
		    "the log has screens of a newer tend; this screen was "
		    "rebuilt from the output and may differ in details");
	if (out->report.damage.len > 0)
		out_note(out,
		    "this is the screen at event %" PRIu64 ", offset %" PRIu64
		    ", the last that can be trusted",
		    now->shown_seq, now->shown_offset);
	s->seq = now->shown_seq;
	s->offset = now->shown_offset;
	vt_hash(now->vt, s->hash);
	begin_answer(s, &j);
	result = out->json ?
	    snapshot_put(&s->want, &of, &j, &err) :
	    snapshot_data(&s->want, &of, &out->buf, &truncated, &err);
	if (result < 0)
		return out_fail(out,
		    result == -ENOENT ? FAIL_NOT_FOUND : FAIL_USAGE, "%s",
		    err.msg);
	if (s->want.format == SNAPSHOT_TEXT)
		end_text(s);
	tell_truncated(s, truncated);
	return end_answer(s);
}

/*
 * Before the start there was no screen; then the first one is shown, and that
 * is said.  Of a log whose beginning was removed nobody knows: -ENOENT.
 */
static int
replay_start(struct shot *s, struct log_reader *r, bool history,
    struct replay *out, struct error *err)
{
	struct log_extent extent;
	int result;

	if (log_reader_extent(r, &extent) < 0 || extent.first_seq != 1)
		return -ENOENT;
	result = replay_at(r, LOG_BY_SEQ, FIRST_SCREEN, history, out, err);
	if (result == 0)
		out_note(s->call->out,
		    "session %s began after this moment; this is its first "
		    "screen",
		    handle_name(s->call->target));
	return result;
}

/* The last screen is shown for what is still to come, and that is said. */
static void
tell_to_come(const struct shot *s, const struct when *when,
    const struct log_place *place, struct log_reader *r)
{
	char words[WHEN_WORDS_MAX];

	if (when_is_to_come(when, place, r, handle_log_now(s->call->target),
		words, sizeof(words)))
		out_note(s->call->out, "%s", words);
}

static int
replay_when(struct shot *s, struct log_reader *r, struct replay *out,
    struct error *err)
{
	bool history = s->want.scrollback || s->want.last_command;
	struct log_place place;
	struct when when;
	int result;

	if (s->args->at == NULL)
		return replay_end(r, history, out, err);
	result = when_parse(s->args->at, &when, err);
	if (result == 0)
		result = when_resolve(&when, r, handle_log_now(s->call->target),
		    &place, err);
	if (result < 0)
		return result;
	tell_to_come(s, &when, &place, r);
	result = replay_at(r, place.by, place.value, history, out, err);
	return result == -ENOENT ? replay_start(s, r, history, out, err) :
				   result;
}

static int
from_log(struct shot *s)
{
	struct call *call = s->call;
	struct replay now = { 0 }, then = { 0 };
	struct log_reader *r;
	struct error err = { 0 };
	int result, status;

	status = target_open_log(call, &r);
	if (status != 0)
		return status;
	result = replay_when(s, r, &now, &err);
	if (result == 0 && s->want.has_since)
		replay_at(r, LOG_BY_SEQ, s->want.since, false, &then, NULL);
	if (result == 0 && handle_is_gone(call->target))
		result = error_set(&err, ENOENT,
		    "it was removed while its log was read");
	else if (result == 0)
		damage_tell_all(&call->out->report, &call->target->session, r);
	else
		damage_explain(&call->out->report, &call->target->session, r);
	if (result == 0)
		status = show(s, &now, then.vt);
	else
		status = target_no_moment(call, "cannot show session", &err);
	vt_destroy(now.vt);
	vt_destroy(then.vt);
	log_reader_close(r);
	return status;
}

/* The screen of a running session, from its host. */

/* A host of an older tend refuses what it does not know, also if it is false. */
static void
put_flag(struct json_out *j, const char *key, bool value)
{
	if (!value)
		return;
	json_out_key(j, key);
	json_out_bool(j, true);
}

static char *
put_request(const struct shot *s)
{
	const struct snapshot *w = &s->want;
	struct json_out j;
	struct buf b;

	buf_init(&b, 4096);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_out_key(&j, "format");
	json_out_text(&j, snapshot_format_name(w->format));
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
put_data(struct shot *s, const json_t *tree)
{
	const json_t *data = json_object_get(tree, "data");
	struct buf *out = &s->call->out->buf;

	if (!json_is_string(data))
		return out_fail(s->call->out, FAIL_PROTOCOL,
		    "the host's answer has no screen in it");
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
note_moment(struct shot *s, const json_t *tree)
{
	const char *hash = json_string_value(json_object_get(tree, "hash"));

	s->seq = (uint64_t)json_integer_value(json_object_get(tree, "seq"));
	s->offset = (uint64_t)json_integer_value(
	    json_object_get(tree, "offset"));
	snprintf(s->hash, sizeof(s->hash), "%s", hash != NULL ? hash : "");
}

static int
from_host(struct shot *s)
{
	auto_free char *args = put_request(s), *result = NULL;
	auto_json json_t *tree = NULL;
	struct json_out j;
	int status;

	status = target_ask_live(s->call, "session.snapshot", args, &result);
	if (status != 0)
		return status;
	if (result == NULL) /* it has ended just now */
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

/* K-18: who is alive is asked, unless it is about another moment. */
static int
run(struct call *call)
{
	struct shot s = { .call = call, .args = call->args };
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
	.usage = "[SESSION] [--format text|json|ansi|html|svg] [--at WHEN]\n"
		 "            [--scrollback | --since SEQ | --last-command] "
		 "[--rows] [--cells]\n"
		 "            [--hidden] [--max-bytes SIZE] [-o FILE] [--json]",
	.summary = "show a session's screen, now or at any moment",
	.details =
	    "Without SESSION, the one it is typed in, else the newest.\n"
	    "WHEN is a seq (120), a byte offset (@4096), a time since the start\n"
	    "(12.5s), how long ago (-5m; of a session that has ended, before its\n"
	    "end), a date (2026-11-15T23:51:55Z; without the Z, local time), the\n"
	    "last time that it was 23:51 or 23:51:55 here, or mark:NAME.\n"
	    "\n"
	    "--since takes the seq of a snapshot before (--json) and shows what\n"
	    "is new.  --last-command needs a shell that marks its commands\n"
	    "(OSC 133).  A file that could not be written whole is not there.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_NEWEST | CMD_FINDS_DESTROYED,
	.run = run,
};
