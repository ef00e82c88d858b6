#ifndef TEND_HOME_LANE_H
#define TEND_HOME_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/list.h"

struct channel;
struct channel_answer;
struct lane;
struct loop;

/*
 * The calls to the hosts of sessions, on a loop.  Calls of one principal to one
 * session reach its host in the order in which they came.
 *
 * These calls share a channel (client/channel.h).  Without calls it is closed:
 * at once, or after linger_ms, since opening one takes longer than most calls.
 * At most LANES_IDLE channels linger; the one that has done so longest is closed
 * then.  A long call, one with a timeout, has a channel of its
 * own.  So a session.exec that runs does not hold up a session.send, as it
 * would on the same connection, and a session.wait ends in the host when its
 * channel is destroyed.  To keep the order between channels, a long call waits
 * for the answers of all earlier calls that are not long; every call waits
 * until the host has begun the long calls before it.  A session.get behind the
 * long call shows that: a host begins the requests of a connection in order.
 */
#define LANES_IDLE 64
struct lanes {
	struct loop *loop;
	const char *client; /* our name for hosts; the caller keeps it */
	int64_t linger_ms;  /* 0: a channel is closed after its last call */
	struct list list;   /* struct lane */
	struct list idle;   /* those without calls, the oldest first */
	unsigned n_idle;
};

struct asking;
typedef void asking_answer_fn(struct asking *a, const struct channel_answer *r);

/* A call to a host. */
struct asking {
	/* The caller sets these and keeps the texts: */
	const char *op;
	const char *args;                 /* a JSON object as text */
	const char *principal, *verified; /* as in a hello; NULL: none */
	bool is_long;
	/* Called once, from the loop; the call has left its lane. */
	asking_answer_fn *on_answer;
	/* It is its turn (false); a host has begun the long call (true). */
	void (*on_progress)(struct asking *a, bool begun);

	/* Private: */
	struct list link;
	struct lane *lane;   /* NULL: it is in none */
	struct channel *own; /* of a long call */
	uint64_t request;
	bool posted, begun;
	bool open;   /* a host has welcomed the own channel */
	bool serial; /* that host has no `parallel` */
	int rc;      /* the request was refused here: -errno and */
	struct error err;
};

void lanes_init(struct lanes *l, struct loop *loop, const char *client,
    int64_t linger_ms);
void lanes_finish(struct lanes *l); /* when no calls are left */

/* True if there is a connection for the calls of this principal. */
bool lanes_has(const struct lanes *l, const char *id, const char *principal,
    const char *verified);

/*
 * Call the host of the session with this id.  *dirfd, the session's directory,
 * moves into the lane; -1 if lanes_has.  on_answer is not called from here.
 */
void lane_ask(struct lanes *l, const char *id, int *dirfd, struct asking *a);

/*
 * Leave before the answer: on_answer is not called.  The host ends the waits of
 * a connection that has ended; anything else that has begun is carried out.
 */
void lane_leave(struct asking *a);

#endif
