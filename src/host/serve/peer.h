#ifndef TEND_HOST_SERVE_PEER_H
#define TEND_HOST_SERVE_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "log/by.h"
#include "op/ops.h"
#include "session/around.h"

struct confinement;
struct error;
struct hello;

/*
 * The process at the other end of a connection, as the kernel tells it: its user,
 * and the sessions that it is in.  It is `session:ID` inside of one, else `uid:N`.
 *
 * A confined session's process may only do what every session around it allows.
 * A peer whose sessions cannot be told is allowed nothing: it may have been made
 * to look so.  That is one that has ended already, or is in a PID namespace that
 * this host does not see, or has hidden itself or a parent.
 */
struct peer {
	uid_t uid;
	pid_t pid; /* 0: not visible here */
	char name[BY_PEER_SIZE];
	struct around around;
};

/* False when the kernel does not tell, or it is neither our user nor root. */
bool peer_find(struct peer *p, int fd);
void peer_finish(struct peer *p);

/*
 * Whom the first line names, beside the peer, as `by`.  A peer in a session can
 * name nobody else, and nobody can name a user or a session: -EACCES and why.
 */
int peer_claim(const struct peer *p, const struct hello *h, char by[BY_SIZE],
    struct error *err);

/* Whether it may do this to the session; -EACCES and why, and what to do. */
int peer_check(const struct peer *p, const struct confinement *target,
    const char *name, enum op_permission permission, struct error *err);

/* Whether it may do anything at all to it; the same. */
int peer_check_any(const struct peer *p, const struct confinement *target,
    const char *name, struct error *err);

#endif
