#ifndef TEND_CLIENT_SCROLLBACK_H
#define TEND_CLIENT_SCROLLBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "client/ruler.h"
#include "client/scrollback_part.h"

struct error;
struct log_reader;
struct vt;

/*
 * Everything that a session has ever shown, row by row, for scrolling.  It
 * reads the parts of the log from its files, one at a time, up to the moment at
 * which it was opened.  If the log cannot be written and lacks the newest
 * output, the host provides its last SCROLLBACK_LINES lines.
 *
 * One key press may skip SCROLLBACK_TURNS parts without text, such as those of
 * a full-screen program.  Then it stops, and the next one continues.
 */
#define SCROLLBACK_LINES 2000
#define SCROLLBACK_BYTES (16u << 20)
#define SCROLLBACK_TURNS 64
#define SCROLLBACK_PARTS 3 /* kept in memory */

struct scrollback_place {
	uint64_t seq; /* the part's first */
	size_t row;
	unsigned col; /* may be behind the end of the row */
};

struct scrollback {
	struct scrollback_part_log log; /* reader NULL: only the host's page */
	uint64_t end_offset;
	struct ruler ruler;
	struct scrollback_part parts[SCROLLBACK_PARTS];
	uint64_t used[SCROLLBACK_PARTS]; /* when; 0: never */
	uint64_t now;
};

/* Open it at its end; -EIO with err if there is nothing to show. */
int scrollback_open(struct scrollback *b, int dirfd, int timeout_ms,
    struct error *err);
void scrollback_close(struct scrollback *b); /* may be closed already */
bool scrollback_is_open(const struct scrollback *b);

/*
 * The part of an event, valid until the next call; NULL if the log no
 * longer has it.
 */
const struct scrollback_part *scrollback_part_at(struct scrollback *b,
    uint64_t seq);
/* The same if it is in memory; otherwise NULL. */
const struct scrollback_part *scrollback_loaded(struct scrollback *b,
    uint64_t seq);

/* Move so many rows forward, or back; return how many there were. */
unsigned scrollback_forward(struct scrollback *b, struct scrollback_place *p,
    unsigned rows);
unsigned scrollback_back(struct scrollback *b, struct scrollback_place *p,
    unsigned rows);
void scrollback_first(struct scrollback *b, struct scrollback_place *p);
void scrollback_last(struct scrollback *b, struct scrollback_place *p);

/* The position in the log, from 0 to 100; the same for an offset. */
unsigned scrollback_percent(struct scrollback *b,
    const struct scrollback_place *p);
unsigned scrollback_percent_of(const struct scrollback *b, uint64_t offset);

/* Below 0: a comes before b.  By row alone, or by row and column. */
int place_compare_rows(const struct scrollback_place *a,
    const struct scrollback_place *b);
int place_compare(const struct scrollback_place *a,
    const struct scrollback_place *b);

/*
 * The host's page alone, to be freed by the caller; NULL with err.  *offset is
 * its position in the output.
 */
struct vt *scrollback_fetch(int dirfd, int timeout_ms, uint64_t *offset,
    struct error *err);

#endif
