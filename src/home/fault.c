#include "home/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/fd.h"

int
fault_set(struct fault *f, enum failure failure, const char *fmt, ...)
{
	va_list ap;

	f->failure = failure;
	f->status = 0;
	f->argument[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(f->msg, sizeof(f->msg), fmt, ap);
	va_end(ap);
	return -1;
}

enum failure
fault_shortage(int error, enum failure otherwise)
{
	return fd_is_shortage(error) || error == EAGAIN ? FAIL_BUSY : otherwise;
}

int
fault_argument(struct fault *f, const char *name, const char *fmt, ...)
{
	va_list ap;

	f->failure = FAIL_USAGE;
	f->status = 0;
	snprintf(f->argument, sizeof(f->argument), "%s", name);
	va_start(ap, fmt);
	vsnprintf(f->msg, sizeof(f->msg), fmt, ap);
	va_end(ap);
	return -1;
}

void
fault_words(const struct fault *f, const char *name, const char *with,
    char out[FAULT_WORDS_MAX])
{
	if (f->argument[0] == '\0')
		snprintf(out, FAULT_WORDS_MAX, "%s", f->msg);
	else if (f->msg[0] == ' ' || f->msg[0] == ':')
		snprintf(out, FAULT_WORDS_MAX, "%s%s", name, f->msg);
	else
		snprintf(out, FAULT_WORDS_MAX, "%s; give another %s%s", f->msg,
		    with, name);
}
