#ifndef TEND_HUB_ACCESS_H
#define TEND_HUB_ACCESS_H

struct access;
struct error;
struct home;
struct identity;

#define ACCESS_FILE "policy.json"

/*
 * The permissions of an identity: those of its credential, limited by the
 * policy of the target (docs/policy.md).  The owner needs no policy.
 */
struct access *access_create(void);
void access_destroy(struct access *a); /* NULL is fine */

/*
 * Read HOME/policy.json; without that file, everybody but the owner is denied.
 * If it cannot be read, -errno and err: the policy stays as it was.
 */
int access_load(struct access *a, const struct home *home, struct error *err);

/*
 * The permissions on a session, a bit 1 << OP_… each.  0: the session is
 * invisible, and the answer is that for a session that does not exist.
 */
unsigned access_permissions(const struct access *a, const struct identity *who,
    const char *id, const char *name);

/* The permissions on the home: lists, new sessions, tokens and so on. */
unsigned access_home(const struct access *a, const struct identity *who);

#endif
