#ifndef TEND_HUB_STORE_H
#define TEND_HUB_STORE_H

#include <jansson.h>

#include "hub/identity.h"

struct error;
struct home;
struct loop;
struct store;

/*
 * HOME/tend.db: the credentials of the hub and its audit (SQLite, WAL).  One
 * thread uses it, in the order of the calls, so a slow disk never stops the
 * loop; the loop calls back with the result.
 *
 * Secrets are stored as hashes.  A database that cannot be read is an error, and
 * is never replaced.  Limits: STORE_QUEUE calls wait, and further ones fail with
 * -EAGAIN; there are at most STORE_MAX credentials, and STORE_CHILDREN_MAX that
 * come from one (browsers that use one link), and further ones fail with -EDQUOT;
 * STORE_AUDIT_MAX entries of the audit are kept, the newest.  Credentials whose
 * time is over are removed.
 */
#define STORE_MAX 10000
#define STORE_CHILDREN_MAX 100
#define STORE_FILE "tend.db"
#define STORE_QUEUE 4096
#define STORE_AUDIT_MAX 100000

struct store *store_open(struct loop *loop, const struct home *home,
    struct error *err);            /* NULL and err */
void store_close(struct store *s); /* ends its calls first; NULL is fine */

/*
 * The id of this database, eight hexadecimal digits of chance: logins in it are
 * not those of another hub, even at the same path of another machine.
 */
#define STORE_ID_SIZE 9
const char *store_id(const struct store *s);

/*
 * Every call: fn is called once, later, from the loop, unless the store is
 * closed.  rc is 0 or -errno; -ENOENT: there is no such credential, or it has
 * ended.
 */
typedef void store_done_fn(void *arg, int rc, json_t *result);

/* A kind of credential, and the prefix of its secret. */
enum store_kind {
	STORE_TOKEN,  /* of a program */
	STORE_CODE,   /* of `tend hub login`: used once, becomes a cookie */
	STORE_COOKIE, /* of a browser, with a key */
	STORE_SHARE,  /* of one session */
	STORE_KINDS
};

/*
 * Add a credential.  who->credential gets its id; `secret`, and for a cookie
 * `key`, are the texts to hand out.  -ENOENT: its parent has ended.
 */
struct store_new {
	enum store_kind kind;
	struct identity who; /* until_ms included */
	const char *label;
	const char *parent; /* the credential it comes from; NULL: none */
	const char *secret, *key;
};
void store_add(struct store *s, const struct store_new *n, store_done_fn *fn,
    void *arg);

/*
 * Find a credential by its secret and, for a cookie, its key.  A code is removed
 * by that.  *who is filled in before fn is called with 0.
 */
void store_verify(struct store *s, enum store_kind kind, const char *secret,
    const char *key, struct identity *who, store_done_fn *fn, void *arg);

/*
 * The credentials of a kind that have not ended, as a list of objects.  Cookies
 * that come from no link count as tokens, here and for store_revoke.
 */
void store_list(struct store *s, enum store_kind kind, store_done_fn *fn,
    void *arg);

/*
 * End a credential of this kind, and those that came from it.  The result is the
 * list of their ids.
 */
void store_revoke(struct store *s, enum store_kind kind, const char *id,
    store_done_fn *fn, void *arg);

/* ------------------------------------------------------------------- audit */

/* An entry: everything but `began_ms` may be "" or 0. */
struct store_entry {
	char id[32];
	int64_t began_ms; /* CLOCK_REALTIME */
	int64_t ended_ms; /* 0: it goes on */
	const char *principal, *verified, *credential, *from;
	const char *what; /* an operation, or "observe" */
	const char *session, *name, *mode, *outcome;
};

/* Add an entry, or replace the one with this id. */
void store_audit(struct store *s, const struct store_entry *e,
    store_done_fn *fn, void *arg);

/*
 * The newest entries, at most `limit`, newest first.  principal and session
 * ("": any) select; so does since_ms.
 */
void store_audit_list(struct store *s, const char *principal,
    const char *session, int64_t since_ms, unsigned limit, store_done_fn *fn,
    void *arg);

#endif
