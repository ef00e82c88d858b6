#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_out.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/ask/exec_state.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"

/* The runs: their output, and the answers to their clients. */

#define RESULT_MAX (16u << 20) /* 2 MiB of output, escaped */

void
exec_capture(struct exec *u, const uint8_t *p, size_t len)
{
	size_t room = u->output.max - u->output.len;

	if (u->stage != EXEC_TYPED && u->stage != EXEC_GOES)
		return;
	u->total += len;
	if (len > room)
		len = room;
	if (len > 0)
		buf_append(&u->output, p, len);
}

/* Remove a captured mark. */
void
exec_uncapture(struct exec *u, size_t len)
{
	u->total -= len < u->total ? len : u->total;
	if (u->output.len > u->total)
		u->output.len = u->total;
}

void
exec_uncapture_verbose(struct exec *u)
{
	static const char shown[] = SHELL_BASH_DONE "\r\n";
	const size_t n = sizeof(shown) - 1;

	if (u->output.len != u->total || u->output.len < n ||
	    memcmp(u->output.data + u->output.len - n, shown, n) != 0)
		return;
	exec_uncapture(u, n);
	u->to -= n;
}

void
exec_forget_output(struct exec *u)
{
	buf_clear(&u->output);
	u->total = 0;
}

/*
 * A command that the shell refused has no C.  Its output begins after the line
 * editor has turned bracketed paste off or, without that, after the typed
 * line.
 */
void
exec_keep_refusal(struct exec *u)
{
	static const char farewell[] = "\033[?2004l";
	const size_t n = sizeof(farewell) - 1;
	struct buf *b = &u->output;
	size_t cut = 0;

	for (size_t i = 0; i + n <= b->len; i++)
		if (memcmp(b->data + i, farewell, n) == 0)
			cut = i + n;
	if (cut == 0 && u->way == WAY_LINE)
		while (cut < b->len && b->data[cut] != '\n')
			cut++;
	while (cut < b->len && (b->data[cut] == '\r' || b->data[cut] == '\n'))
		cut++;
	buf_consume(b, cut);
	u->total -= cut;
}

/*
 * The terminal has turned every LF into CR LF.  JSON readers do not accept
 * NUL; it becomes U+FFFD, like other bytes that are not text.
 */
static void
put_output(struct json_out *j, const struct buf *b)
{
	struct buf text;

	buf_init(&text, 3 * (b->len + 1));
	for (size_t i = 0; i < b->len; i++) {
		if (b->data[i] == '\0')
			buf_puts(&text, "\xef\xbf\xbd");
		else if (b->data[i] != '\r' || i + 1 == b->len ||
		    b->data[i + 1] != '\n')
			buf_putc(&text, (char)b->data[i]);
	}
	json_out_string(j, (const char *)text.data, text.len);
	buf_finish(&text);
}

const char *
exec_capture_name(const struct exec *u)
{
	return u->exact && !u->rough ? "exact" : "best-effort";
}

static void
put_result(struct json_out *j, const struct exec *u,
    const struct exec_result *x)
{
	json_out_open(j, '{');
	json_put_maybe(j, "exit_code", x->code >= 0, x->code);
	json_put_maybe(j, "exit_signal", x->signo > 0, x->signo);
	json_out_key(j, "output");
	put_output(j, &u->output);
	json_out_key(j, "truncated");
	json_out_bool(j, u->total > u->output.len);
	json_out_key(j, "timed_out");
	json_out_bool(j, strcmp(x->outcome, "timed_out") == 0);
	json_out_key(j, "capture");
	json_out_text(j, exec_capture_name(u));
	json_out_key(j, "outcome");
	json_out_text(j, x->outcome);
	json_out_key(j, "offset");
	json_out_number(j, u->from);
	json_out_key(j, "seq");
	json_out_number(j, x->seq);
	json_out_close(j, '}');
}

struct connection *
exec_who_waits(const struct execs *r)
{
	return r->run.client == 0 ? NULL :
				    server_connection(r->server, r->run.client);
}

void
exec_answer(struct execs *r, const struct exec_result *x)
{
	const struct server_request who = { r->run.client, r->run.id };
	struct json_out j;
	struct buf b;

	if (r->run.client != 0) {
		buf_init(&b, RESULT_MAX);
		json_out_init(&j, &b);
		put_result(&j, &r->run, x);
		server_answer(r->server, &who, true, &b, x->seq);
		buf_finish(&b);
	}
	r->run.client = 0;
	watch_rearm(r->limit, -1);
}

void
exec_refuse(struct execs *r, const struct error *err)
{
	const struct server_request who = { r->run.client, r->run.id };

	if (r->run.client != 0)
		server_fail(r->server, &who, r->run.stage >= EXEC_TYPED,
		    failure_of_errno(err->code), err);
	r->run.client = 0;
	watch_rearm(r->limit, -1);
}

/*
 * A client that left before its command was typed gets no answer, but its key
 * is free again.
 */
void
exec_clear(struct execs *r)
{
	if (r->run.client != 0)
		exec_refuse(r, &server_client_left);
	free(r->run.command);
	buf_finish(&r->run.output);
	fd_close(&r->run.script_fd);
	r->run = (struct exec){ .script_fd = -1 };
	exec_hold_drop(r);
	exec_note(r);
	exec_drop_fork(r);
	watch_rearm(r->limit, -1);
}

void
exec_finish(struct execs *r, struct exec_result x)
{
	const struct exec *u = &r->run;

	event_run_end(r->session, u->event, x.outcome, exec_capture_name(u),
	    x.code, u->from, u->to);
	exec_answer(r, &x);
	exec_clear(r);
}
