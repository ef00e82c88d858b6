/*
 * Patterns of names: a line with a pattern, and a name.  glob_check accepts
 * exactly what its header says, and glob_match agrees with a reader that tries
 * every possibility.
 */
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "policy/glob.h"

#define TEXT_MAX 400
#define TRIED_MAX 9 /* segments, of which the slow reader tries all */

struct segments {
	const char *at[TEXT_MAX + 1];
	size_t len[TEXT_MAX + 1];
	size_t n;
};

static void
cut(const char *text, struct segments *s)
{
	for (s->n = 0;; s->n++) {
		const char *slash = strchr(text, '/');

		s->at[s->n] = text;
		s->len[s->n] = slash != NULL ? (size_t)(slash - text) :
					       strlen(text);
		if (slash == NULL)
			break;
		text = slash + 1;
	}
	s->n++;
}

static bool
is(const struct segments *s, size_t i, const char *text)
{
	return s->len[i] == strlen(text) &&
	    memcmp(s->at[i], text, s->len[i]) == 0;
}

static bool
is_pattern(const char *text, const struct segments *s)
{
	if (strlen(text) > GLOB_SIZE_MAX || s->n > GLOB_SEGMENTS_MAX)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		if (s->len[i] == 0)
			return false;
		if (memchr(s->at[i], '*', s->len[i]) != NULL &&
		    !is(s, i, "*") && !is(s, i, "**"))
			return false;
	}
	return true;
}

/* The pattern from segment i on matches the name from segment k on. */
static bool
matches(const struct segments *p, size_t i, const struct segments *n, size_t k)
{
	if (i == p->n)
		return k == n->n;
	if (is(p, i, "**"))
		return matches(p, i + 1, n, k) ||
		    (k < n->n && matches(p, i, n, k + 1));
	if (k == n->n)
		return false;
	if (is(p, i, "*") ? n->len[k] == 0 :
			    n->len[k] != p->len[i] ||
		    memcmp(n->at[k], p->at[i], p->len[i]) != 0)
		return false;
	return matches(p, i + 1, n, k + 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	static struct segments pattern, name;
	char text[TEXT_MAX + 1];
	struct error err = { 0 };
	char *line;
	bool accepted;

	if (len > TEXT_MAX || memchr(p, '\0', len) != NULL)
		return 0;
	memcpy(text, p, len);
	text[len] = '\0';
	line = strchr(text, '\n');
	if (line == NULL)
		return 0;
	*line++ = '\0';
	cut(text, &pattern);
	cut(line, &name);
	accepted = glob_check(text, &err) == 0;
	MUST(accepted == is_pattern(text, &pattern));
	MUST(accepted || err.msg[0] != '\0');
	if (!accepted)
		return 0;
	if (pattern.n <= TRIED_MAX && name.n <= TRIED_MAX)
		MUST(glob_match(text, line) == matches(&pattern, 0, &name, 0));
	else
		(void)glob_match(text, line);
	return 0;
}
