#ifndef TEND_SESSION_VISIT_H
#define TEND_SESSION_VISIT_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct home;

/*
 * The environment of a session's last visitor: the variables that name the
 * display, the SSH connection and so on.  A program that outlives its visitors
 * cannot keep them up to date itself (docs/session.md).
 *
 *	sessions/ID/ssh-auth.sock	a link to the visitor's SSH agent
 *	sessions/ID/visit.env		KEY=VALUE, each ended by a NUL
 *
 * The first visitor is the client that starts the session; each attach is
 * another.  The client itself writes these files, by rename(2), so it needs no
 * host, and older hosts work as well.
 */
#define VISIT_LINK "ssh-auth.sock"
#define VISIT_VALUE_MAX 4096

/* The names of the variables, ended by NULL. */
extern const char *const visit_names[];

/*
 * Record a visit.  If the agent's socket does not exist, the link stays
 * unchanged.  -EACCES if the session is another user's: root writes nothing
 * there.  Other failures come from the disk.
 */
int visit_note(int dirfd, char *const *env);

/*
 * The recorded variables as KEY=VALUE, ended by NULL; free them with
 * mem_free_list.  NULL with err if there was no visit yet.
 */
char **visit_read(int dirfd, struct error *err);

/*
 * The path of the link, for SSH_AUTH_SOCK.  False if it is too long for a
 * socket address, so no program could use it.
 */
bool visit_link_path(const struct home *h, const char *id, char *out,
    size_t size);

#endif
