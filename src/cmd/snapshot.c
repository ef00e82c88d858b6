#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/operands.h"
#include "cmd/opt.h"
#include "cmd/out.h"
#include "cmd/target.h"
#include "cmd/when.h"
#include "log/replay.h"
#include "op/screen.h"
#include "vt/render.h"
#include "vt/text.h"
#include "vt/vt.h"

struct args {
	const char *format, *at;
	bool scrollback, cells, hidden;
};

static const struct opt options[] = {
	OPT_CHOICE(struct args, format, "format", 'f', "FORMAT",
	    "text|json|ansi", "text (the default), json or ansi"),
	OPT_VALUE(struct args, at, "at", 0, "WHEN",
	    "the screen as it was then"),
	OPT_FLAG(struct args, scrollback, "scrollback", 0,
	    "also what scrolled off the top"),
	OPT_FLAG(struct args, cells, "cells", 0,
	    "json: also each cell's style, links and modes"),
	OPT_FLAG(struct args, hidden, "hidden", 0,
	    "json: also what stands there but cannot be seen"),
	{ 0 },
};

static const char *const formats[] = { "text", "json", "ansi" };

#define FORMATS (sizeof(formats) / sizeof(*formats))

/* --json is --format json; both may be said. */
static int
settle_format(struct call *call, const struct args *a, const char **format)
{
	*format = call->out->json ? "json" : "text";
	if (a->format == NULL)
		return 0;
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(a->format, formats[i]) == 0) {
			if (call->out->json && strcmp(a->format, "json") != 0)
				break;
			*format = formats[i];
			call->out->json = strcmp(a->format, "json") == 0;
			return 0;
		}
	if (call->out->json)
		return out_fail(call->out, FAIL_USAGE,
		    "--format %s and --json contradict each other; give one",
		    a->format);
	return out_fail(call->out, FAIL_USAGE,
	    "--format %s: give text, json or ansi", a->format);
}

/* The screen of a running session, from its host. */

static int
put_data(struct call *call, const char *result, const char *format)
{
	json_t *tree = json_loads(result, 0, NULL);
	const json_t *data = json_object_get(tree, "data");
	struct buf *out = &call->out->buf;
	int status = 0;

	if (json_is_string(data) && strcmp(format, "text") == 0) {
		out_put_lines(out, json_string_value(data));
		buf_putc(out, '\n');
	} else if (json_is_string(data)) {
		buf_append(out, json_string_value(data),
		    json_string_length(data));
	} else {
		status = out_fail(call->out, FAIL_PROTOCOL,
		    "the host's answer has no screen in it");
	}
	json_decref(tree);
	return status;
}

static int
from_host(struct call *call, const struct args *a, const char *format)
{
	auto_free char *result = NULL;
	struct json_out j;
	char args[160];
	int status;

	snprintf(args, sizeof(args),
	    "{\"format\":\"%s\",\"scrollback\":%s,\"cells\":%s,"
	    "\"hidden\":%s}",
	    format, a->scrollback ? "true" : "false",
	    a->cells ? "true" : "false", a->hidden ? "true" : "false");
	status = target_connect(call);
	if (status == 0)
		status = target_ask(call, "session.snapshot", args, &result);
	if (status != 0)
		return status;
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_json(&j, result);
	} else {
		status = put_data(call, result, format);
	}
	return status != 0 ? status : out_send(call->out);
}

/* The screen of any moment, from the log. */

static void
put_text(const struct vt *vt, bool scrollback, struct buf *out)
{
	if (scrollback)
		vt_history_text(vt, out);
	vt_text(vt, out);
	buf_putc(out, '\n');
}

static int
show(struct call *call, const struct args *a, const char *format,
    const struct replay *replay)
{
	unsigned flags = (a->scrollback ? SCREEN_SCROLLBACK : 0) |
	    (a->cells ? SCREEN_CELLS : 0) | (a->hidden ? SCREEN_HIDDEN : 0);
	struct json_out j;

	if (!replay->complete)
		out_note(call->out,
		    "part of the log before this moment is missing; the "
		    "screen may be wrong");
	if (call->out->json) {
		out_begin(call->out, &j);
		screen_json(replay->vt, flags, replay->seq, replay->offset, &j);
	} else if (strcmp(format, "ansi") == 0) {
		vt_render(replay->vt, a->scrollback ? RENDER_HISTORY : 0,
		    &call->out->buf);
	} else {
		put_text(replay->vt, a->scrollback, &call->out->buf);
	}
	return out_send(call->out);
}

static int
replay_when(struct log_reader *r, const struct args *a, struct replay *out,
    struct error *err)
{
	struct log_place place;
	struct when when;
	int result;

	if (a->at == NULL)
		return replay_end(r, a->scrollback, out, err);
	result = when_parse(a->at, &when, err);
	if (result == 0)
		result = when_resolve(&when, r, &place, err);
	if (result == 0)
		result = replay_at(r, place.by, place.value, a->scrollback, out,
		    err);
	return result;
}

static int
from_log(struct call *call, const struct args *a, const char *format)
{
	struct log_reader *r;
	struct replay replay = { 0 };
	struct error err = { 0 };
	int result, status;

	status = target_open_log(call, &r);
	if (status != 0)
		return status;
	result = replay_when(r, a, &replay, &err);
	if (result == 0 && target_is_gone(call->target))
		result = error_set(&err, ENOENT,
		    "it was removed while its log was read");
	if (result == 0)
		status = show(call, a, format, &replay);
	else
		status = out_fail(call->out, FAIL_REPLAY,
		    "cannot show session %s: %s", target_name(call->target),
		    err.msg);
	vt_destroy(replay.vt);
	log_reader_close(r);
	return status;
}

static int
check(struct call *call, const struct args *a, const char **format)
{
	struct error err;
	struct when when;
	int status;

	status = operands_check(call, 0, 0, "");
	if (status == 0)
		status = settle_format(call, a, format);
	if (status != 0)
		return status;
	if (a->cells && strcmp(*format, "json") != 0)
		return out_fail(call->out, FAIL_USAGE,
		    "--cells needs --format json; %s has no cells", *format);
	if (a->hidden && strcmp(*format, "json") != 0)
		return out_fail(call->out, FAIL_USAGE,
		    "--hidden needs --format json; %s does not tell", *format);
	if (a->at != NULL && when_parse(a->at, &when, &err) < 0)
		return out_fail(call->out, FAIL_USAGE, "--at: %s", err.msg);
	return 0;
}

/* K-18: who is alive is asked, unless it is about another moment. */
static int
run(struct call *call)
{
	const struct args *a = call->args;
	const char *format;
	int status;

	status = check(call, a, &format);
	if (status != 0)
		return status;
	if (a->at == NULL && status_has_live_host(call->target->session.status))
		return from_host(call, a, format);
	return from_log(call, a, format);
}

const struct cmd cmd_snapshot = {
	.name = "snapshot",
	.usage = "[SESSION] [--format text|json|ansi] [--at WHEN] "
		 "[--scrollback] [--cells]\n"
		 "            [--hidden] [--json]",
	.summary = "show a session's screen, now or at any moment",
	.details =
	    "Without SESSION, the newest.  WHEN is a seq (120), a byte offset\n"
	    "(@4096), a time since the start (12.5s) or before the end (-5m), a\n"
	    "date (2026-11-15T23:51:55Z) or mark:NAME.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION | CMD_NEWEST | CMD_FINDS_DESTROYED,
	.run = run,
};
