#ifndef TEND_CMD_ATTACH_PICKER_H
#define TEND_CMD_ATTACH_PICKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/id.h"

struct buf;
struct key;

/*
 * A list of sessions of which a person picks one: rows, keys, and how it is
 * drawn.  Pure; picking.c has the terminal and the sessions.
 *
 *	Up Down k j		the one before, the next
 *	PgUp PgDn Home End	further
 *	Enter			this one
 *	/			only those that have this text; Escape ends it
 *	q Escape C-c		none
 *
 * The selection is a session and not a place: it stays with it when others come
 * and go.  When it goes itself, the one that then stands there is selected.
 */
#define PICKER_FILTER_MAX 64

struct picker_row {
	char id[ID_SIZE];
	char name[256];
	char about[256]; /* safe to show */
};

struct picker {
	struct picker_row *rows; /* newest first */
	size_t n;
	size_t at; /* of those that match, which is selected */
	bool filtering;
	char filter[PICKER_FILTER_MAX];
};

enum picker_result { PICKER_GOES_ON, PICKER_CHOSEN, PICKER_LEFT };

void picker_init(struct picker *p);
void picker_finish(struct picker *p);

/* The rows as they are now; they are the picker's to free. */
void picker_renew(struct picker *p, struct picker_row *rows, size_t n);

/* Which is selected; NULL: none matches. */
const struct picker_row *picker_selected(const struct picker *p);

enum picker_result picker_key(struct picker *p, const struct key *k);

/*
 * Draw on a screen of so many rows.  Lines may be wider than it: whoever shows
 * it clips them.  `preview` is text of the selected session's screen, or NULL.
 */
void picker_draw(const struct picker *p, unsigned cols, unsigned rows,
    const char *preview, struct buf *out);

#endif
