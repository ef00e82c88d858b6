#ifndef TEND_HOME_LABEL_H
#define TEND_HOME_LABEL_H

#include <stdbool.h>

struct error;
struct manifest;

/* Labels written as KEY=VALUE. */

/* Set it, or remove it when VALUE is empty; -EINVAL and why. */
int label_set(struct manifest *m, const char *text, struct error *err);

/* Whether the session has it; KEY alone: with any value. */
bool label_matches(const struct manifest *m, const char *text);

/* Whether it has all of them; NULL ends the list, and NULL is an empty one. */
bool label_matches_all(const struct manifest *m, const char *const *texts);

#endif
