/*
 * Two lines, each a grant or not, and a third with a name.  An accepted grant
 * is written back unchanged, grants neither approve nor admin, and covers
 * itself.  If it covers another grant, it allows everything that the other
 * allows.
 */
#include "session/grant.h"

#include <string.h>

#include "base/error.h"
#include "fuzz.h"

/* The next line of *p, without its end, cut to fit. */
static void
take_line(const uint8_t **p, size_t *len, char *out, size_t size)
{
	const uint8_t *end = memchr(*p, '\n', *len);
	size_t n = end != NULL ? (size_t)(end - *p) : *len;
	size_t used = n < size - 1 ? n : size - 1;

	memcpy(out, *p, used);
	out[used] = '\0';
	*p += end != NULL ? n + 1 : n;
	*len -= end != NULL ? n + 1 : n;
}

static bool
parse(const char *text, struct grant *out)
{
	struct error err = { 0 };

	if (grant_parse(text, out, &err) == 0)
		return true;
	MUST(err.code > 0 && err.msg[0] != '\0');
	return false;
}

static void
is_sound(const char *text, const struct grant *g, const char *name)
{
	char again[GRANT_TEXT_SIZE];

	grant_format(g, again);
	MUST(strcmp(text, again) == 0);
	MUST(!grant_allows(g, OP_APPROVE, name));
	MUST(!grant_allows(g, OP_ADMIN, name));
	MUST(!grant_allows(g, OP_CREATE, name));
	MUST(grant_covers(g, g));
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	char one[600], two[600], name[600];
	struct grant wide, narrow;

	take_line(&p, &len, one, sizeof(one));
	take_line(&p, &len, two, sizeof(two));
	take_line(&p, &len, name, sizeof(name));
	if (!parse(one, &wide) || strchr(name, '*') != NULL)
		return 0;
	is_sound(one, &wide, name);
	if (!parse(two, &narrow) || !grant_covers(&wide, &narrow))
		return 0;
	for (int i = 0; i < OP_PERMISSIONS; i++)
		if (grant_allows(&narrow, (enum op_permission)i, name))
			MUST(grant_allows(&wide, (enum op_permission)i, name));
	return 0;
}
