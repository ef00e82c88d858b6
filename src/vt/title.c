/* Titles and their stack. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "vt/state.h"

void
titles_init(struct titles *t)
{
	memset(t, 0, sizeof(*t));
	t->title = xstrdup("");
	t->icon = xstrdup("");
}

static void
drop(struct titles *t)
{
	t->depth--;
	free(t->stack[t->depth].title);
	free(t->stack[t->depth].icon);
}

void
titles_finish(struct titles *t)
{
	while (t->depth > 0)
		drop(t);
	free(t->title);
	free(t->icon);
	t->title = t->icon = NULL;
}

/*
 * Copy a program's string for display: valid UTF-8, no control characters, cut
 * at max bytes.
 */
void
titles_set(char **slot, const char *s, size_t len, size_t max)
{
	char *out = xmalloc((len < max ? len * 3 : max) + 5);
	struct utf8 u = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < len && n < max;) {
		uint32_t cp = 0;
		enum utf8_step step = utf8_step(&u, (uint8_t)s[i], &cp);
		i += step != UTF8_BAD_AGAIN;
		if (step != UTF8_MORE && cp >= 0x20 && (cp < 0x7f || cp > 0x9f))
			n += utf8_encode(out + n, cp);
	}
	out[n] = '\0';
	free(*slot);
	*slot = xrealloc(out, n + 1, 1);
}

void
titles_push(struct titles *t, enum title_kinds which)
{
	if (t->depth == TITLE_STACK_MAX) {
		free(t->stack[0].title);
		free(t->stack[0].icon);
		memmove(t->stack, t->stack + 1,
		    (TITLE_STACK_MAX - 1) * sizeof(t->stack[0]));
		t->depth--;
	}
	t->stack[t->depth].title = which & TITLE ? xstrdup(t->title) : NULL;
	t->stack[t->depth].icon = which & ICON ? xstrdup(t->icon) : NULL;
	t->depth++;
}

/*
 * The last saved title of a kind: at the top, or the first below that has it.
 */
static const char *
newest(const struct titles *t, bool icon)
{
	for (unsigned i = t->depth; i-- > 0;) {
		const char *s = icon ? t->stack[i].icon : t->stack[i].title;
		if (s != NULL)
			return s;
	}
	return NULL;
}

static void
take(char **slot, const char *saved)
{
	if (saved == NULL)
		return;
	free(*slot);
	*slot = xstrdup(saved);
}

void
titles_pop(struct titles *t, enum title_kinds which)
{
	if (t->depth == 0)
		return;
	if (which & TITLE)
		take(&t->title, newest(t, false));
	if (which & ICON)
		take(&t->icon, newest(t, true));
	drop(t);
}

static size_t
size_of(const char *s)
{
	return s != NULL ? strlen(s) + 1 : 0;
}

size_t
titles_memory(const struct titles *t)
{
	size_t n = size_of(t->title) + size_of(t->icon);

	for (unsigned i = 0; i < t->depth; i++)
		n += size_of(t->stack[i].title) + size_of(t->stack[i].icon);
	return n;
}
