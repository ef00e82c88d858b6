#ifndef TEND_HOST_ASK_WAITS_H
#define TEND_HOST_ASK_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct condition;
struct error;
struct op_call;
struct server;
struct session;
struct vt_event;

/*
 * Clients that wait for a condition of the screen (session.wait): one wait for
 * each connection, or with `parallel` one for each request under way.  Waits
 * are checked at every frame, when the screen changes in another way, when one
 * of their times has come, and at the session's end.
 *
 * A match counts if it is new and not an echo.  The host's ledger
 * (op/ledger.h) decides that; it is updated at every frame, even when no
 * client waits.
 *
 * A wait that names an event (`after`) may begin after frames that it should
 * have seen, and a new host has seen no earlier frame.  Such frames are read
 * from the log, up to WAITS_BACK bytes of output after the event.
 */
struct waits;

#define WAITS_BACK (256u << 10)

struct waits *waits_create(struct session *session, struct server *server);
void waits_destroy(struct waits *w); /* NULL is fine */

/*
 * Begin a wait, and take ownership of the condition.  Returns 0 if the result
 * is there already, REQUEST_LATER, or -errno and the reason.
 */
int waits_begin(struct waits *w, struct op_call *call, struct condition *c,
    struct error *err);

/* The connection was closed: drop its waits. */
void waits_forget(struct waits *w, uint64_t client);

/* Another host takes over, and the client knows it: it may ask that host. */
void waits_leave(struct waits *w, uint64_t client);

/*
 * True if a wait must see text that is gone by the next frame.  Then the
 * engine is fed in slices (vt/slice.h), and waits_slice is called after each.
 */
bool waits_want_slices(const struct waits *w);
void waits_slice(struct waits *w);

/*
 * The engine has processed output, event `seq` of the log (0: not logged).
 * `frame`: the screen is a complete frame.
 */
void waits_output(struct waits *w, uint64_t seq, bool frame);

/* A client has typed these bytes, and they are not secret. */
void waits_typed(struct waits *w, const uint8_t *p, size_t len);

/* The terminal's size has changed. */
void waits_resized(struct waits *w);

/* Called from inside the engine for an event of the program. */
void waits_event(struct waits *w, const struct vt_event *ev);

/* The engine was replaced. */
/* The activity of the agent in the session has changed. */
void waits_activity(struct waits *w);

void waits_engine_changed(struct waits *w);

/* Called at the end of each turn, before answers are sent. */
void waits_settle(struct waits *w);

/*
 * The ledger may be one frame behind the screen.  Bring it up to date after
 * answers were sent, and before anything changes the screen.
 */
void waits_catch_up(struct waits *w);

#endif
