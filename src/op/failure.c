#include "op/failure.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *code;
	int status;
	bool retryable;
	const char *text;
} failures[] = {
#define FAILURE(name, code, status, retryable, text) \
	[FAIL_##name] = { code, status, retryable, text },
#include "op/failures.def"
};

static const struct {
	int errnum;
	enum failure failure;
} errnos[] = {
	{ EINVAL, FAIL_USAGE },
	{ EEXIST, FAIL_EXISTS },
	{ ERANGE, FAIL_USAGE },
	{ ENOENT, FAIL_NOT_FOUND },
	{ ESRCH, FAIL_NOT_RUNNING },
	{ EACCES, FAIL_DENIED },
	{ EPERM, FAIL_DENIED },
	{ EBUSY, FAIL_BUSY },
	{ ESTALE, FAIL_STALE },
	{ EAGAIN, FAIL_BUSY },
	{ ENOBUFS, FAIL_BUSY },
	{ ENOSPC, FAIL_STORAGE },
	{ EIO, FAIL_STORAGE },
	{ EROFS, FAIL_STORAGE },
	{ EDQUOT, FAIL_STORAGE },
	{ ETIMEDOUT, FAIL_TIMEOUT },
	{ ECONNREFUSED, FAIL_UNREACHABLE },
	{ EPROTO, FAIL_PROTOCOL },
	{ ENOTRECOVERABLE, FAIL_UNKNOWN },
};

const char *
failure_code(enum failure f)
{
	return failures[f].code;
}

const char *
failure_text(enum failure f)
{
	return failures[f].text;
}

int
failure_status(enum failure f)
{
	return failures[f].status;
}

bool
failure_is_retryable(enum failure f)
{
	return failures[f].retryable;
}

enum failure
failure_called(const char *code)
{
	for (unsigned i = 0; i < FAIL_COUNT; i++)
		if (strcmp(failures[i].code, code) == 0)
			return (enum failure)i;
	return FAIL_INTERNAL;
}

enum failure
failure_of_errno(int errnum)
{
	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++)
		if (errnos[i].errnum == errnum)
			return errnos[i].failure;
	return FAIL_INTERNAL;
}
