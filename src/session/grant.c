#include "session/grant.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define SEGMENTS_MAX 8 /* the same as in a name */
#define NAME_BYTES \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

/* A segment of a pattern or of a name ends at a slash or the NUL. */
static size_t
segment_len(const char *s)
{
	return strcspn(s, "/");
}

static bool
is_deep(const char *segment)
{
	return segment_len(segment) == 2 && memcmp(segment, "**", 2) == 0;
}

static const char *
next_segment(const char *s)
{
	s += segment_len(s);
	return *s == '/' ? s + 1 : NULL;
}

static int
check_glob(const char *glob, struct error *err)
{
	unsigned n = 0;

	if (strlen(glob) >= GRANT_GLOB_SIZE)
		return error_set(err, EINVAL,
		    "a pattern of names has at most %d bytes",
		    GRANT_GLOB_SIZE - 1);
	for (const char *s = glob; s != NULL; s = next_segment(s)) {
		size_t len = segment_len(s);

		if (len == 0 || strspn(s, NAME_BYTES "*") < len ||
		    (!is_deep(s) && strstr(s, "**") != NULL &&
			strstr(s, "**") < s + len))
			return error_set(err, EINVAL,
			    "\"%.100s\" is not a pattern of names; use "
			    "segments of letters, digits, '.', '_', '-' and "
			    "'*' between slashes, or '**' for any depth",
			    glob);
		if (++n > SEGMENTS_MAX)
			return error_set(err, EINVAL,
			    "a pattern of names has at most %d segments",
			    SEGMENTS_MAX);
	}
	return 0;
}

int
grant_parse(const char *text, struct grant *out, struct error *err)
{
	const char *colon = strchr(text, ':');
	enum op_permission permission = OP_PERMISSIONS;
	char word[16] = "";
	int rc;

	if (colon != NULL && (size_t)(colon - text) < sizeof(word)) {
		memcpy(word, text, (size_t)(colon - text));
		permission = op_permission_find(word);
	}
	if (permission == OP_PERMISSIONS)
		return error_set(err, EINVAL,
		    "\"%.100s\" is not a grant; give PERMISSION:NAMES, as in "
		    "'drive:team/*'",
		    text);
	if (op_permission_gives(permission) == 0)
		return error_set(err, EINVAL,
		    "%s cannot be granted; observe, drive and control can",
		    word);
	rc = check_glob(colon + 1, err);
	if (rc < 0)
		return rc;
	*out = (struct grant){ .permission = permission };
	memcpy(out->glob, colon + 1, strlen(colon + 1));
	return 0;
}

void
grant_format(const struct grant *g, char out[GRANT_TEXT_SIZE])
{
	snprintf(out, GRANT_TEXT_SIZE, "%s:%s",
	    op_permission_name(g->permission), g->glob);
}

/*
 * Match one segment.  A '*' in the text is an ordinary byte that only '*' in a
 * pattern matches.  So a pattern that matches another pattern matches
 * everything that the other does.
 */
static bool
segment_matches(const char *glob, size_t glob_len, const char *s, size_t len)
{
	size_t g = 0, at = 0, star = glob_len, resume = 0;

	while (at < len) {
		if (g < glob_len && glob[g] == '*') {
			star = g++;
			resume = at;
		} else if (g < glob_len && glob[g] == s[at]) {
			g++;
			at++;
		} else if (star < glob_len) {
			g = star + 1;
			at = ++resume;
		} else {
			return false;
		}
	}
	while (g < glob_len && glob[g] == '*')
		g++;
	return g == glob_len;
}

/* s may be a pattern too; only `**` matches its `**`.  NULL: the end. */
static bool
matches(const char *glob, const char *s)
{
	while (glob != NULL && !is_deep(glob)) {
		if (s == NULL || is_deep(s) ||
		    !segment_matches(glob, segment_len(glob), s,
			segment_len(s)))
			return false;
		glob = next_segment(glob);
		s = next_segment(s);
	}
	if (glob == NULL)
		return s == NULL;
	for (glob = next_segment(glob); s != NULL; s = next_segment(s))
		if (matches(glob, s))
			return true;
	return matches(glob, NULL);
}

static bool
includes(enum op_permission wide, enum op_permission narrow)
{
	return op_permission_gives(wide) & 1u << narrow;
}

bool
grant_allows(const struct grant *g, enum op_permission permission,
    const char *name)
{
	return includes(g->permission, permission) && matches(g->glob, name);
}

bool
grant_covers(const struct grant *wide, const struct grant *narrow)
{
	return includes(wide->permission, narrow->permission) &&
	    matches(wide->glob, narrow->glob);
}
