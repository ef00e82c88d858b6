#ifndef TEND_POLICY_POLICY_H
#define TEND_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct policy;

/*
 * The policy of a home: which principals may do what with which sessions.
 * docs/policy.md describes the file.  Everything that it does not allow is
 * denied; the owner of the home needs no permission.
 *
 * Limits: POLICY_MAX bytes of JSON, POLICY_RULES_MAX rules in all.
 */
#define POLICY_MAX (1u << 20)
#define POLICY_RULES_MAX 4096

/* Read a policy; NULL and the place of the mistake. */
struct policy *policy_read(const char *json, size_t len, struct error *err);
void policy_destroy(struct policy *p); /* NULL is fine */

/*
 * The permissions (1 << OP_…) of a principal, KIND:NAME, on the session of this
 * name, and on the home itself.  Without a policy (NULL) there are none.
 */
unsigned policy_permissions(const struct policy *p, const char *principal,
    const char *target);
unsigned policy_home(const struct policy *p, const char *principal);

#endif
