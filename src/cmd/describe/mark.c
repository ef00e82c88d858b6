#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "log/payload.h"
#include "log/reader.h"
#include "home/words.h"

#include <inttypes.h>
#include <string.h>

#define NAME_MAX_BYTES 255

static char *
arguments(const char *name)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, 8 * NAME_MAX_BYTES);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_text(&j, "name", name);
	json_out_close(&j, '}');
	return buf_take(&b);
}

static char *
copy_text(const struct payload_text *t)
{
	char *text = xcalloc(t->len + 1, 1);

	memcpy(text, t->p, t->len);
	return text;
}

static void
put_mark(struct out *out, struct json_out *j, const struct record *rec)
{
	auto_free char *by = NULL, *name = NULL;
	struct payload_mark mark;

	if (!payload_mark_of(&mark, rec))
		return;
	by = copy_text(&mark.by);
	name = copy_text(&mark.name);
	if (out->json) {
		json_out_open(j, '{');
		json_put_number(j, "seq", rec->seq);
		json_put_number(j, "time_ns", rec->time_ns);
		json_put_text(j, "by", by);
		json_put_text(j, "name", name);
		json_out_close(j, '}');
		return;
	}
	buf_printf(&out->buf, "%8" PRIu64 "  %10.3fs  ", rec->seq,
	    (double)rec->time_ns / 1e9);
	words_put_safe(&out->buf, name);
	buf_putc(&out->buf, '\n');
}

/* Plain: a line for each; JSON: the list of them. */
static int
list(struct call *call)
{
	struct log_reader *r;
	struct record rec;
	struct json_out j;
	int status = target_open_log(call, &r);

	if (status != 0)
		return status;
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '[');
	}
	log_reader_seek(r, LOG_BY_SEQ, 0);
	while (log_reader_next_there(r, &rec))
		put_mark(call->out, &j, &rec);
	if (call->out->json)
		json_out_close(&j, ']');
	log_reader_close(r);
	return out_send(call->out);
}

static int
run(struct call *call)
{
	auto_free char *args = NULL;
	size_t len;
	int status;

	if (call->argc == 0)
		return list(call);
	status = operands_check(call, 1, 1, "NAME");
	if (status != 0)
		return status;
	len = strlen(call->argv[0]);
	if (len == 0 || len > NAME_MAX_BYTES || !utf8_valid(call->argv[0], len))
		return out_fail(call->out, FAIL_USAGE,
		    "the name of a mark is UTF-8 text of 1 to %d bytes",
		    NAME_MAX_BYTES);
	status = target_connect(call);
	if (status != 0)
		return status;
	args = arguments(call->argv[0]);
	return target_tell(call, "session.mark", args);
}

const struct cmd cmd_mark = {
	.name = "mark",
	.usage = "SESSION [NAME] [--json]",
	.summary = "give this moment of a session a name, or list the marks",
	.details =
	    "'tend snapshot --at mark:NAME' and 'tend log --from mark:NAME' find\n"
	    "it again; of several with one name the last one counts.  Without\n"
	    "NAME, each mark is a line: its seq, when it was set, counted from\n"
	    "the start of the session, and its name.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
