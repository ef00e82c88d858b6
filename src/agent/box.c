#include "agent/box.h"

#include <stdint.h>
#include <string.h>

#include "agent/page.h"
#include "agent/profile_state.h"
#include "base/buf.h"

/*
 * The text of a box is behind the last match of `begin`, and before the next
 * match of `end` (up to the first blank row if there is no `end`).  `margin` is
 * cut off from its rows.
 */

/* A box, and the search for it. */
struct finding {
	const struct agent_box_rule *rule;
	const struct agent_page *page;
	struct agent_search *search;
};

/* The last match of `begin` that begins in [at, len): its end. */
static bool
find_begin(const struct finding *f, const char *text, size_t at, size_t len,
    size_t *end)
{
	size_t from = 0, to = 0;
	bool found = false;

	text += at;
	len -= at;
	while (from < len &&
	    agent_pattern_find(&f->rule->begin.of[0], f->search, text, len,
		&from, &to)) {
		*end = at + to;
		found = true;
		from = to > from ? to : from + 1;
	}
	return found;
}

/* One past the text of the box that begins at `from`; false: it has no end. */
static bool
find_end(const struct finding *f, const char *text, size_t from, size_t len,
    size_t *end)
{
	size_t at = 0, to;
	const char *blank;

	if (f->rule->end.n > 0) {
		if (!agent_pattern_find(&f->rule->end.of[0], f->search,
			text + from, len - from, &at, &to))
			return false;
		*end = from + at;
		return true;
	}
	blank = memmem(text + from, len - from, "\n\n", 2);
	*end = blank != NULL ? (size_t)(blank - text) : len;
	return true;
}

/* The length of the margin at the beginning of the line. */
static size_t
margin_of(const struct finding *f, const char *line, size_t len)
{
	size_t from = 0, to;

	if (f->rule->margin.n == 0 ||
	    !agent_pattern_find(&f->rule->margin.of[0], f->search, line, len,
		&from, &to))
		return 0;
	return from == 0 ? to : 0;
}

/* Copy the rows in [p, end) without margin and blanks at both ends. */
static void
put_rows(const struct finding *f, const char *p, const char *end,
    struct buf *out)
{
	for (bool first = true; p < end; first = false) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl != NULL ? nl : end;

		if (!first) {
			p += margin_of(f, p, (size_t)(stop - p));
			buf_putc(out, '\n');
		}
		while (p < stop && *p == ' ')
			p++;
		while (stop > p && stop[-1] == ' ')
			stop--;
		buf_append(out, p, (size_t)(stop - p));
		p = nl != NULL ? nl + 1 : end;
	}
	while (out->len > 0 && out->data[out->len - 1] == '\n')
		out->len--;
}

static bool
is_empty(const struct finding *f, size_t from, size_t to,
    const struct buf *rows)
{
	const char *text = (const char *)rows->data;

	if (rows->len == 0 || rows->len == strspn(text, "\n"))
		return true;
	if (agent_patterns_any(&f->rule->placeholder, f->search, text,
		rows->len))
		return true;
	return f->rule->faint && agent_page_faint(f->page, from, to);
}

const char *
agent_box_name(enum agent_box box)
{
	static const char *const names[] = {
		[AGENT_BOX_NONE] = "none",
		[AGENT_BOX_EMPTY] = "empty",
		[AGENT_BOX_DRAFT] = "draft",
	};

	return names[box];
}

struct agent_box_shown
agent_box_find(const struct agent_box_rule *rule, const struct agent_page *page,
    struct agent_search *search)
{
	const struct finding f = { rule, page, search };
	struct agent_box_shown shown = { .box = AGENT_BOX_NONE };
	const char *text = (const char *)page->text.data;
	size_t from, to, len = page->text.len;
	struct buf rows;

	if (rule->begin.n == 0 || len == 0 ||
	    !find_begin(&f, text, agent_page_tail(page, rule->rows), len,
		&from) ||
	    !find_end(&f, text, from, len, &to))
		return shown;
	shown.row = page->first + agent_page_row(page, from);
	buf_init(&rows, AGENT_PAGE_BYTES);
	put_rows(&f, text + from, text + to, &rows);
	buf_append(&rows, "", 1);
	rows.len--;
	shown.box = is_empty(&f, from, to, &rows) ? AGENT_BOX_EMPTY :
						    AGENT_BOX_DRAFT;
	shown.folded = shown.box == AGENT_BOX_DRAFT &&
	    agent_patterns_any(&rule->fold, search, (const char *)rows.data,
		rows.len);
	buf_finish(&rows);
	return shown;
}
