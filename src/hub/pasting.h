#ifndef TEND_HUB_PASTING_H
#define TEND_HUB_PASTING_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How an uploaded file is pasted (T-06):
 *
 *	text of at most PASTING_TEXT_MAX	its content
 *	images					its absolute path
 *	everything else				its path from the session's
 *						working directory, if it is
 *						below that; else the absolute
 *
 * A file is text if its media type says so, or says nothing, and its content is
 * UTF-8 without control characters other than tabs and line breaks: nothing in
 * it can act as a key or on a terminal.
 */
#define PASTING_TEXT_MAX (256u << 10)

enum pasting { PASTING_CONTENT, PASTING_ABSOLUTE, PASTING_RELATIVE };

/* p is the whole file, or NULL if it is longer than PASTING_TEXT_MAX. */
enum pasting pasting_of(const char *type, const void *p, size_t len);

/* The path below a directory, or the whole path if it is not below. */
const char *pasting_path(const char *path, const char *directory);

#endif
