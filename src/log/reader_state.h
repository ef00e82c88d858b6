#ifndef TEND_LOG_READER_STATE_H
#define TEND_LOG_READER_STATE_H

#include "base/buf.h"
#include "log/reader.h"
#include "log/segment.h"

/* A reader as its own files see it: reader.c and reader_seek.c. */

/* Where reading is: always between two events, or two records of output. */
struct place {
	uint32_t number; /* of the segment; 0: before the first */
	struct segment_cursor cursor;
	uint64_t given;  /* seq of the last event that was given */
	uint64_t offset; /* end of the output that was given */
	bool told;       /* that the end is torn */
};

struct log_reader {
	int dirfd;
	int watch;
	struct segment segment; /* that of place; fd -1: it cannot be read */
	bool live;              /* it was being written when it was opened */
	struct place place;
	struct place mark;
	/* The next segment: what begins there counts, not what is here of it. */
	uint64_t limit; /* its first seq; UINT64_MAX: none */
	uint64_t limit_offset;
	uint64_t expect_seq, expect_offset; /* must be there; 0: not known */
	uint32_t expect_newest;
	struct log_damage damage;
	struct log_damage met[LOG_DAMAGES_MAX];
	size_t n_met;
	struct buf joined; /* an event of several records */
};

/* Go to the beginning of a segment as if all before it had been given. */
int reader_start_at(struct log_reader *r, uint32_t number);
void reader_go_back(struct log_reader *r, const struct place *to);

/* As log_reader_next, but what the watch reported stays to be read. */
enum log_next reader_step(struct log_reader *r, struct record *out);

#endif
