#ifndef TEND_HOME_LOG_TAIL_H
#define TEND_HOME_LOG_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct error;

/*
 * The last lines of a log, without reading all of it.  The caller reads from
 * some distance before the end into a buffer, which keeps only the last lines.
 * If there are too few, the caller starts again from further back.
 *
 *	log_tail_init
 *	do	begin there (log_tail_begin), read, hold back (log_tail_holds),
 *		and at the end cut (log_tail_end)
 *	while	log_tail_again
 *
 * The buffer holds LOG_TAIL_MAX bytes.  Longer lines are written without being
 * held back: more lines than requested then appear.
 */
#define LOG_TAIL_MAX (16u << 20)

struct log_tail {
	uint64_t want, seen; /* lines; the first one seen may be incomplete */
	uint64_t back;       /* start this many bytes before the end */
	size_t cut_at;       /* the buffer is cut when it has this many bytes */
	bool from_start;     /* the start of the log has been reached */
	bool over;           /* the lines are known; write the rest directly */
	bool again;
};

int log_tail_init(struct log_tail *t, const char *count, struct error *err);

/* The offset at which to start reading. */
uint64_t log_tail_begin(struct log_tail *t, uint64_t first, uint64_t end);

/* True if the buffer must not be written yet; this may cut it. */
bool log_tail_holds(struct log_tail *t, struct buf *b);

/* Call this at the end of the log; false: read again (log_tail_again). */
bool log_tail_end(struct log_tail *t, struct buf *b);
bool log_tail_again(const struct log_tail *t);

#endif
