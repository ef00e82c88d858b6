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
 * The process at the other end of a connection, as the kernel reports it: its
 * user and the sessions that it runs in.  Its name is `session:ID` inside a
 * session, otherwise `uid:N`.
 *
 * A process in a confined session may only do what every session around it
 * allows.  A peer whose sessions cannot be determined is allowed nothing,
 * because it may hide them on purpose: it has ended already, is in a PID
 * namespace that this host does not see, or has hidden itself or a parent.
 */
struct peer {
	uid_t uid;
	pid_t pid; /* 0: not visible here */
	char name[BY_PEER_SIZE];
	struct around around;
	bool busy; /* there was no descriptor to look with; it may try again */
};

/*
 * False if the kernel does not report it, or if it is neither our user nor
 * root.
 */
bool peer_find(struct peer *p, int fd);
void peer_finish(struct peer *p);

/*
 * Set `by` to the peer and the principal that its first line claims.  A peer
 * in a session cannot claim another principal, and no peer can claim a user or
 * a session: -EACCES and the reason.
 */
int peer_claim(const struct peer *p, const struct hello *h, char by[BY_SIZE],
    struct error *err);

/*
 * Check that the peer may do this to the session; -EACCES, the reason and the
 * next step.
 */
int peer_check(const struct peer *p, const struct confinement *target,
    const char *name, enum op_permission permission, struct error *err);

/*
 * Check that the peer may do anything at all to the session; like peer_check.
 */
int peer_check_any(const struct peer *p, const struct confinement *target,
    const char *name, struct error *err);

#endif
