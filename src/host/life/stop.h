#ifndef TEND_HOST_LIFE_STOP_H
#define TEND_HOST_LIFE_STOP_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct server;
struct session;

/*
 * Ends a session's processes.  To signal the program alone is not enough: an
 * interactive shell ignores SIGTERM, and its background jobs have process
 * groups of their own and survive it.  So all processes of the session get a
 * signal, and after the grace period all are killed, with the orphans that the
 * keeper has adopted.
 */
struct stop;

struct stop *stop_create(struct session *session, struct server *server);
void stop_destroy(struct stop *s); /* NULL is fine */

/*
 * The functions with `by` act for a client ("uid:1000", at most 255 bytes) and
 * log that; on failure they return -errno and the reason.  They return at
 * once; server_ended() reports the end.
 */

/* Send a signal to the program's process group; -ESRCH after its end. */
int stop_signal(struct stop *s, int signo, const char *by, struct error *err);

/*
 * End the session: with `interrupt` first Ctrl-C, then a signal that asks all
 * of its processes to end, and after grace_ms SIGKILL.  A second call can only
 * shorten the time.
 */
#define STOP_GRACE_MS 5000
int stop_politely(struct stop *s, uint32_t grace_ms, bool interrupt,
    const char *by, struct error *err);

/* Like stop_politely, but the session is `destroyed` when it has ended. */
int stop_and_destroy(struct stop *s, uint32_t grace_ms, const char *by,
    struct error *err);

int stop_kill(struct stop *s, const char *by, struct error *err);

/* Kill all processes of the session, without an event. */
void stop_now(struct stop *s);

/*
 * Kill the processes that the program left behind; its exit status is known.
 */
void stop_leftovers(struct stop *s);

/*
 * The program has ended.  If we were stopping it, or if the session is
 * confined, kill the processes that it left behind: without their keeper they
 * would be confined no more.
 */
void stop_ended(struct stop *s);

#endif
