#ifndef TEND_HOME_LOG_SINK_H
#define TEND_HOME_LOG_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_damage;
struct buf;
struct record;

/*
 * What is made of a log.  A sink is told of everything in order and
 * writes to its `out`; `wanted` is false for what lies before --from and is
 * there to be known, not shown.  Any function but output may be NULL.
 */
struct log_sink;

struct log_sink_ops {
	/* Output of the program; parts of the record that are not wanted are
	 * cut off.  `rec` is the whole record. */
	void (*output)(struct log_sink *s, const struct record *rec,
	    uint64_t offset, const uint8_t *p, size_t len, bool wanted);
	/* Any other record. */
	void (
	    *event)(struct log_sink *s, const struct record *rec, bool wanted);
	/* Part of the log is missing here. */
	void (*damage)(struct log_sink *s, const struct log_damage *d);
	/* There is no more for now. */
	void (*pause)(struct log_sink *s);
	/* There is no more. */
	void (*end)(struct log_sink *s);
	void (*destroy)(struct log_sink *s);
	/* Whether it has to know the screen at --from. */
	bool needs_screen;
};

struct log_sink {
	const struct log_sink_ops *ops;
	struct buf *out;
};

/* The bytes as they were; and, with all that is in them, one a line. */
struct log_sink *log_raw_create(struct buf *out);
struct log_sink *log_events_create(struct buf *out);

/*
 * The text as a terminal would show it (op/transcript.h).  With `follow`, a
 * line as soon as the cursor has left it, and again if it is changed later.
 */
struct log_sink *log_text_create(struct buf *out, bool follow);

#endif
