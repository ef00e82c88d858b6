#ifndef TEND_HOME_VARIABLES_H
#define TEND_HOME_VARIABLES_H

#include <stdbool.h>

struct fault;
struct handle;
struct json_out;

/*
 * The variables of a session: those of its last visitor (visit.h), or the
 * environment with which its program started.
 */
enum variables_of { VARIABLES_OF_VISITOR, VARIABLES_OF_PROGRAM };

/* value is NULL if the visitor did not have the variable. */
typedef void variables_fn(void *arg, const char *name, const char *value);

int variables_each(const struct handle *h, enum variables_of of,
    variables_fn *fn, void *arg, struct fault *f);

/* All variables as an object. */
int variables_json(const struct handle *h, enum variables_of of,
    struct json_out *j, struct fault *f);

#endif
