#include "base/ini.h"

#include <stdbool.h>
#include <string.h>

struct parsing {
	const struct ini_ops *ops;
	void *arg;
	unsigned line;
	char section[INI_LINE_MAX + 1];
};

static void
complain(struct parsing *p, const char *why)
{
	p->ops->complain(p->arg, p->line, why);
}

/* Trim the text in place. */
static char *
trim(char *s)
{
	size_t len;

	s += strspn(s, " \t");
	len = strlen(s);
	while (len > 0 && strchr(" \t", s[len - 1]) != NULL)
		len--;
	s[len] = '\0';
	return s;
}

static char *
unquote(char *s)
{
	size_t len = strlen(s);

	if (len < 2 || s[0] != '"' || s[len - 1] != '"')
		return s;
	s[len - 1] = '\0';
	return s + 1;
}

static void
take_section(struct parsing *p, char *s)
{
	size_t len = strlen(s);

	p->section[0] = '\0';
	if (s[len - 1] != ']') {
		complain(p, "the section has no closing ]");
		return;
	}
	s[len - 1] = '\0';
	s = trim(s + 1);
	memcpy(p->section, s, strlen(s) + 1);
}

static void
take_line(struct parsing *p, char *s)
{
	char *equals;

	s = trim(s);
	if (*s == '\0' || *s == '#' || *s == ';')
		return;
	if (*s == '[') {
		take_section(p, s);
		return;
	}
	equals = strchr(s, '=');
	if (equals == NULL || equals == s) {
		complain(p, "expected [section] or key = value");
		return;
	}
	*equals = '\0';
	p->ops->value(p->arg, p->line, p->section, trim(s),
	    unquote(trim(equals + 1)));
}

/* Settings need no control characters, and terminals would obey them. */
static bool
has_control(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)s[i] < ' ' && s[i] != '\t') || s[i] == 0x7f)
			return true;
	return false;
}

void
ini_parse(const char *p, size_t len, const struct ini_ops *ops, void *arg)
{
	struct parsing g = { .ops = ops, .arg = arg };
	char line[INI_LINE_MAX + 1];
	size_t n, next;

	for (; len > 0; p += next, len -= next) {
		const char *end = memchr(p, '\n', len);

		n = end != NULL ? (size_t)(end - p) : len;
		next = n + (end != NULL);
		g.line++;
		if (n > 0 && p[n - 1] == '\r')
			n--;
		if (n > INI_LINE_MAX) {
			complain(&g, "the line is too long");
		} else if (has_control(p, n)) {
			complain(&g, "the line has a control character");
		} else {
			memcpy(line, p, n);
			line[n] = '\0';
			take_line(&g, line);
		}
	}
}
