#ifndef TEND_HOME_LOG_SINK_H
#define TEND_HOME_LOG_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_damage;
struct buf;
struct record;

/*
 * An output format for a log.  A sink receives all records in order and writes
 * to its `out`.  `wanted` is false for records before --from: the sink needs
 * their state but does not print them.  All functions but output may be NULL.
 */
struct log_sink;

struct log_sink_ops {
	/*
	 * Output of the program, without the parts that are not wanted.  `rec`
	 * is the whole record.
	 */
	void (*output)(struct log_sink *s, const struct record *rec,
	    uint64_t offset, const uint8_t *p, size_t len, bool wanted);
	/* Any other record. */
	void (
	    *event)(struct log_sink *s, const struct record *rec, bool wanted);
	/* Part of the log is missing here. */
	void (*damage)(struct log_sink *s, const struct log_damage *d);
	/* The end of the log for now; more may follow. */
	void (*pause)(struct log_sink *s);
	/* The end of the log. */
	void (*end)(struct log_sink *s);
	void (*destroy)(struct log_sink *s);
	/* True if the sink needs the screen at --from. */
	bool needs_screen;
};

struct log_sink {
	const struct log_sink_ops *ops;
	struct buf *out;
};

/*
 * log_raw prints the output bytes; log_events prints all records, one JSON
 * object per line; with no_output, none that only helps to draw the screen
 * (output, keyframe, clock).
 */
struct log_sink *log_raw_create(struct buf *out);
struct log_sink *log_events_create(struct buf *out, bool no_output);

/*
 * The text as a terminal would show it (op/transcript.h).  With `follow`, it
 * prints a line as soon as the cursor has left it, and again after later
 * changes.
 */
struct log_sink *log_text_create(struct buf *out, bool follow);

#endif
