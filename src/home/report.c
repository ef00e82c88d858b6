#include "home/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "home/fault.h"

/* One log reports at most 64 damages; a home may have many logs. */
#define DAMAGE_MAX (1u << 20)

void
report_init(struct report *r, report_fn *note, void *arg)
{
	*r = (struct report){ .note = note, .arg = arg };
	buf_init(&r->damage, DAMAGE_MAX);
}

void
report_finish(struct report *r)
{
	buf_finish(&r->damage);
}

void
report_note(const struct report *r, const char *fmt, ...)
{
	char text[FAULT_MAX];
	va_list ap;

	if (r->note == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->note(r->arg, text);
}
