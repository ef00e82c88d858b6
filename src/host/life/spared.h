#ifndef TEND_HOST_LIFE_SPARED_H
#define TEND_HOST_LIFE_SPARED_H

#include <stdbool.h>

struct proc;
struct session;

/*
 * True if a process below our keeper outlives the session: a host of ours, or
 * the keeper of a session that was started from within ours.
 *
 * The name of a process proves nothing.  A program of a confined session that
 * called itself tend-keeper would outlive its session, and then be confined no
 * more.  So there a keeper must run our keeper's program or be in a
 * session.json of our home, and must confine its own session.
 */
bool spared_is(const struct session *session, const struct proc *p);

#endif
