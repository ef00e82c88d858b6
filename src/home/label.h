#ifndef TEND_HOME_LABEL_H
#define TEND_HOME_LABEL_H

#include <stdbool.h>

struct error;
struct manifest;

/* Labels written as KEY=VALUE. */

/* Set the label, or remove it if VALUE is empty; or -EINVAL and the error. */
int label_set(struct manifest *m, const char *text, struct error *err);

/* Set the label; an empty VALUE is an error. */
int label_add(struct manifest *m, const char *text, struct error *err);

/*
 * True if the session has all labels; KEY alone matches any value.  NULL ends
 * the list; NULL is an empty list.
 */
bool label_matches_all(const struct manifest *m, const char *const *texts);

#endif
