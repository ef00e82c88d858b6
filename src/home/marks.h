#ifndef TEND_HOME_MARKS_H
#define TEND_HOME_MARKS_H

#include <stdint.h>

struct fault;
struct handle;
struct json_out;

/* The named moments (marks) of a session, from its log. */
struct mark {
	uint64_t seq, time_ns;
	const char *by, *name; /* by: the text of log/by.h */
};

typedef void marks_fn(void *arg, const struct mark *m);

/* Call fn for each mark, oldest first. */
int marks_each(struct handle *h, marks_fn *fn, void *arg, struct fault *f);

/* All marks as an array. */
int marks_json(struct handle *h, struct json_out *j, struct fault *f);

#endif
