#ifndef TEND_CLIENT_ENTRY_H
#define TEND_CLIENT_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

struct key;

/*
 * A line that the user types for tend itself, or a question that a single key
 * answers.  It holds ENTRY_MAX bytes of UTF-8; further input is ignored.
 * Pure.
 */
#define ENTRY_MAX 256 /* with the NUL: a session's name */

struct entry {
	char label[96];
	char text[ENTRY_MAX];
	size_t len;
	bool yes_no; /* y accepts, every other key cancels */
};

enum entry_state { ENTRY_OPEN, ENTRY_ACCEPTED, ENTRY_CANCELLED };

/* Begin with a text, which is cut if it is too long. */
void entry_begin(struct entry *e, const char *label, const char *text);
void entry_begin_yes_no(struct entry *e, const char *question);

/* Enter accepts, Escape cancels, BSpace, C-w and C-u delete. */
enum entry_state entry_key(struct entry *e, const struct key *k);

/*
 * The line for display in so many columns, and the cursor's column.  If it is
 * too long, its end is shown.
 */
#define ENTRY_LINE_MAX (ENTRY_MAX + 128)
unsigned entry_draw(const struct entry *e, unsigned cols,
    char out[ENTRY_LINE_MAX]);

#endif
