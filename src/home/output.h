#ifndef TEND_HOME_OUTPUT_H
#define TEND_HOME_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct fault;
struct handle;
struct report;

/* A session's log, or a part of it, as a stream. */
enum output_form {
	OUTPUT_TEXT,   /* the lines as a terminal would show them */
	OUTPUT_RAW,    /* all bytes that the program wrote */
	OUTPUT_EVENTS, /* all events, one JSON object per line */
};

struct output {
	enum output_form form;
	const char *from, *to; /* moments (when.h); NULL: start and end */
	const char *lines;     /* only the last N lines; NULL: all of them */
	bool follow;           /* continue until the session ends */
	bool no_output;        /* events: only those that are no output */
};

/*
 * The end of the part that was read.  A read from there continues without a gap
 * or a repetition, also while the log grows.
 */
struct output_end {
	bool known;   /* false: nothing was read, so ask for the same again */
	uint64_t seq; /* of the last event that was read completely */
	uint64_t offset; /* of the next byte of output */
};

/*
 * The reader of the stream.  Output collects in *buf; `flush` consumes all of
 * it and clears the buffer.  It returns 0, or a positive number to stop.
 * `follow` uses `wait`, which waits until fd (-1: none) is readable or for the
 * timeout, and returns false to stop.
 */
struct output_to {
	struct buf *buf;
	int (*flush)(void *arg);
	bool (*wait)(void *arg, int fd, int ms);
	void *arg;
	struct output_end *end; /* set after a success; NULL: not needed */
};

/*
 * Read the log from the session's files, whether the session runs or not.
 * Returns 0, the positive number with which `flush` stopped it, or -1 and the
 * fault.  After damage the fault is FAIL_REPLAY, and everything readable has
 * been written.  When handle.cancel_fd becomes readable, it is FAIL_CANCELLED.
 */
int output_run(struct handle *h, const struct output *q,
    const struct output_to *to, struct report *r, struct fault *f);

#endif
