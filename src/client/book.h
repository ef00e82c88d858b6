#ifndef TEND_CLIENT_BOOK_H
#define TEND_CLIENT_BOOK_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct log_reader;
struct vt;

/*
 * A session's screen with its history above it, to be leafed through.
 *
 * The newest page is the host's, with its 2,000 lines; the pictures of an
 * attached client have no history, so it is asked for over a connection of its
 * own.  Older pages are stretches of the log (log/replay.h), read from its
 * files one at a time: however long the log is, a page costs what is printed
 * between two keyframes.
 *
 * A place in the book is a page and how many rows of its history to go back.
 */
#define BOOK_LINES 2000
#define BOOK_BYTES (16u << 20)

struct book {
	const struct vt *page; /* shown; NULL: the book is closed */
	unsigned rows;         /* of history that the page has */
	unsigned back;         /* of them, above the screen, to go back */

	/* Of the output, when the page is a stretch of the log. */
	bool old;
	uint64_t offset, end;

	/* The rest is the book's. */
	struct vt *newest, *stretch; /* NULL: the newest is shown */
	uint64_t taken;              /* offset of the newest */
	struct log_reader *log;
	uint64_t begin_seq, end_seq; /* of the stretch */
};

/* The newest page of a session; -errno and why. */
int book_open(struct book *b, int dirfd, int timeout_ms, struct error *err);
void book_close(struct book *b); /* one that is closed is fine */

/* So many rows back, or on; as far as there are any. */
void book_leaf(struct book *b, int64_t rows);

/* To the oldest row that the log has; to the newest. */
void book_first(struct book *b);
void book_last(struct book *b);

/*
 * The host's page alone, which is the caller's; NULL and why.  *offset is where
 * in the output it was taken.
 */
struct vt *book_fetch(int dirfd, int timeout_ms, uint64_t *offset,
    struct error *err);

#endif
