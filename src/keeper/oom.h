#ifndef TEND_KEEPER_OOM_H
#define TEND_KEEPER_OOM_H

/*
 * The kernel's preference for ending this process when memory runs out: from
 * -1000, never, to 1000.  Setting it may fail without harm: only privileged
 * processes may lower it.
 */
int oom_score(void);
void oom_set_score(int score);

#endif
