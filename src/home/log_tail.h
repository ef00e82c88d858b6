#ifndef TEND_HOME_LOG_TAIL_H
#define TEND_HOME_LOG_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct error;

/*
 * The last lines of a log, without reading all of it: from some way before its
 * end everything is put into a buffer, of which the last lines are kept.  Were
 * there too few, the whole is done again from further back.
 *
 *	log_tail_init
 *	do	begin there (log_tail_begin), read, hold back (log_tail_holds),
 *		and at the end cut (log_tail_end)
 *	while	log_tail_again
 *
 * Lines of more than LOG_TAIL_MAX bytes together are not held back: then there
 * are more of them than were asked for.
 */
#define LOG_TAIL_MAX (16u << 20)

struct log_tail {
	uint64_t want, seen; /* lines; of those seen, the first may be a part */
	uint64_t back;       /* bytes before the end to begin at */
	size_t cut_at;       /* bytes in the buffer from which it is cut */
	bool from_start;     /* there is nothing before that */
	bool over; /* the lines are known: all is written as it comes */
	bool again;
};

int log_tail_init(struct log_tail *t, const char *count, struct error *err);

/* The offset to begin at. */
uint64_t log_tail_begin(struct log_tail *t, uint64_t first, uint64_t end);

/* Whether what is in the buffer is not to be written yet; it may be cut. */
bool log_tail_holds(struct log_tail *t, struct buf *b);

/* It was read to the end; false: once more, see log_tail_again. */
bool log_tail_end(struct log_tail *t, struct buf *b);
bool log_tail_again(const struct log_tail *t);

#endif
