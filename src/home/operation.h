#ifndef TEND_HOME_OPERATION_H
#define TEND_HOME_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

struct fault;
struct handle;
struct op;
struct report;

/*
 * Run an operation of op/ops.def in a home.  This library runs the operations
 * that no host can; it sends the others to the session's host and waits for the
 * answer.  Several threads may run operations at once.
 */
struct operation {
	const struct op *op;
	const char *home;    /* the home's directory, or NULL for the default */
	const char *session; /* an id or a name; NULL: none */
	/*
	 * It is the id of a session that is active at this moment.  calls.h then
	 * uses a connection to its host that is still open.
	 */
	bool is_active;
	const json_t *args;   /* checked by op_take_arguments; NULL: none */
	char *const *environ; /* for the programs that it starts */
	int cancel_fd;        /* readable: give up waiting; 0: none */
	/*
	 * The permissions of the caller, 1 << OP_… each: OP_EVERY_PERMISSION
	 * for the owner of the home.  Without any, every operation is denied.
	 */
	unsigned granted;
	/*
	 * The operation is done for this principal, KIND:NAME, who was
	 * verified in this way, as in the first line of a connection
	 * (wire/hello.h).  Logs record both.  NULL: for the owner.
	 */
	const char *principal, *verified;
};

/*
 * Run it, and block until it is done.  Returns 0 and *result as ops.def
 * declares it, which the caller frees with json_decref; or -1 and the fault.
 * The report gets notes for people and the damage of logs.  An operation that
 * reads a damaged log returns the part that is left.
 */
int operation_run(const struct operation *o, struct report *r, json_t **result,
    struct fault *f);

/* Check the permissions and the principal, as operation_run does first. */
int operation_check(const struct operation *o, struct fault *f);

/*
 * The longest time that a host may take to answer, in ms: the timeout of the
 * request and a margin, or CONN_NO_LIMIT.
 */
int64_t operation_limit_ms(const struct op *op, const json_t *args);

/*
 * The side that answers the operation with these arguments.  A host answers
 * HOST_OR_HOME while the session is active; then this library does, from the
 * session's files.
 */
enum operation_by {
	OPERATION_BY_HOST,
	OPERATION_BY_HOST_OR_HOME,
	OPERATION_BY_HOME,
};
enum operation_by operation_by(const struct operation *o);

/*
 * True if cancelling ends the operation: it only reads or waits, or it has
 * steps.  Others go on, and only their answer is dropped.
 */
bool operation_ends(const struct op *op);

/*
 * Find the operation's session as operation_run does.  Returns 0, or -1 and the
 * fault; the caller calls handle_init before it and handle_finish after it.
 */
int operation_find(const struct operation *o, struct handle *h,
    struct fault *f);

#endif
