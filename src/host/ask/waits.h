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
 * Clients that wait for something to be on the screen (session.wait): one for
 * each connection, or with `parallel` one for each of its requests under way.
 * They are looked after when something has
 * happened: at every frame, when the screen changed in another way, when a
 * time has come that one of them waits for, and at the session's end.
 *
 * What they find counts if it is new and no echo, which the host's ledger says
 * (op/ledger.h): it is kept here, at every frame, whether anybody waits or not.
 *
 * A wait that names an event (`after`) may have come too late for a frame
 * between that event and now, and this host too late for all that came before
 * it.  That is looked up in the log, as far as WAITS_BACK bytes of output after
 * the event go.
 */
struct waits;

#define WAITS_BACK (256u << 10)

struct waits *waits_create(struct session *session, struct server *server);
void waits_destroy(struct waits *w); /* NULL is fine */

/*
 * Somebody waits.  The condition becomes ours.  0 when the result is there
 * already, REQUEST_LATER, or -errno and why.
 */
int waits_begin(struct waits *w, struct op_call *call, struct condition *c,
    struct error *err);

/* The connection is gone, and with it what it waits for. */
void waits_forget(struct waits *w, uint64_t client);

/* Another host follows, and the connection knows: it may ask that one. */
void waits_leave(struct waits *w, uint64_t client);

/*
 * Whether somebody wants to see what is gone by the next frame.  Then the
 * engine is fed in slices (vt/slice.h), and this is called after each.
 */
bool waits_want_slices(const struct waits *w);
void waits_slice(struct waits *w);

/*
 * The engine has taken in output, which is event `seq` of the log, 0 if it was
 * left out.  `frame`: what is on the screen now is a frame.
 */
void waits_output(struct waits *w, uint64_t seq, bool frame);

/* Somebody has typed this, and it is no secret. */
void waits_typed(struct waits *w, const uint8_t *p, size_t len);

/* The terminal has another size. */
void waits_resized(struct waits *w);

/* What a program said, from inside the engine. */
void waits_event(struct waits *w, const struct vt_event *ev);

/* The engine was replaced. */
void waits_engine_changed(struct waits *w);

/* At the end of each turn, before answers are sent. */
void waits_settle(struct waits *w);

/*
 * The ledger may be one frame behind the screen.  Bring it up to date: after
 * answers were sent, and before anything changes the screen.
 */
void waits_catch_up(struct waits *w);

#endif
