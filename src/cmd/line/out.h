#ifndef TEND_CMD_LINE_OUT_H
#define TEND_CMD_LINE_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "home/report.h"
#include "op/failure.h"

struct fault;

/*
 * How a command answers.  The answer is gathered whole, up to OUT_MAX bytes,
 * and then written, so that a failure on the way leaves no half of one.
 *
 * Plain: the answer on standard output, or `tend COMMAND: why` on standard
 * error.  With --json the envelope, on standard output in both cases:
 *
 *	{"ok":true,"command":"render","result":...}
 *	{"ok":false,"command":"render","error":{"code":"usage",
 *	 "message":"...","retryable":false,"details":{}}}
 *
 * Where part of a log is missing, `damage` says so behind the result or error,
 * and the status is that of FAIL_REPLAY at least.
 */
#define OUT_MAX (64u << 20)

struct out {
	const char *command; /* NULL: tend itself */
	bool json;
	const char
	    *done; /* all the same, if no answer can be written; or NULL */
	int failure_status;   /* of any failure; 0: each kind has its own */
	struct buf buf;       /* the answer */
	struct buf *into;     /* where it goes; NULL: standard output */
	struct report report; /* notes go to standard error */
};

void out_init(struct out *o, const char *command, bool json);
void out_finish(struct out *o);

/* Begin the envelope; what is written to *j next is the result. */
void out_begin(struct out *o, struct json_out *j);

/*
 * End the envelope if one was begun, and write the answer.  Returns the exit
 * status: 0, or that of a failure to write, which has then been reported.
 */
int out_send(struct out *o);

/* The same for help: on a terminal that is too narrow for it, folded. */
int out_send_help(struct out *o);

/*
 * Write what there is of an answer that has no end, without an envelope, and
 * forget it.  Returns as out_send does.
 */
int out_flush(struct out *o);

/* The exit status that belongs to a failure. */
int out_status(const struct out *o, enum failure failure);

/* Report the failure in place of the answer; returns the exit status. */
int out_fail(struct out *o, enum failure failure, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a fault of the home library. */
int out_fault(struct out *o, const struct fault *f);

/* Say something on standard error, beside the answer. */
void out_note(const struct out *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
