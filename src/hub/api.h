#ifndef TEND_HUB_API_H
#define TEND_HUB_API_H

#include <stdbool.h>

#include <jansson.h>

#include "base/id.h"
#include "home/calls.h"

struct api_call;
struct audit_entry;
struct exchange;
struct fault;
struct hub;
struct identity;
struct op;

/*
 * The operations of ops.def for clients of the hub, over HTTP and over the
 * stream.  /api/v1/GROUP/VERB takes the arguments as a JSON object (POST) or, for
 * operations that only read, in the query (GET).  Besides its arguments, an
 * operation on a session takes `session`.
 */

#define API_PATH "/api/v1/"

/*
 * Calls with a timeout of guests (access_share) to one session that are under way;
 * more are refused as busy.  With the viewers of streams, they leave some of the host's
 * connections to the owner.  The same for calls to the home, and its threads.
 */
#define API_GUESTS 48
#define API_GUESTS_HOME 8

/* True if the operation is about one session, and takes `session`. */
bool api_has_session(const struct op *op);

/* The operation of a path; NULL if there is none for HTTP. */
const struct op *api_operation(const char *path);

/* The handler of the routes of operations. */
void api_run(struct exchange *x);

/*
 * Run an operation for an identity.  args has `session` too, and is changed.
 * Returns 0 and *call; then fn is called once, later.  Returns -1 and the fault
 * if it is not allowed: fn is not called.  An invisible session does not exist.
 */
struct api_request {
	const struct identity *who;
	const char *from; /* the client's address */
	const struct op *op;
	json_t *args; /* an object; the caller's */
};
int api_start(struct hub *hub, const struct api_request *r, calls_done_fn *fn,
    void *arg, struct api_call **call, struct fault *f);

/* As calls_cancel: fn is not called. */
void api_cancel(struct api_call *call);

/*
 * Find a session that the identity may see, by id or name.  Returns 0, its id
 * and name, and the permissions on it; or -1 and FAIL_NOT_FOUND.
 */
struct api_target {
	char id[ID_SIZE];
	char name[256];
	unsigned granted; /* 1 << OP_… */
	bool active;
};
int api_find(struct hub *hub, const struct identity *who, const char *session,
    struct api_target *out, struct fault *f);

/*
 * For a handler that runs an operation itself: check a request as api_start
 * does, and record its use or its denial.  `session` leaves the arguments;
 * needs gets the permissions.
 */
int api_check(struct hub *hub, const struct api_request *r,
    struct api_target *t, unsigned *needs, struct fault *f);
struct audit_entry *api_audit(struct hub *hub, const struct api_request *r,
    const struct api_target *t);

#endif
