#ifndef TEND_HOST_LIFE_KEEPER_GONE_H
#define TEND_HOST_LIFE_KEEPER_GONE_H

struct ending;
struct session;

/*
 * A session whose keeper has died.  The host's own descriptor keeps the
 * terminal, and with it the program, alive; the host reads the terminal into
 * the ring as the keeper did, so everything behind the ring stays as it is.
 * The program is nobody's child any more: that it ended can be seen, but not
 * how.
 */
struct keeper_gone;

struct keeper_gone *keeper_gone_create(struct session *session,
    struct ending *ending);
void keeper_gone_destroy(struct keeper_gone *u); /* NULL is fine */

#endif
