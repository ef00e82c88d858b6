#ifndef TEND_HOST_LIFE_TRIAL_H
#define TEND_HOST_LIFE_TRIAL_H

struct control;
struct error;

/*
 * A host that is started beside another, to replace it.  It tries the steps
 * that may fail: the ring, session.json, the screen from the log.  But it
 * changes nothing, because all of that still belongs to the other host.  Then
 * it sends READY and waits for the second HELLO, which tells it to begin.
 *
 * Returns 0 and that HELLO, or -errno and the reason, which the keeper gets
 * too.
 */
int trial_run(int control, int dirfd, struct control *hello, struct error *err);

#endif
