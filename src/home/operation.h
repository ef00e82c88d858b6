#ifndef TEND_HOME_OPERATION_H
#define TEND_HOME_OPERATION_H

#include <stdbool.h>

#include <jansson.h>

struct fault;
struct op;
struct report;

/*
 * An operation of op/ops.def, carried out in a home: what no session's host can
 * do, by this library; the rest by the session's host, whom this asks and waits
 * for.  Several threads may run operations at once.
 */
struct operation {
	const struct op *op;
	const char *home;     /* its directory, or NULL for the default */
	const char *session;  /* an id or a name; NULL: it takes none */
	const json_t *args;   /* checked by op_take_arguments; NULL: none */
	char *const *environ; /* of programs that it starts */
	int cancel_fd;        /* readable: give up waiting; 0: none */
};

/*
 * Carry it out.  0 and the result, the caller's, as ops.def declares it; or -1
 * and the fault.  Damage of logs and notes for people go to the report; a read
 * of a damaged log gives what is left of it.
 */
int operation_run(const struct operation *o, struct report *r, json_t **result,
    struct fault *f);

#endif
