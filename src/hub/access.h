#ifndef TEND_HUB_ACCESS_H
#define TEND_HUB_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access;
struct error;
struct home;
struct identity;

#define ACCESS_FILE "policy.json"

/*
 * The permissions of an identity: those of its credential, limited by the
 * policy of the target (docs/policy.md).  The owner needs no policy.  An identity
 * whose credential was ended, or whose time is over, has none, so everything
 * that lasts asks again when rights change (hub_on_reconsider).
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

/* The permissions on the home: new sessions, tokens and so on. */
unsigned access_home(const struct access *a, const struct identity *who);

/* True if the identity may use every session: no list needs a filter. */
bool access_sees_all(const struct identity *who);

/*
 * The part of a limit of all clients that this one may use: three quarters if it
 * does not act for the owner, or only for certain sessions.  So no guest keeps
 * the owner out.
 */
size_t access_share(const struct identity *who, size_t max);

/* False if its credential was ended, or its time is over. */
bool access_is_valid(const struct access *a, const struct identity *who);

/*
 * This credential was ended.  It is remembered for those who still use it: the
 * newest ACCESS_ENDED are, and a reconsideration follows at once.
 */
#define ACCESS_ENDED 1024
void access_end(struct access *a, const char *credential);

/*
 * The earliest end, in ms of CLOCK_REALTIME, of the identities that were asked
 * about since access_forget_ends; 0: none of them ends.
 */
int64_t access_next_end(const struct access *a);
void access_forget_ends(struct access *a);

#endif
