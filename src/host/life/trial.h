#ifndef TEND_HOST_LIFE_TRIAL_H
#define TEND_HOST_LIFE_TRIAL_H

struct control;
struct error;

/*
 * A host that is started beside another, to follow it.  It does what it will
 * have to do, the parts that may fail: the ring, session.json, the screen from
 * the log; but it changes nothing, for all of that is still the other's.  Then
 * it says READY and waits for the word to begin, the second HELLO.
 *
 * 0 and that HELLO, or -errno and why, which the keeper was told as well.
 */
int trial_run(int control, int dirfd, struct control *hello, struct error *err);

#endif
