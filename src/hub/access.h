#ifndef TEND_HUB_ACCESS_H
#define TEND_HUB_ACCESS_H

struct access;
struct identity;
struct policy;

/*
 * The permissions of an identity: those of its credential, limited by the
 * policy of the target (docs/policy.md).  The owner needs no policy.
 */

/*
 * The permissions on a session, a bit 1 << OP_… each.  0: the session is
 * invisible, and the answer is that for a session that does not exist.
 */
unsigned access_permissions(const struct access *a, const struct identity *who,
    const char *id, const char *name);

/* The permissions on the home: lists, new sessions, tokens and so on. */
unsigned access_home(const struct access *a, const struct identity *who);

#endif
