#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

int
error_set(struct error *err, int errnum, const char *fmt, ...)
{
	va_list ap;

	assert(errnum > 0);
	if (err == NULL)
		return -errnum;
	err->code = errnum;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return -errnum;
}
