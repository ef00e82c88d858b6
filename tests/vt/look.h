#ifndef TEND_TESTS_VT_LOOK_H
#define TEND_TESTS_VT_LOOK_H

#include <stdbool.h>

struct buf;
struct error;
struct rig;

/*
 * Answer the question `?name arg` in the canonical spelling, the one that
 * expectations are brought into: comparing is comparing text, and what a
 * failure prints can be read, and pasted, as an expectation.  -EINVAL and a
 * reason when there is no such question.
 */
int look(struct rig *rig, const char *name, const char *arg, struct buf *out,
    struct error *err);

/* True if the answer means something in the rig's present way. */
bool look_applies(const struct rig *rig, const char *name);

/* The screen for a person, every line begun with prefix. */
void look_screen(struct rig *rig, const char *prefix, struct buf *out);

#endif
