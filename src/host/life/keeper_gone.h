#ifndef TEND_HOST_LIFE_KEEPER_GONE_H
#define TEND_HOST_LIFE_KEEPER_GONE_H

struct ending;
struct session;

/*
 * A session whose keeper has died.  The host's own descriptor keeps the
 * terminal open, and so the program alive.  The host reads the terminal into
 * the ring as the keeper did, so everything behind the ring works as before.
 * The program is not our child: the host sees that it ended, but not its exit
 * status.
 */
struct keeper_gone;

struct keeper_gone *keeper_gone_create(struct session *session,
    struct ending *ending);
void keeper_gone_destroy(struct keeper_gone *u); /* NULL is fine */

#endif
