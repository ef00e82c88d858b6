#ifndef TEND_HOME_FAULT_H
#define TEND_HOME_FAULT_H

#include "op/failure.h"

/*
 * Why an operation failed: which kind of failure, for programs, and a message,
 * for people.  The functions of this folder return 0, or -1 and fill one.
 */
#define FAULT_MAX 8192 /* a path of PATH_MAX and words around it */
#define FAULT_ARGUMENT_SIZE 32

struct fault {
	enum failure failure;
	int status; /* exit status for this failure (126, 127); 0: its own */
	/*
	 * The argument that is wrong, as the operation calls it ("max_log"), or
	 * "".  A message that begins with a blank or a colon follows its name
	 * (" 3M is too little"); any other says all but which argument to
	 * change.  Each surface writes the name in its own way.
	 */
	char argument[FAULT_ARGUMENT_SIZE];
	char msg[FAULT_MAX];
};

/* Always -1, so that a failure is one statement. */
int fault_set(struct fault *f, enum failure failure, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a wrong argument: FAIL_USAGE. */
int fault_argument(struct fault *f, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
