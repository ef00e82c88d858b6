#ifndef TEND_HOST_SERVE_STATUS_WATCH_H
#define TEND_HOST_SERVE_STATUS_WATCH_H

struct server;
struct session;

/*
 * Passes the status that the program reports (OSC 7501) from the engine to the
 * manifest, the log and the viewers.
 *
 * Only changes are noted, at most STATUS_WATCH_PER_S in a second.  When more
 * come, the last one is noted at the end of the second.  So the noted status
 * is never older than that, and a flood of reports costs little.
 *
 * A new host finds the status in the engine, which is restored from the log,
 * and its time in session.json.  If the two differ, the status counts as new.
 */
#define STATUS_WATCH_PER_S 10

struct status_watch;

struct status_watch *status_watch_create(struct session *session,
    struct server *server);
void status_watch_destroy(struct status_watch *w); /* NULL is fine */

/*
 * The status may have changed: the program reported one, or the engine was
 * replaced.
 */
void status_watch_changed(struct status_watch *w);

/* Note pending changes; called before viewers are served. */
void status_watch_settle(struct status_watch *w);

/*
 * The program has ended: note its last status, then clear it.  In the log the
 * event of the end implies that.
 */
void status_watch_end(struct status_watch *w);

#endif
