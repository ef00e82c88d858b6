#include "cmd/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/utf8.h"
#include "cmd/fold.h"

/* Of a log, 64 damages are told; of more than a million bytes, no more. */
#define DAMAGE_MAX (1u << 20)
#define HELP_COLS 80     /* for which help is written */
#define MESSAGE_MAX 8192 /* a path of PATH_MAX and words around it */

void
out_init(struct out *o, const char *command, bool json)
{
	*o = (struct out){ .command = command, .json = json };
	buf_init(&o->buf, OUT_MAX);
	buf_init(&o->damage, DAMAGE_MAX);
}

void
out_finish(struct out *o)
{
	buf_finish(&o->buf);
	buf_finish(&o->damage);
}

static void
open_envelope(struct out *o, struct json_out *j, bool ok)
{
	json_out_init(j, &o->buf);
	json_out_open(j, '{');
	json_put_bool(j, "ok", ok);
	json_put_text(j, "command", o->command != NULL ? o->command : "");
}

void
out_begin(struct out *o, struct json_out *j)
{
	open_envelope(o, j, true);
	json_out_key(j, "result");
}

/* A program's or a file's name may hold anything; a terminal must not. */
static void
put_escaped(struct buf *out, const char *s, bool lines)
{
	struct utf8 u = { 0 };
	const char *from = s;
	uint32_t cp;

	for (; *s != '\0'; s++) {
		enum utf8_step step = utf8_step(&u, (uint8_t)*s, &cp);

		if (step == UTF8_MORE)
			continue;
		if (step == UTF8_BAD_AGAIN)
			s--;
		if (step == UTF8_DONE &&
		    (!utf8_acts(cp) || (lines && cp == '\n')))
			buf_append(out, from, (size_t)(s + 1 - from));
		else
			for (const char *p = from; p <= s; p++)
				buf_printf(out, "\\x%02x", (uint8_t)*p);
		from = s + 1;
	}
	for (; *from != '\0'; from++)
		buf_printf(out, "\\x%02x", (uint8_t)*from);
}

void
out_put_safe(struct buf *out, const char *s)
{
	put_escaped(out, s, false);
}

void
out_put_lines(struct buf *out, const char *s)
{
	put_escaped(out, s, true);
}

static void
complain(const struct out *o, const char *message)
{
	struct buf line;

	buf_init(&line, 8 * MESSAGE_MAX);
	buf_puts(&line, "tend");
	if (o->command != NULL)
		buf_printf(&line, " %s", o->command);
	buf_puts(&line, ": ");
	out_put_safe(&line, message);
	buf_putc(&line, '\n');
	/* There is nobody left to tell when this fails. */
	(void)fd_write_all(STDERR_FILENO, line.data, line.len);
	buf_finish(&line);
}

void
out_note(const struct out *o, const char *fmt, ...)
{
	char message[MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	complain(o, message);
}

int
out_status(const struct out *o, enum failure failure)
{
	if (o->failure_status != 0)
		return o->failure_status;
	return failure_status(failure);
}

static int
send_all(const struct out *o)
{
	char message[512];
	int r = fd_write_all(STDOUT_FILENO, o->buf.data, o->buf.len);

	if (r == 0)
		return 0;
	snprintf(message, sizeof(message),
	    "cannot write to standard output: %s%s%s", strerror(-r),
	    o->done != NULL ? "; " : "", o->done != NULL ? o->done : "");
	complain(o, message);
	return out_status(o, FAIL_INTERNAL);
}

int
out_flush(struct out *o)
{
	int status = send_all(o);

	buf_clear(&o->buf);
	return status;
}

/* The last member of an envelope, and its end. */
static void
close_envelope(struct out *o)
{
	if (o->damage.len > 0) {
		buf_puts(&o->buf, ",\"damage\":[");
		buf_append(&o->buf, o->damage.data, o->damage.len);
		buf_putc(&o->buf, ']');
	}
	buf_puts(&o->buf, "}\n");
}

int
out_send(struct out *o)
{
	int r;

	if (o->json)
		close_envelope(o);
	if (o->buf.full)
		return out_fail(o, FAIL_INTERNAL,
		    "the answer would be larger "
		    "than %u MiB; ask for less",
		    OUT_MAX >> 20);
	r = send_all(o);
	return r == 0 && o->damage.len > 0 ? failure_status(FAIL_REPLAY) : r;
}

int
out_send_help(struct out *o)
{
	struct winsize ws = { 0 };
	struct buf folded;
	int status;

	if (!isatty(STDOUT_FILENO) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0 || ws.ws_col == 0 ||
	    ws.ws_col >= HELP_COLS)
		return out_send(o);
	buf_init(&folded, OUT_MAX);
	buf_putc(&o->buf, '\0');
	fold_text((const char *)o->buf.data, ws.ws_col, &folded);
	buf_clear(&o->buf);
	buf_append(&o->buf, folded.data, folded.len);
	status = out_send(o);
	buf_finish(&folded);
	return status;
}

static void
put_error(struct out *o, enum failure failure, const char *message)
{
	struct json_out j;

	open_envelope(o, &j, false);
	json_put_open(&j, "error", '{');
	json_put_text(&j, "code", failure_code(failure));
	json_put_text(&j, "message", message);
	json_put_bool(&j, "retryable", failure_is_retryable(failure));
	json_put_open(&j, "details", '{');
	json_out_close(&j, '}');
	json_out_close(&j, '}');
	close_envelope(o);
}

int
out_fail(struct out *o, enum failure failure, const char *fmt, ...)
{
	char message[MESSAGE_MAX];
	va_list ap;
	int r;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	if (!o->json) {
		complain(o, message);
		return out_status(o, failure);
	}
	buf_clear(&o->buf);
	put_error(o, failure, message);
	r = send_all(o);
	return r != 0 ? r : out_status(o, failure);
}
