#ifndef TEND_HOME_FAULT_H
#define TEND_HOME_FAULT_H

#include "op/failure.h"

/*
 * Why an operation failed: which kind of failure, for programs, and a message,
 * for people.  The functions of this folder return 0, or -1 and fill one.
 */
#define FAULT_MAX 8192 /* a path of PATH_MAX and words around it */

struct fault {
	enum failure failure;
	int status; /* exit status for this failure (126, 127); 0: its own */
	char msg[FAULT_MAX];
};

/* Always -1, so that a failure is one statement. */
int fault_set(struct fault *f, enum failure failure, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
