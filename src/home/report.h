#ifndef TEND_HOME_REPORT_H
#define TEND_HOME_REPORT_H

#include "base/buf.h"

struct json_out;

/*
 * An operation's report beside its result: notes for people and damage of logs
 * for programs.  Both collect as JSON values separated by commas: the damage as
 * objects (docs/session.md), at most 1 MiB; the notes as strings, at most
 * 64 KiB.
 */
typedef void report_fn(void *arg, const char *text);

struct report {
	report_fn *note; /* takes each note at once; NULL: they collect */
	void *arg;
	struct buf damage, notes;
};

void report_init(struct report *r, report_fn *note, void *arg);
void report_finish(struct report *r);

void report_note(struct report *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Write what has collected as the members `damage` and `notes` of an object. */
void report_json(const struct report *r, struct json_out *j);

#endif
