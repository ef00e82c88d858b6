#include "shell/mark.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "\033]133;";
#define PREFIX (sizeof(prefix) - 1)

/* The number at p, or -1 if it is not an exit status. */
static int
read_status(const char *p, size_t len)
{
	int n = 0;

	if (len == 0 || len > 3)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (p[i] < '0' || p[i] > '9')
			return -1;
		n = n * 10 + (p[i] - '0');
	}
	return n;
}

/* The value of a field with this name, or NULL for another field. */
static const char *
value_of(const char *p, size_t len, const char *name, size_t *rest)
{
	size_t n = strlen(name);

	if (len < n || memcmp(p, name, n) != 0)
		return NULL;
	*rest = len - n;
	return p + n;
}

static void
read_field(const char *p, size_t len, struct mark *out)
{
	const char *value;
	size_t n;

	if ((value = value_of(p, len, "tend=", &n)) != NULL) {
		if (n < sizeof(out->key))
			memcpy(out->key, value, n);
	} else if ((value = value_of(p, len, "err=", &n)) != NULL) {
		out->status = read_status(value, n);
	} else if ((value = value_of(p, len, "opts=", &n)) != NULL) {
		out->rough |= memchr(value, 'v', n) != NULL ||
		    memchr(value, 'x', n) != NULL;
	} else if (len == 5 && memcmp(p, "rough", 5) == 0) {
		out->rough = true;
	} else if (out->kind == 'D' && out->status < 0) {
		out->status = read_status(p, len);
	}
}

/* Parse the part between prefix and terminator: a kind and fields. */
static bool
parse(const char *p, size_t len, struct mark *out)
{
	const char *end = p + len, *semicolon;

	if (len == 0 || (len > 1 && p[1] != ';') ||
	    strchr("ABCDP", p[0]) == NULL)
		return false;
	*out = (struct mark){ .kind = p[0], .status = -1 };
	for (p += 1; p < end; p = semicolon) {
		p++;
		semicolon = memchr(p, ';', (size_t)(end - p));
		if (semicolon == NULL)
			semicolon = end;
		read_field(p, (size_t)(semicolon - p), out);
	}
	return true;
}

/* The byte does not continue the sequence; it may begin another. */
static void
restart(struct mark_scan *s, uint8_t c)
{
	s->n = 0;
	if (c == '\033')
		s->text[s->n++] = '\033';
}

/* True if the string ends here, with BEL or ST; *len excludes it. */
static bool
is_ended(const struct mark_scan *s, size_t *len)
{
	if (s->n > PREFIX && s->text[s->n - 1] == '\a')
		*len = s->n - 1 - PREFIX;
	else if (s->n > PREFIX + 1 && s->text[s->n - 1] == '\\' &&
	    s->text[s->n - 2] == '\033')
		*len = s->n - 2 - PREFIX;
	else
		return false;
	return true;
}

/* Feed one byte; true if a mark is complete. */
static bool
step(struct mark_scan *s, uint8_t c, struct mark *out)
{
	bool after_esc = s->n > PREFIX && s->text[s->n - 1] == '\033';
	size_t len = 0;
	bool found;

	if (s->n == sizeof(s->text) ||
	    (s->n < PREFIX && c != (uint8_t)prefix[s->n]) ||
	    (after_esc && c != '\\') ||
	    (s->n >= PREFIX && c < 0x20 && c != '\a' && c != '\033')) {
		restart(s, c);
		return false;
	}
	s->text[s->n++] = (char)c;
	if (!is_ended(s, &len))
		return false;
	found = parse(s->text + PREFIX, len, out);
	out->len = s->n;
	s->n = 0;
	return found;
}

bool
mark_next(struct mark_scan *s, const uint8_t *p, size_t len, size_t *read,
    struct mark *out)
{
	size_t at = 0;

	while (at < len) {
		if (s->n == 0) {
			const uint8_t *esc = memchr(p + at, '\033', len - at);

			if (esc == NULL)
				break;
			at = (size_t)(esc - p);
			/* Most sequences are not OSC, and there are many. */
			if (at + 1 < len && p[at + 1] != (uint8_t)prefix[1]) {
				at++;
				continue;
			}
		}
		if (step(s, p[at++], out)) {
			*read = at;
			return true;
		}
	}
	*read = len;
	return false;
}
