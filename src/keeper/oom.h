#ifndef TEND_KEEPER_OOM_H
#define TEND_KEEPER_OOM_H

/*
 * How readily the kernel ends this process when memory runs out: from -1000,
 * never, to 1000.  A failure to set it is of no consequence: only the
 * privileged may ask for less than they were given.
 */
int oom_score(void);
void oom_set_score(int score);

#endif
