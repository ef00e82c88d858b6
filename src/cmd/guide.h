#ifndef TEND_CMD_GUIDE_H
#define TEND_CMD_GUIDE_H

struct out;

/*
 * The output of `tend` without arguments: how to start, leave, reattach, rewind
 * and stop a session, and how many sessions run.  Returns the exit status.  The
 * README shows the same steps, and tests/it/test_readme.py runs them.
 */
int guide(struct out *out, const char *home_option);

#endif
