#include "cmd/line/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "cmd/line/fold.h"
#include "home/fault.h"
#include "home/words.h"

#define HELP_COLS 80 /* help is written for this width */

void
out_finish(struct out *o)
{
	buf_finish(&o->buf);
	report_finish(&o->report);
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

static void
complain(const struct out *o, const char *message)
{
	struct buf line;

	buf_init(&line, 8 * FAULT_MAX);
	buf_puts(&line, "tend");
	if (o->command != NULL)
		buf_printf(&line, " %s", o->command);
	buf_puts(&line, ": ");
	words_put_safe(&line, message);
	buf_putc(&line, '\n');
	/* A failure here cannot be reported. */
	(void)fd_write_all(STDERR_FILENO, line.data, line.len);
	buf_finish(&line);
}

static void
on_note(void *arg, const char *text)
{
	complain(arg, text);
}

void
out_init(struct out *o, const char *command, bool json)
{
	*o = (struct out){ .command = command, .json = json };
	buf_init(&o->buf, OUT_MAX);
	report_init(&o->report, on_note, o);
}

void
out_note(const struct out *o, const char *fmt, ...)
{
	char message[FAULT_MAX];
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
	int r = o->into != NULL ?
	    buf_append(o->into, o->buf.data, o->buf.len) :
	    fd_write_all(STDOUT_FILENO, o->buf.data, o->buf.len);

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

/* The last member and the end of an envelope. */
static void
close_envelope(struct out *o)
{
	struct json_out j;

	json_out_init(&j, &o->buf);
	j.comma = true;
	report_json(&o->report, &j);
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
		    "the answer is larger than %u MiB; ask for less",
		    OUT_MAX >> 20);
	r = send_all(o);
	return r == 0 && o->report.damage.len > 0 ?
	    failure_status(FAIL_REPLAY) :
	    r;
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
	char message[FAULT_MAX];
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

/* The option of an argument: max_log is --max-log. */
static void
put_option(const char *argument, char *out, size_t size)
{
	if (strcmp(argument, "labels") == 0) /* one option for each */
		argument = "label";
	snprintf(out, size, "--%s", argument);
	for (char *p = out; *p != '\0'; p++)
		*p = *p == '_' ? '-' : *p;
}

int
out_fault(struct out *o, const struct fault *f)
{
	char option[FAULT_ARGUMENT_SIZE + 2], words[FAULT_WORDS_MAX];

	if (f->status != 0)
		o->failure_status = f->status;
	put_option(f->argument, option, sizeof(option));
	fault_words(f, option, "with ", words);
	return out_fail(o, f->failure, "%s", words);
}
