#ifndef TEND_CMD_LOOK_PROBLEMS_H
#define TEND_CMD_LOOK_PROBLEMS_H

struct buf;
struct manifest;

/*
 * Describe the problems of a session: what happened, what it means, and the
 * command that helps.  A healthy session has no text.  `unlogged` is the reason
 * why the log is behind now, or NULL.  Pure.
 */
void problems_put(const struct manifest *m, const char *unlogged,
    struct buf *out);

#endif
