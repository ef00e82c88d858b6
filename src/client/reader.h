#ifndef TEND_CLIENT_READER_H
#define TEND_CLIENT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "client/book.h"
#include "client/page.h"
#include "client/search.h"
#include "client/selection.h"

struct error;
struct key;
struct mouse_event;

/*
 * Reading in a book: a cursor, a page around it, a search and a selection.
 * Keys and the mouse move them; reader_draw makes the page and the bar below
 * it.
 */
struct reader {
	struct page page;
	char bar[256];
	struct buf copied; /* for the terminal: sets its clipboard */

	/* The rest is private. */
	struct book book;
	unsigned cols, rows; /* of the terminal */
	struct place top, cursor;
	struct selection selection;
	struct search search;
	bool back;      /* the last search went towards the beginning */
	bool dragging;  /* the mouse button is held */
	char said[160]; /* shown in the bar until the next key; or "" */
};

enum reader_wish {
	READER_STAY,
	READER_LEAVE,
	READER_ASK,      /* ask for a text to search forward */
	READER_ASK_BACK, /* and backward */
};

/* Open at the end of a session's book; -errno with err if there is none. */
int reader_open(struct reader *r, int dirfd, int timeout_ms, struct error *err);
void reader_close(struct reader *r); /* may be closed already */
bool reader_is_open(const struct reader *r);

enum reader_wish reader_key(struct reader *r, const struct key *k);
void reader_mouse(struct reader *r, const struct mouse_event *ev);

/* Search for a text; "": for the last one again. */
void reader_search(struct reader *r, const char *text, bool back);

/* True during a search: reader_work does a step of it. */
bool reader_is_busy(const struct reader *r);
void reader_work(struct reader *r);

void reader_draw(struct reader *r, unsigned cols, unsigned rows);

/*
 * The help, line by line: keys and description; i from 0 on, false at the end.
 */
bool reader_help(size_t i, const char **keys, const char **does);

#endif
