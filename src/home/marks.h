#ifndef TEND_HOME_MARKS_H
#define TEND_HOME_MARKS_H

#include <stdint.h>

struct fault;
struct handle;
struct json_out;

/* The moments of a session that were given a name, from its log. */
struct mark {
	uint64_t seq, time_ns;
	const char *by, *name;
};

typedef void marks_fn(void *arg, const struct mark *m);

/* Call fn for each, the oldest first. */
int marks_each(struct handle *h, marks_fn *fn, void *arg, struct fault *f);

/* The array of all of them. */
int marks_json(struct handle *h, struct json_out *j, struct fault *f);

#endif
