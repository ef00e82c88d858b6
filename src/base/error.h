#ifndef TEND_BASE_ERROR_H
#define TEND_BASE_ERROR_H

/*
 * Why something failed, in words a person reads: lower case, no full stop,
 * what was tried and on what.  It lives on the caller's stack and owns
 * nothing.  A message that is too long is cut.
 */
struct error {
	int code; /* positive errno; 0 when nothing has failed */
	char msg[256];
};

/*
 * Fill err, which may be NULL, and return -errnum, so that a failure is one
 * statement.  errnum must be positive.
 */
int error_set(struct error *err, int errnum, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
