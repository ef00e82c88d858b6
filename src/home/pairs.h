#ifndef TEND_HOME_PAIRS_H
#define TEND_HOME_PAIRS_H

#include <jansson.h>

struct fault;

/*
 * An argument that is an object of strings, as an array of KEY=VALUE that NULL
 * ends; an argument that is an array of strings, likewise.  The caller's, freed
 * by pairs_free; NULL when it is not given.  -1 and the fault when it is
 * something else.
 */
int pairs_of_object(const json_t *args, const char *name, char ***out,
    struct fault *f);
int pairs_of_array(const json_t *args, const char *name, char ***out,
    struct fault *f);
void pairs_free(char **pairs); /* NULL is fine */

#endif
