#ifndef TEND_HOME_OUTPUT_H
#define TEND_HOME_OUTPUT_H

#include <stdbool.h>

struct buf;
struct fault;
struct handle;
struct report;

/* A session's log, or part of it, as a stream. */
enum output_form {
	OUTPUT_TEXT,   /* the lines that a terminal would show */
	OUTPUT_RAW,    /* every byte that the program wrote */
	OUTPUT_EVENTS, /* everything that happened, a JSON object a line */
};

struct output {
	enum output_form form;
	const char *from, *to; /* moments (when.h); NULL: start and end */
	const char *lines;     /* only the last so many; NULL: all of them */
	bool follow;           /* go on until the session ends */
};

/*
 * The reader of the stream.  Output is gathered in *buf; `flush` takes all of
 * it and clears the buffer.  It returns 0, or a positive number to stop.
 * `wait` is for `follow`: it waits until fd (-1: none) is readable or the time
 * is over, and returns false to stop.
 */
struct output_to {
	struct buf *buf;
	int (*flush)(void *arg);
	bool (*wait)(void *arg, int fd, int ms);
	void *arg;
};

/*
 * Read it from the session's files, whether it runs or not.  0; what `flush`
 * returned to stop; or -1 and the fault.  After damage the fault is of
 * FAIL_REPLAY, and all that is left was written before.  It ends early when
 * handle.cancel_fd becomes readable.
 */
int output_run(struct handle *h, const struct output *q,
    const struct output_to *to, struct report *r, struct fault *f);

/* Whether the request is well formed; output_run does this first. */
int output_check(const struct output *q, struct fault *f);

#endif
