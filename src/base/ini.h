#ifndef TEND_BASE_INI_H
#define TEND_BASE_INI_H

#include <stddef.h>

/*
 * Settings files, line by line:
 *
 *	# a comment, as is a line that begins with ;
 *	[section]
 *	key = value
 *
 * Blanks around sections, keys and values are ignored; double quotes around a
 * value keep its blanks.  A comment has a line of its own.  A line that is
 * malformed, longer than INI_LINE_MAX or contains a control character is
 * reported and skipped; the other lines still count.  Pure.
 */
#define INI_LINE_MAX 1024
#define INI_FILE_MAX (64u << 10) /* for callers that read a file */

struct ini_ops {
	/* section is "" before the first section. */
	void (*value)(void *arg, unsigned line, const char *section,
	    const char *key, const char *value);
	void (*complain)(void *arg, unsigned line, const char *why);
};

void ini_parse(const char *p, size_t len, const struct ini_ops *ops, void *arg);

#endif
