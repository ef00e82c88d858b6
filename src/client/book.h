#ifndef TEND_CLIENT_BOOK_H
#define TEND_CLIENT_BOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "client/chapter.h"
#include "client/ruler.h"

struct error;
struct log_reader;
struct vt;

/*
 * All that a session has ever shown, row by row, to be leafed through: the
 * chapters of its log, read from its files one at a time, up to the moment at
 * which the book was opened.  What the log does not have because it cannot be
 * written is asked of the host, which remembers BOOK_LINES.
 *
 * A key may pass BOOK_TURNS chapters in which nothing was written, as those of
 * a full-screen program; then it has gone that far, and the next goes on.
 */
#define BOOK_LINES 2000
#define BOOK_BYTES (16u << 20)
#define BOOK_TURNS 64
#define BOOK_CHAPTERS 3 /* that are kept in memory */

struct place {
	uint64_t seq; /* with which the chapter begins */
	size_t row;
	unsigned col; /* may be behind the end of the row */
};

struct book {
	struct chapter_log log; /* reader NULL: there is but the host's page */
	uint64_t end_offset;
	struct ruler ruler;
	struct chapter chapters[BOOK_CHAPTERS];
	uint64_t used[BOOK_CHAPTERS]; /* when; 0: not at all */
	uint64_t now;
};

/* Open it at its end; -EIO and why when nobody has anything to show. */
int book_open(struct book *b, int dirfd, int timeout_ms, struct error *err);
void book_close(struct book *b); /* one that is closed is fine */
bool book_is_open(const struct book *b);

/*
 * The chapter of an event, until the next call; NULL when it is gone from the
 * log.
 */
const struct chapter *book_chapter(struct book *b, uint64_t seq);
/* The same if it is in memory; else NULL. */
const struct chapter *book_loaded(struct book *b, uint64_t seq);

/* Go so many rows on, or back; how many there were. */
unsigned book_on(struct book *b, struct place *p, unsigned rows);
unsigned book_back(struct book *b, struct place *p, unsigned rows);
void book_first(struct book *b, struct place *p);
void book_last(struct book *b, struct place *p);

/* The place in the log, from 0 to 100; the same of an offset. */
unsigned book_percent(struct book *b, const struct place *p);
unsigned book_percent_of(const struct book *b, uint64_t offset);

/* Below 0: a comes before b.  By row alone, or by column as well. */
int place_compare_rows(const struct place *a, const struct place *b);
int place_compare(const struct place *a, const struct place *b);

/*
 * The host's page alone, which is the caller's; NULL and why.  *offset is where
 * in the output it was taken.
 */
struct vt *book_fetch(int dirfd, int timeout_ms, uint64_t *offset,
    struct error *err);

#endif
