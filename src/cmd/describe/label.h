#ifndef TEND_CMD_DESCRIBE_LABEL_H
#define TEND_CMD_DESCRIBE_LABEL_H

#include <stdbool.h>

struct error;
struct manifest;

/* Labels as they are written on a command line: KEY=VALUE. */

/* Set it, or remove it when VALUE is empty; -EINVAL and why. */
int label_set(struct manifest *m, const char *text, struct error *err);

/* Whether the session has it; KEY alone: with any value. */
bool label_matches(const struct manifest *m, const char *text);

#endif
