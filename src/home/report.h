#ifndef TEND_HOME_REPORT_H
#define TEND_HOME_REPORT_H

#include "base/buf.h"

/*
 * An operation's report beside its result: notes for people and damage of logs
 * for programs.  The damage collects as JSON objects separated by commas
 * (docs/session.md), at most 1 MiB.
 */
typedef void report_fn(void *arg, const char *text);

struct report {
	report_fn *note; /* NULL: notes are dropped */
	void *arg;
	struct buf damage;
};

void report_init(struct report *r, report_fn *note, void *arg);
void report_finish(struct report *r);

void report_note(const struct report *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
