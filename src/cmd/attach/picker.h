#ifndef TEND_CMD_ATTACH_PICKER_H
#define TEND_CMD_ATTACH_PICKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/id.h"

struct buf;
struct key;

/*
 * A list of sessions from which the user picks one: rows, keys and drawing.
 * Pure; picking.c has the terminal and the sessions.
 *
 *	Up Down k j		previous, next
 *	PgUp PgDn Home End	a page, to the first, to the last
 *	Enter			pick the selected session
 *	/			filter by a text; Escape ends it
 *	q Escape C-c		leave without a session
 *
 * The selection follows its session when rows are added or removed.  If the
 * session itself disappears, the row that takes its place is selected.
 */
#define PICKER_FILTER_MAX 64

struct picker_row {
	char id[ID_SIZE];
	char name[256];
	char about[256]; /* safe to print */
};

struct picker {
	struct picker_row *rows; /* newest first */
	size_t n;
	size_t at; /* the selected row, counted among those that match */
	bool filtering;
	char filter[PICKER_FILTER_MAX];
};

enum picker_result { PICKER_GOES_ON, PICKER_CHOSEN, PICKER_LEFT };

void picker_init(struct picker *p);
void picker_finish(struct picker *p);

/* Replace the rows; the picker frees them. */
void picker_renew(struct picker *p, struct picker_row *rows, size_t n);

/* The selected row; NULL: no row matches. */
const struct picker_row *picker_selected(const struct picker *p);

enum picker_result picker_key(struct picker *p, const struct key *k);

/*
 * Draw on a screen of this many rows.  Lines may be too long; the caller clips
 * them.  `preview` is the text of the selected session's screen, or NULL.
 */
void picker_draw(const struct picker *p, unsigned cols, unsigned rows,
    const char *preview, struct buf *out);

#endif
