#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/fault.h"
#include "home/marks.h"
#include "home/words.h"
#include "op/ops.h"

#include <inttypes.h>
#include <string.h>

static void
put_mark(void *arg, const struct mark *m)
{
	struct buf *out = arg;

	buf_printf(out, "%8" PRIu64 "  %10.3fs  ", m->seq,
	    (double)m->time_ns / 1e9);
	words_put_safe(out, m->name);
	buf_putc(out, '\n');
}

/* Plain: one line per mark; JSON: an array. */
static int
list(struct call *call)
{
	struct out *out = call->out;
	struct json_out j;
	struct fault f;
	int rc;

	if (out->json) {
		out_begin(out, &j);
		rc = marks_json(call->target, &j, &f);
	} else {
		rc = marks_each(call->target, put_mark, &out->buf, &f);
	}
	return rc < 0 ? out_fault(out, &f) : out_send(out);
}

static int
run(struct call *call)
{
	const struct type_range range = op_range("session.mark", "name");
	auto_free char *args = NULL;
	size_t len;
	int status;

	if (call->argc == 0)
		return list(call);
	status = operands_check(call, 1, 1, "NAME");
	if (status != 0)
		return status;
	len = strlen(call->argv[0]);
	if (len < range.least || len > range.most ||
	    !utf8_valid(call->argv[0], len))
		return out_fail(call->out, FAIL_USAGE,
		    "the name of a mark must be UTF-8 text of %" PRIu64
		    " to %" PRIu64 " bytes",
		    range.least, range.most);
	status = target_connect(call);
	if (status != 0)
		return status;
	args = json_member("name", call->argv[0]);
	return target_request(call, "session.mark", args);
}

const struct cmd cmd_mark = {
	.name = "mark",
	.usage = "SESSION [NAME] [--json]",
	.summary = "name this moment of a session, or list its marks",
	.details =
	    "'tend snapshot --at mark:NAME' and 'tend log --from mark:NAME' find\n"
	    "the mark; if several have the same name, the last one counts.  Without\n"
	    "NAME, list the marks, one per line: the seq, the time since the start\n"
	    "of the session, and the name.\n",
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
