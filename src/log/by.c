#include "log/by.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"

#define VIA " via "

void
by_format(const struct by *by, char out[BY_SIZE])
{
	if (by->principal[0] == '\0')
		snprintf(out, BY_SIZE, "%s", by->peer);
	else if (by->verified[0] == '\0')
		snprintf(out, BY_SIZE, "%s" VIA "%s", by->principal, by->peer);
	else
		snprintf(out, BY_SIZE, "%s (%s)" VIA "%s", by->principal,
		    by->verified, by->peer);
}

static void
copy(char *out, size_t size, const char *p, size_t len)
{
	size_t n = len < size - 1 ? len : size - 1;

	memcpy(out, p, n);
	out[n] = '\0';
}

static bool
is_peer(const char *s)
{
	return strncmp(s, "uid:", 4) == 0 || strncmp(s, "session:", 8) == 0;
}

/* "user:ann (token)" */
static void
split_principal(const char *p, size_t len, struct by *out)
{
	const char *blank = memchr(p, ' ', len);
	size_t n = blank != NULL ? (size_t)(blank - p) : len;

	if (blank != NULL && len - n > 3 && p[n + 1] == '(' &&
	    p[len - 1] == ')')
		copy(out->verified, sizeof(out->verified), p + n + 2,
		    len - n - 3);
	else
		n = len;
	copy(out->principal, sizeof(out->principal), p, n);
}

void
by_parse(const char *p, size_t len, struct by *out)
{
	char text[BY_SIZE];
	const char *via;

	copy(text, sizeof(text), p, len);
	*out = (struct by){ 0 };
	via = strstr(text, VIA);
	if (via != NULL && is_peer(via + strlen(VIA))) {
		copy(out->peer, sizeof(out->peer), via + strlen(VIA),
		    strlen(via + strlen(VIA)));
		split_principal(text, (size_t)(via - text), out);
	} else if (is_peer(text)) {
		copy(out->peer, sizeof(out->peer), text, strlen(text));
	} else {
		copy(out->principal, sizeof(out->principal), text,
		    strlen(text));
	}
}

void
by_put(const char *p, size_t len, struct json_out *j)
{
	struct by by;

	by_parse(p, len, &by);
	json_put_text(j, "by",
	    by.principal[0] != '\0' ? by.principal : by.peer);
	if (by.verified[0] != '\0')
		json_put_text(j, "verified", by.verified);
	if (by.peer[0] != '\0')
		json_put_text(j, "peer", by.peer);
}
