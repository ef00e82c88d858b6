#ifndef TEND_HOME_REPORT_H
#define TEND_HOME_REPORT_H

#include "base/buf.h"

/*
 * What an operation reports beside its result: notes for a person, and damage
 * of logs for programs.  The damage is gathered as JSON objects with commas
 * between them (docs/session.md), 1 MiB at most.
 */
typedef void report_fn(void *arg, const char *text);

struct report {
	report_fn *note; /* NULL: nobody reads notes */
	void *arg;
	struct buf damage;
};

void report_init(struct report *r, report_fn *note, void *arg);
void report_finish(struct report *r);

void report_note(const struct report *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
