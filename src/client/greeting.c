#include "client/greeting.h"

#include <stdio.h>
#include <string.h>

#define NAME_MIN 8 /* columns left of a longer name */
#define PARTS 3

static unsigned
columns(const char *s)
{
	unsigned n = 0;

	for (; *s != '\0'; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* The name in so many columns; if it is cut, with an ellipsis. */
static void
put_name(const char *name, unsigned room, char *out, size_t size)
{
	bool cut = columns(name) > room;
	unsigned keep = cut && room > 0 ? room - 1 : room;
	size_t len = 0;

	for (unsigned n = 0; name[len] != '\0'; len++) {
		n += ((unsigned char)name[len] & 0xc0) != 0x80;
		if (n > keep)
			break;
	}
	snprintf(out, size, "%.*s%s", (int)len, name,
	    cut && room > 0 ? "\u2026" : "");
}

/* The first `parts` parts after the name. */
static void
put_rest(const struct greeting *g, unsigned parts, char *out, size_t size)
{
	const char *only = g->view_only && parts > 0 ? " \u00b7 view only" : "";

	if (parts < 2)
		snprintf(out, size, "%s", only);
	else
		snprintf(out, size, "%s \u00b7 %s %s detaches%s%s%s%s%s", only,
		    g->prefix, g->detach, parts > 2 ? " \u00b7 " : "",
		    parts > 2 ? g->prefix : "", parts > 2 ? " " : "",
		    parts > 2 ? g->help : "", parts > 2 ? " help" : "");
}

void
greeting_text(const struct greeting *g, unsigned cols, char out[GREETING_MAX])
{
	unsigned name = columns(g->name);
	unsigned want = name < NAME_MIN ? name : NAME_MIN;
	char cut[GREETING_MAX / 2], rest[GREETING_MAX / 2];
	unsigned parts = PARTS, room = 0;

	for (;; parts--) {
		put_rest(g, parts, rest, sizeof(rest));
		room = columns(rest) + 1 < cols ? cols - columns(rest) - 1 : 0;
		if (room >= want || parts == 0)
			break;
	}
	put_name(g->name, room, cut, sizeof(cut));
	snprintf(out, GREETING_MAX, " %.120s%.120s", cut, rest);
}
