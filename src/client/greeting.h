#ifndef TEND_CLIENT_GREETING_H
#define TEND_CLIENT_GREETING_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The line shown to a user who attaches: the session's name, a note if keys do
 * not reach it, how to detach and where the help is.
 *
 *	 work · C-] d detaches · C-] ? help
 *
 * In a narrow terminal the last parts are left out, then the name is cut.
 * Pure.
 */
#define GREETING_MAX 256

struct greeting {
	const char *name;
	const char *prefix, *detach, *help; /* names of keys */
	bool view_only;
};
void greeting_text(const struct greeting *g, unsigned cols,
    char out[GREETING_MAX]);

#endif
