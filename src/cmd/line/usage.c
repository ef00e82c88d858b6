#include "cmd/line/usage.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"

#define COLUMNS 79
#define INDENT 12

static const char breaks[] = " \n\t[]()|";

/* Skip the bracketed group at p and dots after it. */
static const char *
skip_group(const char *p)
{
	int depth = 0;

	for (; *p != '\0'; p++) {
		depth += (*p == '[') - (*p == ']');
		if (depth == 0)
			return p + 1 + strspn(p + 1, ".");
	}
	return p;
}

/* Skip the rest of "A|B" after A: only one of them is given. */
static const char *
skip_others(const char *p)
{
	while (*p == '|') {
		p++;
		p += strcspn(p, breaks);
	}
	return p;
}

/* The next operand from *at on: its length, 0 at the end. */
static size_t
next(const char **at)
{
	size_t len = 0;

	while (**at != '\0' && len == 0) {
		len = strcspn(*at, breaks);
		if ((*at)[0] == '[' && (*at)[1] == '-')
			*at = skip_group(*at);
		else if (len == 0)
			*at += 1;
		else if (**at == '-') {
			*at += len;
			len = 0;
		}
	}
	return len;
}

static void
copy_word(const char *p, size_t len, char out[USAGE_WORD_MAX])
{
	const char *dots = memchr(p, '.', len);

	if (dots != NULL)
		len = (size_t)(dots - p);
	if (len > USAGE_WORD_MAX - 1)
		len = USAGE_WORD_MAX - 1;
	memcpy(out, p, len);
	out[len] = '\0';
}

/* Find the i-th operand, or the last if it may be repeated; its length, or 0. */
static size_t
find(const char *usage, unsigned i, const char **at)
{
	const char *last = NULL;
	size_t len, last_len = 0;

	*at = usage;
	for (unsigned n = 0; (len = next(at)) > 0; n++) {
		if (n == i)
			return len;
		last = memchr(*at, '.', len) != NULL ? *at : NULL;
		last_len = len;
		*at = skip_others(*at + len);
	}
	*at = last;
	return last != NULL ? last_len : 0;
}

bool
usage_operand(const char *usage, unsigned i, unsigned k,
    char out[USAGE_WORD_MAX])
{
	const char *at;
	size_t len = find(usage, i, &at);

	while (len > 0 && k > 0) {
		at += len;
		len = *at == '|' ? strcspn(++at, breaks) : 0;
		if (*at != '-')
			k--;
	}
	if (len > 0)
		copy_word(at, len, out);
	return len > 0;
}

/* The length of the words up to the next group, or up to the end of the line. */
static size_t
piece(const char *p)
{
	size_t len = 0;

	while (p[len] != '\0' && p[len] != '\n') {
		if (p[len] == '[')
			len = (size_t)(skip_group(p + len) - p);
		else
			len++;
		if (p[len] == ' ' && p[len + 1] == '[')
			break;
	}
	return len;
}

void
usage_put(struct buf *out, const char *name, const char *usage)
{
	size_t column;

	buf_printf(out, "usage: tend %s ", name);
	column = out->len;
	while (*usage != '\0') {
		size_t len = piece(usage);

		if (column + len > COLUMNS && usage[0] == ' ') {
			buf_printf(out, "\n%*s", INDENT, "");
			column = INDENT;
			usage++;
			len--;
		}
		buf_append(out, usage, len);
		column += len;
		usage += len;
		if (*usage == '\n') {
			buf_putc(out, *usage++);
			column = 0;
		}
	}
	buf_putc(out, '\n');
}

bool
usage_is_place(const char *word, size_t len)
{
	if (len == 0 || !isupper((unsigned char)word[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isupper((unsigned char)word[i]) &&
		    strchr("=_x", word[i]) == NULL)
			return false;
	return true;
}
