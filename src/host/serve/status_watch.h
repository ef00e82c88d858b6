#ifndef TEND_HOST_SERVE_STATUS_WATCH_H
#define TEND_HOST_SERVE_STATUS_WATCH_H

struct server;
struct session;

/*
 * What the program says that it is doing (OSC 7501), from the engine to the
 * manifest, the log and the viewers.
 *
 * Only changes are noted, and at most STATUS_WATCH_PER_S of them in a second:
 * of those in between the last is noted when the second is over, so that what
 * is known is never older than that and a flood of reports costs little.
 *
 * A host that follows another finds the status in the engine, which is made
 * from the log, and since when in session.json; if the two differ, the status
 * is noted as a new one.
 */
#define STATUS_WATCH_PER_S 10

struct status_watch;

struct status_watch *status_watch_create(struct session *session,
    struct server *server);
void status_watch_destroy(struct status_watch *w); /* NULL is fine */

/* It may be another now: the program said so, or the engine is another. */
void status_watch_changed(struct status_watch *w);

/* Before viewers are served: note what is to be noted. */
void status_watch_settle(struct status_watch *w);

/*
 * The program has ended: what it said last is noted, then its status is gone.
 * The event of the end says so in the log.
 */
void status_watch_end(struct status_watch *w);

#endif
