#ifndef TEND_HOME_VARIABLES_H
#define TEND_HOME_VARIABLES_H

#include <stdbool.h>

struct fault;
struct handle;
struct json_out;

/*
 * The variables of a session: those that its last visitor brought (visit.h),
 * or the environment that its program was started with.
 */
enum variables_of { VARIABLES_OF_VISITOR, VARIABLES_OF_PROGRAM };

/* A value is NULL when the visitor had none. */
typedef void variables_fn(void *arg, const char *name, const char *value);

int variables_each(const struct handle *h, enum variables_of of,
    variables_fn *fn, void *arg, struct fault *f);

/* The object of all of them. */
int variables_json(const struct handle *h, enum variables_of of,
    struct json_out *j, struct fault *f);

#endif
