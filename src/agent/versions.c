#include "agent/versions.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

#define DIGITS ".0123456789"
#define NUMBER_MAX 999999999u

/* Take the next number and its dot; the numbers that are left out are 0. */
static bool
next_number(const char **s, uint64_t *out)
{
	*out = 0;
	if (**s == '\0')
		return true;
	if (!number_take(s, NUMBER_MAX, out))
		return false;
	if (**s != '.')
		return **s == '\0';
	(*s)++;
	return **s != '\0';
}

static bool
is_version(const char *s)
{
	uint64_t number;

	if (*s == '\0' || strlen(s) >= AGENT_VERSION_SIZE)
		return false;
	while (*s != '\0')
		if (!next_number(&s, &number))
			return false;
	return true;
}

/* Both are versions. */
static int
compare(const char *a, const char *b)
{
	uint64_t x, y;

	while (*a != '\0' || *b != '\0') {
		next_number(&a, &x);
		next_number(&b, &y);
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/* Take the digits and dots at *s. */
static bool
take_version(const char **s, char out[AGENT_VERSION_SIZE])
{
	size_t len = strspn(*s, DIGITS);

	if (len >= AGENT_VERSION_SIZE)
		return false;
	memcpy(out, *s, len);
	out[len] = '\0';
	*s += len;
	return is_version(out);
}

static bool
take_range(const char **s, struct agent_range *r)
{
	if (!take_version(s, r->from))
		return false;
	*s += strspn(*s, " ");
	if (**s != '-') {
		memcpy(r->to, r->from, sizeof(r->to));
		return true;
	}
	(*s)++;
	*s += strspn(*s, " ");
	return take_version(s, r->to) && compare(r->from, r->to) <= 0;
}

int
agent_versions_add(struct agent_versions *v, const char *text,
    struct error *err)
{
	struct agent_versions more = *v;

	if (strcmp(text, "any") == 0) {
		v->any = true;
		return 0;
	}
	for (const char *s = text;; s++) {
		if (more.n == AGENT_RANGES_MAX)
			return error_set(err, EINVAL,
			    "more than %d ranges of versions",
			    AGENT_RANGES_MAX);
		s += strspn(s, " ");
		if (!take_range(&s, &more.of[more.n++]))
			break;
		s += strspn(s, " ");
		if (*s == '\0') {
			*v = more;
			return 0;
		}
		if (*s != ',')
			break;
	}
	return error_set(err, EINVAL,
	    "give versions, as in 1.2, 1.4.0-1.4.9, or any");
}

bool
agent_versions_have(const struct agent_versions *v, const char *version)
{
	if (v->any)
		return true;
	if (version == NULL || !is_version(version))
		return false;
	for (size_t i = 0; i < v->n; i++)
		if (compare(v->of[i].from, version) <= 0 &&
		    compare(version, v->of[i].to) <= 0)
			return true;
	return false;
}

void
agent_versions_list(const struct agent_versions *v, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < v->n && len < size; i++) {
		const struct agent_range *r = &v->of[i];
		const char *join = i == 0 ? "" : i + 1 < v->n ? ", " : " and ";
		bool one = strcmp(r->from, r->to) == 0;

		len += (size_t)snprintf(out + len, size - len, "%s%s%s%s", join,
		    r->from, one ? "" : " to ", one ? "" : r->to);
	}
}
