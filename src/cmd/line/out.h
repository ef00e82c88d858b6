#ifndef TEND_CMD_LINE_OUT_H
#define TEND_CMD_LINE_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "home/report.h"
#include "op/failure.h"

/*
 * The exit status of a wait that timed out and of a message without a
 * confirmation.  Neither is a failure: the session continues.
 */
#define EXIT_UNDECIDED 11

struct fault;

/*
 * The answer of a command.  It collects up to OUT_MAX bytes before it is
 * written, so that a failure leaves no partial answer.
 *
 * Plain: the answer on standard output, or `tend COMMAND: why` on standard
 * error.  With --json the envelope, on standard output in both cases:
 *
 *	{"ok":true,"command":"render","result":...}
 *	{"ok":false,"command":"render","error":{"code":"usage",
 *	 "message":"...","retryable":false,"details":{}}}
 *
 * If part of a log is missing, `damage` follows the result or error, and the
 * exit status is at least that of FAIL_REPLAY.
 */
#define OUT_MAX (64u << 20)

struct out {
	const char *command; /* NULL: tend itself */
	bool json;
	const char
	    *done; /* what was done, if the answer cannot be written; or NULL */
	int failure_status;   /* of every failure; 0: depends on the failure */
	struct buf buf;       /* the answer */
	struct buf *into;     /* the destination; NULL: standard output */
	struct report report; /* notes go to standard error */
};

void out_init(struct out *o, const char *command, bool json);
void out_finish(struct out *o);

/* Begin the envelope; the caller then writes the result to *j. */
void out_begin(struct out *o, struct json_out *j);

/*
 * End the envelope, if any, and write the answer.  Returns the exit status: 0,
 * or that of a failure to write, which has been reported.
 */
int out_send(struct out *o);

/* The same for help; it is folded for a narrow terminal. */
int out_send_help(struct out *o);

/*
 * Write the current part of an endless answer, without an envelope, and clear
 * it.  Returns the same as out_send.
 */
int out_flush(struct out *o);

/* The exit status of a failure. */
int out_status(const struct out *o, enum failure failure);

/* Report the failure instead of the answer.  Returns the exit status. */
int out_fail(struct out *o, enum failure failure, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a fault of the home library. */
int out_fault(struct out *o, const struct fault *f);

/* Print a note on standard error, beside the answer. */
void out_note(const struct out *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
