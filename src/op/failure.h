#ifndef TEND_OP_FAILURE_H
#define TEND_OP_FAILURE_H

#include <stdbool.h>

/* The reason why a command or request failed: the rows of failures.def. */
enum failure {
#define FAILURE(name, ...) FAIL_##name,
#include "op/failures.def"
	FAIL_COUNT
};

const char *failure_code(enum failure f);
const char *failure_text(enum failure f);
int failure_status(enum failure f);
bool failure_is_retryable(enum failure f);

/* The first failure with this code, or FAIL_INTERNAL. */
enum failure failure_called(const char *code);

/* The failure that a host reports for an errno value. */
enum failure failure_of_errno(int errnum);

#endif
