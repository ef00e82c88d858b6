#ifndef TEND_HOME_PAIRS_H
#define TEND_HOME_PAIRS_H

#include <jansson.h>

struct fault;

/*
 * Convert an argument to a NULL-terminated array of strings: an object of
 * strings to KEY=VALUE, or an array of strings.  Free it with pairs_free; it is
 * NULL if the argument is missing.  Returns -1 and the fault for any other
 * value.
 */
int pairs_of_object(const json_t *args, const char *name, char ***out,
    struct fault *f);
int pairs_of_array(const json_t *args, const char *name, char ***out,
    struct fault *f);
void pairs_free(char **pairs); /* NULL is allowed */

#endif
