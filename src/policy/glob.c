#include "policy/glob.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

/* The length of the first segment. */
static size_t
segment(const char *s)
{
	return strcspn(s, "/");
}

/* The rest behind the first segment; NULL behind the last one. */
static const char *
after(const char *s)
{
	s += segment(s);
	return *s == '/' ? s + 1 : NULL;
}

static bool
is_any(const char *p)
{
	return segment(p) == 2 && p[0] == '*' && p[1] == '*';
}

int
glob_check(const char *pattern, struct error *err)
{
	unsigned n = 0;

	if (pattern[0] == '\0')
		return error_set(err, EINVAL, "a pattern must not be empty");
	if (strlen(pattern) > GLOB_SIZE_MAX)
		return error_set(err, EINVAL, "a pattern has at most %d bytes",
		    GLOB_SIZE_MAX);
	for (const char *p = pattern; p != NULL; p = after(p)) {
		size_t len = segment(p);

		if (len == 0)
			return error_set(err, EINVAL,
			    "the pattern \"%.100s\" has an empty segment",
			    pattern);
		if (memchr(p, '*', len) != NULL && len != 1 && !is_any(p))
			return error_set(err, EINVAL,
			    "in \"%.100s\" a segment is text, `*` or `**`, and "
			    "no mixture",
			    pattern);
		if (++n > GLOB_SEGMENTS_MAX)
			return error_set(err, EINVAL,
			    "a pattern has at most %d segments",
			    GLOB_SEGMENTS_MAX);
	}
	return 0;
}

static bool
fits(const char *pattern, const char *name)
{
	size_t len = segment(pattern), n = segment(name);

	if (len == 1 && pattern[0] == '*')
		return n > 0;
	return len == n && memcmp(pattern, name, n) == 0;
}

/*
 * As for wildcards of bytes: after a mismatch, the last `**` takes one more
 * segment.  Earlier ones need no second try.
 */
bool
glob_match(const char *pattern, const char *name)
{
	const char *star = NULL, *star_name = NULL;

	for (;;) {
		if (pattern != NULL && is_any(pattern)) {
			star = after(pattern);
			star_name = name;
			pattern = star;
			if (pattern == NULL)
				return true;
		} else if (name == NULL) {
			return pattern == NULL;
		} else if (pattern != NULL && fits(pattern, name)) {
			pattern = after(pattern);
			name = after(name);
		} else if (star != NULL && star_name != NULL) {
			star_name = after(star_name);
			name = star_name;
			pattern = star;
		} else {
			return false;
		}
	}
}
