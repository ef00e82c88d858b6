#ifndef TEND_HOME_INI_H
#define TEND_HOME_INI_H

#include <stddef.h>

/*
 * Files of settings, line by line:
 *
 *	# a comment, as is a line that begins with ;
 *	[section]
 *	key = value
 *
 * Blanks around sections, keys and values do not count; a value may stand in
 * double quotes, which keep its blanks.  A comment has a line of its own.  A
 * line that makes no sense, is longer than INI_LINE_MAX or holds a control
 * character is complained of and skipped, and does not spoil the others.  Pure.
 */
#define INI_LINE_MAX 1024
#define INI_FILE_MAX (64u << 10) /* for those who read one */

struct ini_ops {
	/* section is "" before the first one. */
	void (*value)(void *arg, unsigned line, const char *section,
	    const char *key, const char *value);
	void (*complain)(void *arg, unsigned line, const char *why);
};

void ini_parse(const char *p, size_t len, const struct ini_ops *ops, void *arg);

#endif
