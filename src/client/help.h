#ifndef TEND_CLIENT_HELP_H
#define TEND_CLIENT_HELP_H

#include <stdbool.h>
#include <stddef.h>

struct key;
struct keys_bound;
struct vt;

/*
 * The page of all keys, as a screen for a terminal of any size: in two columns
 * if they fit, otherwise in one that scrolls.  Pure.
 */
struct help {
	struct vt *vt; /* NULL: nothing was drawn */
	char bar[128];

	/* The rest is private. */
	unsigned top, lines, rows;
};

/* The prefix is a key's name; `pressed` is the keys before a command. */
void help_draw(struct help *h, const char *pressed, const char *prefix,
    const struct keys_bound *bound, unsigned cols, unsigned rows);
void help_finish(struct help *h); /* all zero is fine */

/* True if the key has scrolled the page, which stays open. */
bool help_key(struct help *h, const struct key *k);
void help_scroll(struct help *h, int lines);

#endif
