#ifndef TEND_HUB_VERIFIER_H
#define TEND_HUB_VERIFIER_H

#include <stdbool.h>

#include "hub/store.h"

struct identity;
struct verifier;
struct verifying;

/*
 * Verifies credentials, and remembers verified ones for at most VERIFIER_MS
 * (B-41), and never beyond their end.  A revocation empties the memory.
 */
#define VERIFIER_MS 60000
#define VERIFIER_ENTRIES 256

struct verifier *verifier_create(struct store *store);
void verifier_destroy(struct verifier *v); /* NULL is fine */

/*
 * rc is 0 and who is the identity; -ENOENT: there is no such credential; other
 * -errno: it cannot be told.
 */
typedef void verifier_fn(void *arg, int rc, const struct identity *who);

/*
 * Verify a secret and, for a cookie, its key.  fn is called once: from here if
 * the answer is remembered, and then this returns NULL.
 */
struct verifying *verifier_check(struct verifier *v, enum store_kind kind,
    const char *secret, const char *key, verifier_fn *fn, void *arg);
void verifier_cancel(struct verifying *w); /* fn is not called */

/* Forget everything but the fact that these secrets were valid once. */
void verifier_clear(struct verifier *v);

/*
 * True if this was valid in the last VERIFIER_KNOWN_MS: its owner may prove it
 * again although somebody else fails too often (throttle.h).
 */
#define VERIFIER_KNOWN_MS (60 * 60 * 1000)
bool verifier_knows(const struct verifier *v, enum store_kind kind,
    const char *secret, const char *key);

#endif
