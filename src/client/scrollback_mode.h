#ifndef TEND_CLIENT_SCROLLBACK_MODE_H
#define TEND_CLIENT_SCROLLBACK_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "client/scrollback.h"
#include "client/scrollback_page.h"
#include "client/search.h"
#include "client/selection.h"

struct error;
struct key;
struct mouse_event;

/*
 * Reading in the scrollback: a cursor, a page around it, a search and a
 * selection.  Keys and the mouse move them; scrollback_mode_draw makes the page
 * and the bar below it.
 */
struct scrollback_mode {
	struct scrollback_page page;
	char bar[256];
	struct buf copied; /* for the terminal: sets its clipboard */

	/* The rest is private. */
	struct scrollback scrollback;
	unsigned cols, rows; /* of the terminal */
	struct scrollback_place top, cursor;
	struct selection selection;
	struct search search;
	bool back;      /* the last search went towards the beginning */
	bool dragging;  /* the mouse button is held */
	char said[160]; /* shown in the bar until the next key; or "" */
};

enum scrollback_mode_wish {
	SCROLLBACK_MODE_STAY,
	SCROLLBACK_MODE_LEAVE,
	SCROLLBACK_MODE_ASK,      /* ask for a text to search forward */
	SCROLLBACK_MODE_ASK_BACK, /* and backward */
};

/* Open at the end of the scrollback; -errno with err if there is none. */
int scrollback_mode_open(struct scrollback_mode *r, int dirfd, int timeout_ms,
    struct error *err);
/* It may be closed already. */
void scrollback_mode_close(struct scrollback_mode *r);
bool scrollback_mode_is_open(const struct scrollback_mode *r);

enum scrollback_mode_wish scrollback_mode_key(struct scrollback_mode *r,
    const struct key *k);
void scrollback_mode_mouse(struct scrollback_mode *r,
    const struct mouse_event *ev);

/* Search for a text; "": for the last one again. */
void scrollback_mode_search(struct scrollback_mode *r, const char *text,
    bool back);

/* True during a search: scrollback_mode_work does a step of it. */
bool scrollback_mode_is_busy(const struct scrollback_mode *r);
void scrollback_mode_work(struct scrollback_mode *r);

void scrollback_mode_draw(struct scrollback_mode *r, unsigned cols,
    unsigned rows);

/*
 * The help, line by line: keys and description; i from 0 on, false at the end.
 */
bool scrollback_mode_help(size_t i, const char **keys, const char **does);

#endif
