#ifndef TEND_HUB_FOLLOW_H
#define TEND_HUB_FOLLOW_H

struct follow;
struct hub;

/*
 * Keeps the hub's directory up to date by the files of the home, without a
 * connection to any session.  The kernel reports when a session appears or
 * disappears, and when its host renames a new session.json into place
 * (inotify).
 *
 * A killed process writes nothing, and the kernel may report nothing: the
 * limit of watches is reached, its queue has overflowed, or the disk is another
 * machine's.  So a round also looks at every session: its session.json is read
 * again if it is another file than before, or if its keeper or host has gone;
 * every FOLLOW_DEEP rounds it is read in any case.  A round takes FOLLOW_ROUND_MS,
 * and longer in a home with thousands of sessions (FOLLOW_SLICE each
 * FOLLOW_TICK_MS).  After an overflow the next round is done at once, but not
 * within FOLLOW_AGAIN_MS of the last.
 *
 * If the home itself is replaced, the hub ends: its lock, its socket and its
 * credentials are in a directory that nobody finds any more.
 */
#define FOLLOW_ROUND_MS 5000
#define FOLLOW_TICK_MS 500
#define FOLLOW_SLICE 256
#define FOLLOW_DEEP 12
#define FOLLOW_AGAIN_MS 1000

/* Read the home, in the next turns; then hub->ready becomes true. */
struct follow *follow_create(struct hub *hub);
void follow_destroy(struct follow *f); /* NULL is fine */

/*
 * Bring the directory up to date now: a client that has just seen a change must
 * not find less in a list.
 */
void follow_catch_up(struct follow *f);

/* The same for what the kernel has reported, and for this session. */
void follow_look(struct follow *f, const char *id);

#endif
