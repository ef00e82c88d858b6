#ifndef TEND_HOME_PERMIT_H
#define TEND_HOME_PERMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "op/ops.h"
#include "session/around.h"

struct error;
struct fault;
struct home;
struct manifest;

/*
 * The limits of a confined session for work on files, which no host checks.
 * The rules are those of a host (confinement.h), with one exception: a program
 * may read about its own session.  A process whose sessions cannot be
 * determined is allowed nothing.
 *
 * This is a boundary against mistakes: a program of the same user can read and
 * write the files itself.
 */
struct permit {
	uint64_t home_dev, home_ino; /* of the home's sessions/ */
	struct around around;        /* the sessions of this process */
};

/* Look at this process and the home.  Call permit_finish afterwards. */
void permit_init(struct permit *p, const struct home *h);
void permit_finish(struct permit *p);

/* Check that the process is certain about its sessions; 0 or -EACCES. */
int permit_certain(const struct permit *p, struct error *err);

/* True if the process may see the session at all. */
bool permit_sees(const struct permit *p, const struct manifest *m);

/*
 * Check that this process may see the session, that it may do this to the
 * session, or that it may do this to a home.  0, or -1 and FAIL_DENIED, with
 * the session around the process, the permission and the next step.
 */
int permit_find(const struct home *h, const struct manifest *m,
    struct fault *f);
int permit_session(const struct home *h, const struct manifest *m,
    enum op_permission permission, struct fault *f);
int permit_home(enum op_permission permission, struct fault *f);

/* The same for all that an operation needs; m is NULL without a session. */
int permit_operation(const struct home *h, const struct manifest *m,
    unsigned needs, struct fault *f);

/* True if the session is the nearest one around this process. */
bool permit_is_own(const struct home *h, const struct manifest *m);

#endif
