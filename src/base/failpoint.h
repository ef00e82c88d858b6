#ifndef TEND_BASE_FAILPOINT_H
#define TEND_BASE_FAILPOINT_H

/*
 * Places where a test makes bad luck happen.  Only builds with the option
 * `failpoints` have them; in others they are nothing at all.
 *
 *	TEND_FAILPOINTS=name=kill@3,other=delay:500@1+,third=abort
 *
 * The action is taken at the given hit (1 when none is named; with + at every
 * one from then on): kill (SIGKILL), abort, exit, delay:MS, or error:ERRNO,
 * which failpoint_error() returns.  Hits are counted in each process; with !
 * at the end (kill@3!) only the first process to get there acts.
 *
 *	TEND_FAILPOINT_HITS=FILE
 *
 * gets one line with the name for every hit, so that a test can count them and
 * fail over one that was never reached.  FILE.name is made by who acts with !.
 */
#ifdef TEND_FAILPOINTS
int failpoint_hit(const char *name); /* 0, or the negative errno asked for */
#define failpoint(name) ((void)failpoint_hit(name))
#define failpoint_error(name) failpoint_hit(name)
#else
#define failpoint(name) ((void)0)
#define failpoint_error(name) 0
#endif

#endif
