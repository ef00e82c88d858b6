#ifndef TEND_CMD_ATTACHING_H
#define TEND_CMD_ATTACHING_H

struct attach_options;
struct call;

/*
 * Attach to the session of the target; the exit status, that of a failure
 * after it was reported.
 */
int attaching_run(struct call *call, const struct attach_options *o);

#endif
