#ifndef TEND_CMD_LOOK_TROUBLE_H
#define TEND_CMD_LOOK_TROUBLE_H

struct buf;
struct manifest;

/*
 * What is wrong with a session, in words: what happened, what it means, and the
 * command that helps; nothing for a session that is well.  `unlogged` is why the
 * log is behind now, or NULL.  Pure.
 */
void trouble_put(const struct manifest *m, const char *unlogged,
    struct buf *out);

#endif
