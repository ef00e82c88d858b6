#ifndef TEND_LOG_READER_STATE_H
#define TEND_LOG_READER_STATE_H

#include "base/buf.h"
#include "log/reader.h"
#include "log/segment.h"

/* The reader's internals, for reader.c and reader_seek.c only. */

/*
 * The reading position: always between two events, or two records of output.
 */
struct reader_position {
	uint32_t number; /* of the segment; 0: before the first */
	struct segment_cursor cursor;
	uint64_t given;  /* seq of the last returned event */
	uint64_t offset; /* end of the returned output */
	bool told;       /* the torn end was reported */
};

struct log_reader {
	int dirfd;
	int watch;
	struct segment segment; /* that of place; fd -1: unreadable */
	bool live;              /* it had a writer when it was opened */
	struct reader_position place;
	struct reader_position mark;
	/*
	 * The next segment.  From its first seq on, its records count and not
	 * ours.
	 */
	uint64_t limit; /* its first seq; UINT64_MAX: none */
	uint64_t limit_offset;
	uint64_t expect_seq, expect_offset; /* required; 0: unknown */
	uint32_t expect_newest;
	struct log_damage damage;
	struct log_damage met[LOG_DAMAGES_MAX];
	size_t n_met;
	struct buf joined; /* an event of several records */
};

/*
 * Go to the beginning of a segment as if everything before it had been read.
 */
int reader_start_at(struct log_reader *r, uint32_t number);
void reader_go_back(struct log_reader *r, const struct reader_position *to);

/* Like log_reader_next, but leaves the watch's inotify events unread. */
enum log_next reader_step(struct log_reader *r, struct record *out);

#endif
