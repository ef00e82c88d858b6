#ifndef TEND_BASE_LOG_H
#define TEND_BASE_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct buf;

/*
 * Log lines for people and their tools, one write(2) each, in logfmt:
 *
 *	time=2026-01-31T12:00:00.250Z level=warn msg="host ended" signal=9
 *
 * A value with anything but plain printable ASCII in it is quoted; control
 * characters, and the invisible ones that reorder text, are escaped, so
 * nothing that a program prints can forge a line or drive the reader's
 * terminal.  A line is at most LOG_LINE_MAX bytes: a field that does not fit
 * is left out and the line ends with cut=true.
 */
#define LOG_LINE_MAX 4096

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

struct log {
	int fd;               /* where lines go; -1 for nowhere */
	enum log_level least; /* what is below this is not written */
};

/* One key=value.  Keys are our own constants and are written as they are. */
struct log_field {
	const char *key; /* NULL ends an array of fields */
	const char *str; /* NULL when the value is num */
	int64_t num;
};

/* NULL is written as the empty string. */
struct log_field log_str(const char *key, const char *value);
struct log_field log_int(const char *key, int64_t value);

/* log_write(&log, LOG_INFO, "started", log_str("id", id), log_int("pid", p)) */
#define log_write(log, level, msg, ...) \
	log_fields(log, level, \
	    (const struct log_field[]){ log_str("msg", msg), ##__VA_ARGS__, \
		{ .key = NULL } })

void log_fields(const struct log *log, enum log_level level,
    const struct log_field *fields);

/*
 * Append the line for a moment, newline included; b's maximum cuts it as well.
 * Without room for even the time and the level, b is full.
 */
void log_format(struct buf *b, const struct timespec *when,
    enum log_level level, const struct log_field *fields);

#endif
