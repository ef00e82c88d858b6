#ifndef TEND_CMD_UPKEEP_REPLACING_H
#define TEND_CMD_UPKEEP_REPLACING_H

struct buf;
struct call;
struct fault;
struct manifest;
struct next_host;

/*
 * The answer of commands that replace the host of a session: the common part of
 * `upgrade` and `revive`.
 */

/* Add one line about this session. */
void replacing_words(const struct next_host *n, const struct manifest *m,
    struct buf *out);

/*
 * Answer with the outcome for the call's session, or with the fault if rc is
 * negative.  Returns the exit status.
 */
int replacing_answer(struct call *call, int rc, const struct next_host *n,
    const struct fault *f);

#endif
