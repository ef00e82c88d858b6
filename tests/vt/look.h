#ifndef TEND_TESTS_VT_LOOK_H
#define TEND_TESTS_VT_LOOK_H

#include <stdbool.h>

struct buf;
struct error;
struct rig;

/*
 * Answer the question `?name arg` in the canonical spelling.  Expectations are
 * brought into the same spelling, so comparing is comparing text, and the
 * output of a failure can be pasted as an expectation. -EINVAL and a reason if
 * there is no such question.
 */
int look(struct rig *rig, const char *name, const char *arg, struct buf *out,
    struct error *err);

/* True if the answer has a meaning with the rig's present way of feeding. */
bool look_applies(const struct rig *rig, const char *name);

/* The screen for a person; every line begins with prefix. */
void look_screen(struct rig *rig, const char *prefix, struct buf *out);

#endif
