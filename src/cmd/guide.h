#ifndef TEND_CMD_GUIDE_H
#define TEND_CMD_GUIDE_H

struct out;

/*
 * What `tend` alone says: the way from nothing to a session that was left, come
 * back to, rewound and stopped; and how many run.  The exit status.  The README
 * walks the same way, and tests/it/test_readme.py with it.
 */
int guide(struct out *out, const char *home_option);

#endif
