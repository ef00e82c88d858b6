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
 * Everything that a session has ever shown, row by row, for scrolling.  It
 * reads the chapters of the log from its files, one at a time, up to the
 * moment at which the book was opened.  If the log cannot be written and lacks
 * the newest output, the host provides its last BOOK_LINES lines.
 *
 * One key press may skip BOOK_TURNS chapters without text, such as those of a
 * full-screen program.  Then it stops, and the next one continues.
 */
#define BOOK_LINES 2000
#define BOOK_BYTES (16u << 20)
#define BOOK_TURNS 64
#define BOOK_CHAPTERS 3 /* kept in memory */

struct place {
	uint64_t seq; /* the chapter's first */
	size_t row;
	unsigned col; /* may be behind the end of the row */
};

struct book {
	struct chapter_log log; /* reader NULL: only the host's page */
	uint64_t end_offset;
	struct ruler ruler;
	struct chapter chapters[BOOK_CHAPTERS];
	uint64_t used[BOOK_CHAPTERS]; /* when; 0: never */
	uint64_t now;
};

/* Open it at its end; -EIO with err if there is nothing to show. */
int book_open(struct book *b, int dirfd, int timeout_ms, struct error *err);
void book_close(struct book *b); /* may be closed already */
bool book_is_open(const struct book *b);

/*
 * The chapter of an event, valid until the next call; NULL if the log no
 * longer has it.
 */
const struct chapter *book_chapter(struct book *b, uint64_t seq);
/* The same if it is in memory; otherwise NULL. */
const struct chapter *book_loaded(struct book *b, uint64_t seq);

/* Move so many rows forward, or back; return how many there were. */
unsigned book_on(struct book *b, struct place *p, unsigned rows);
unsigned book_back(struct book *b, struct place *p, unsigned rows);
void book_first(struct book *b, struct place *p);
void book_last(struct book *b, struct place *p);

/* The position in the log, from 0 to 100; the same for an offset. */
unsigned book_percent(struct book *b, const struct place *p);
unsigned book_percent_of(const struct book *b, uint64_t offset);

/* Below 0: a comes before b.  By row alone, or by row and column. */
int place_compare_rows(const struct place *a, const struct place *b);
int place_compare(const struct place *a, const struct place *b);

/*
 * The host's page alone, to be freed by the caller; NULL with err.  *offset is
 * its position in the output.
 */
struct vt *book_fetch(int dirfd, int timeout_ms, uint64_t *offset,
    struct error *err);

#endif
