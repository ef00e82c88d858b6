#ifndef TEND_SESSION_VISIT_H
#define TEND_SESSION_VISIT_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct home;

/*
 * What whoever came to a session last brought along: the variables that name
 * the display, the SSH connection and their like, which a program that
 * outlives its visitors cannot keep by itself (docs/session.md).
 *
 *	sessions/ID/ssh-auth.sock	a link to the visitor's SSH agent
 *	sessions/ID/visit.env		KEY=VALUE, each ended by a NUL
 *
 * Whoever starts a session is its first visitor, and each attach is one; the
 * client itself writes, by renaming over what is there, so that it needs no
 * host and an older one serves as well.
 */
#define VISIT_LINK "ssh-auth.sock"
#define VISIT_VALUE_MAX 4096

/* The names of the variables, ended by NULL. */
extern const char *const visit_names[];

/*
 * Note a visit.  An agent's socket that is not there leaves the link as it is.
 * -EACCES when the session is another user's, for root leaves nothing behind;
 * other failures are of the disk.
 */
int visit_note(int dirfd, char *const *env);

/*
 * What was noted, as NUL-terminated KEY=VALUE and NULL behind them; freed by
 * visit_free.  NULL and why: nobody has come yet.
 */
char **visit_read(int dirfd, struct error *err);
void visit_free(char **env);

/*
 * The path of the link, for SSH_AUTH_SOCK.  False when no socket address can
 * hold it, and no program could use it.
 */
bool visit_link_path(const struct home *h, const char *id, char *out,
    size_t size);

#endif
