#include "cmd/look/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/line/out.h"
#include "home/words.h"
#include "session/manifest.h"
#include "vt/uni.h"

#define NAME_MAX_WIDE 24
#define NAME_MAX_IDS 14
/* Names are cut to NAME_SHORT before columns of this worth are dropped. */
#define NAME_SHORT 10
#define WORTH_A_NAME 5
#define COMMAND_MAX 24
#define WIDE 110    /* enough columns for everything */
#define REST_MIN 16 /* a shorter part of a line is useless */
#define GAP 2       /* between two columns */
#define TEXT_MAX (8 * MANIFEST_MAX)
#define EMOJI_STYLE 0xfe0f /* makes the character before it two columns wide */

#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define RED "\033[31m"
#define FAINT "\033[2m"
#define PLAIN "\033[m"

/* The colour of a cell; NULL: default. */
typedef const char *colour_fn(const struct manifest *m);
typedef void text_fn(const struct manifest *m, int64_t now_ms, struct buf *out);

struct column {
	const char *title;
	unsigned min, max; /* its width */
	enum { ALWAYS, WITH_IDS, WITHOUT_IDS, WITH_AGENTS, WHEN_WIDE } when;
	unsigned worth; /* without room, the lowest is dropped first */
	text_fn *text;
	colour_fn *colour;
};

/* ------------------------------------------------------------ the columns */

static void
put_id(const struct manifest *m, int64_t now_ms, struct buf *out)
{
	(void)now_ms;
	words_put_safe(out, m->id);
}

static void
put_name(const struct manifest *m, int64_t now_ms, struct buf *out)
{
	(void)now_ms;
	words_put_safe(out, m->name);
}

static void
put_status(const struct manifest *m, int64_t now_ms, struct buf *out)
{
	char text[WORDS_MAX];

	(void)now_ms;
	words_status(m, text, sizeof(text));
	if (m->status == STATUS_RUNNING && m->unkept)
		buf_puts(out, "unkept");
	else if (m->status == STATUS_RUNNING && m->degraded != NULL)
		buf_puts(out, "degraded");
	else
		buf_puts(out, text);
}

static const char *
status_colour(const struct manifest *m)
{
	if (m->status == STATUS_RUNNING)
		return m->unkept || m->degraded != NULL ? RED : GREEN;
	if (status_is_active(m->status))
		return YELLOW;
	if (m->outcome == OUTCOME_FAILED || m->outcome == OUTCOME_LOST)
		return RED;
	return FAINT;
}

/* Short words: a longer name would take the room of the last line. */
static const struct {
	const char *word, *colour;
} activities[ACTIVITIES] = {
	[ACTIVITY_UNKNOWN] = { "unknown", FAINT },
	[ACTIVITY_IDLE] = { "idle", NULL },
	[ACTIVITY_WORKING] = { "working", GREEN },
	[ACTIVITY_DONE] = { "done", NULL },
	[ACTIVITY_WAITING_PERMISSION] = { "permission", YELLOW },
	[ACTIVITY_WAITING_QUESTION] = { "question", YELLOW },
	[ACTIVITY_NEEDS_SETUP] = { "setup", YELLOW },
	[ACTIVITY_ERROR] = { "error", RED },
};

static bool
has_agent(const struct manifest *m)
{
	return m->agent.name[0] != '\0' && status_is_active(m->status);
}

static void
put_activity(const struct manifest *m, int64_t now_ms, struct buf *out)
{
	(void)now_ms;
	if (has_agent(m))
		buf_puts(out, activities[m->agent.activity].word);
}

static const char *
activity_colour(const struct manifest *m)
{
	return activities[m->agent.activity].colour;
}

static void
put_age(const struct manifest *m, int64_t now_ms, struct buf *out)
{
	char text[16];

	words_age(now_ms - m->created_ms, text, sizeof(text));
	buf_puts(out, text);
}

static void
put_size(const struct manifest *m, int64_t now_ms, struct buf *out)
{
	(void)now_ms;
	buf_printf(out, "%ux%u", m->cols, m->rows);
}

static void
put_viewers(const struct manifest *m, int64_t now_ms, struct buf *out)
{
	(void)now_ms;
	if (!status_has_live_host(m->status))
		buf_putc(out, '-');
	else if (m->observers < 0)
		buf_putc(out, '?');
	else
		buf_printf(out, "%d", m->observers);
}

static void
put_log(const struct manifest *m, int64_t now_ms, struct buf *out)
{
	char text[24];

	(void)now_ms;
	words_bytes(m->log_bytes, text, sizeof(text));
	buf_puts(out, text);
}

static void
put_command(const struct manifest *m, int64_t now_ms, struct buf *out)
{
	(void)now_ms;
	words_command(m->command, out);
}

/* Show the command in brackets until there is output. */
static void
put_last_line(const struct manifest *m, int64_t now_ms, struct buf *out)
{
	if (m->last_line[0] != '\0') {
		words_put_safe(out, m->last_line);
		return;
	}
	buf_putc(out, '[');
	put_command(m, now_ms, out);
	buf_putc(out, ']');
}

static const char *
faint(const struct manifest *m)
{
	(void)m;
	return FAINT;
}

/* The last column takes the remaining width. */
static const struct column columns[] = {
	{ "ID", 26, 26, WITH_IDS, 4, put_id, faint },
	{ "NAME", 4, NAME_MAX_WIDE, ALWAYS, 8, put_name, NULL },
	{ "STATUS", 9, 10, ALWAYS, 7, put_status, status_colour },
	{ "ACTIVITY", 8, 10, WITH_AGENTS, 7, put_activity, activity_colour },
	{ "AGE", 3, 5, ALWAYS, 5, put_age, NULL },
	{ "SIZE", 5, 11, WITHOUT_IDS, 2, put_size, NULL },
	{ "VIEWERS", 7, 7, WITHOUT_IDS, 3, put_viewers, NULL },
	{ "LOG", 3, 9, WHEN_WIDE, 0, put_log, NULL },
	{ "COMMAND", 7, COMMAND_MAX, WHEN_WIDE, 1, put_command, NULL },
	{ "LAST LINE", 0, 0, ALWAYS, 6, put_last_line, faint },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static bool
has_agents(const struct manifest *items, size_t n)
{
	size_t i = 0;

	while (i < n && !has_agent(&items[i]))
		i++;
	return i < n;
}

static bool
is_shown(const struct listing *l, const struct column *c,
    const struct manifest *items, size_t n)
{
	switch (c->when) {
	case WITH_IDS:
		return l->ids;
	case WITHOUT_IDS:
		return !l->ids;
	case WITH_AGENTS:
		return has_agents(items, n);
	case WHEN_WIDE:
		return l->width >= WIDE + (l->ids ? 20 : 0);
	default:
		return true;
	}
}

/* -------------------------------------------------------------- the table */

/* Append as much of s as fits into this width; return the width used. */
static unsigned
put_columns(struct buf *out, const char *s, unsigned width)
{
	struct utf8 u = { 0 };
	const char *from = s;
	unsigned used = 0, last = 0;
	uint32_t cp;

	for (; *s != '\0'; s++) {
		if (utf8_step(&u, (uint8_t)*s, &cp) != UTF8_DONE)
			continue;
		last = cp == EMOJI_STYLE && last == 1 ? 1 : uni_width(cp);
		/* Keep the last column for the sign of omission. */
		if (used + last > width ||
		    (used + last == width && s[1] != '\0')) {
			buf_puts(out, "…");
			return used + 1;
		}
		used += last;
		buf_append(out, from, (size_t)(s + 1 - from));
		from = s + 1;
	}
	return used;
}

static unsigned
width_of(const char *s)
{
	struct buf b;
	unsigned width;

	buf_init(&b, TEXT_MAX);
	width = put_columns(&b, s, UINT16_MAX);
	buf_finish(&b);
	return width;
}

static char *
text_of(const struct column *c, const struct manifest *m, int64_t now_ms)
{
	struct buf b;

	buf_init(&b, TEXT_MAX);
	c->text(m, now_ms, &b);
	return buf_take(&b);
}

static unsigned
most(const struct listing *l, const struct column *c)
{
	return l->ids && c->max == NAME_MAX_WIDE ? NAME_MAX_IDS : c->max;
}

static unsigned
width_within(const struct listing *l, const struct column *c,
    const struct manifest *items, size_t n)
{
	unsigned most_here = most(l, c), width = c->min;

	for (size_t i = 0; i < n && width < most_here; i++) {
		auto_free char *text = text_of(c, &items[i], l->now_ms);
		unsigned own = width_of(text);

		if (own > width)
			width = own < most_here ? own : most_here;
	}
	return width;
}

static unsigned
sum_of(const unsigned widths[COLUMNS])
{
	unsigned sum = 0;

	for (size_t c = 0; c < COLUMNS; c++)
		if (widths[c] > 0)
			sum += widths[c] + (sum > 0 ? GAP : 0);
	return sum;
}

/* The visible column with the lowest worth. */
static size_t
cheapest(const unsigned widths[COLUMNS])
{
	size_t found = COLUMNS;

	for (size_t c = 0; c < COLUMNS; c++)
		if (widths[c] > 0 &&
		    (found == COLUMNS ||
			columns[c].worth < columns[found].worth))
			found = c;
	return found;
}

/* Shorten the name's column by up to `excess`; false: it is short enough. */
static bool
cut_name(unsigned widths[COLUMNS], unsigned excess)
{
	size_t name = 0;

	while (columns[name].text != put_name)
		name++;
	if (widths[name] <= NAME_SHORT)
		return false;
	widths[name] -= excess < widths[name] - NAME_SHORT ?
	    excess :
	    widths[name] - NAME_SHORT;
	return true;
}

/*
 * Each column is as wide as its widest cell, within limits; 0 if hidden.
 * Columns are dropped until the rest fits; a name alone is cut to the width.
 */
static void
measure(const struct listing *l, const struct manifest *items, size_t n,
    unsigned widths[COLUMNS])
{
	size_t last = COLUMNS - 1;
	unsigned sum;

	for (size_t c = 0; c < last; c++)
		widths[c] = is_shown(l, &columns[c], items, n) ?
		    width_within(l, &columns[c], items, n) :
		    0;
	widths[last] = REST_MIN;
	while ((sum = sum_of(widths)) > l->width) {
		size_t c = cheapest(widths);

		if (columns[c].worth >= WORTH_A_NAME &&
		    cut_name(widths, sum - l->width))
			continue;
		if (sum_of(widths) == widths[c]) {
			widths[c] = l->width;
			return;
		}
		widths[c] = 0;
	}
	if (widths[last] > 0)
		widths[last] += l->width - sum;
}

static void
put_cell(const struct listing *l, const char *text, const char *colour,
    unsigned width, bool first, struct buf *out)
{
	unsigned used;

	if (!first)
		buf_printf(out, "%*s", GAP, "");
	if (l->colours && colour != NULL)
		buf_puts(out, colour);
	used = put_columns(out, text, width);
	if (l->colours && colour != NULL)
		buf_puts(out, PLAIN);
	buf_printf(out, "%*s", (int)(width - used), "");
}

/* Remove blanks after the last word. */
static void
end_line(struct buf *out)
{
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->len--;
	buf_putc(out, '\n');
}

static void
put_heading(const struct listing *l, const unsigned widths[COLUMNS],
    struct buf *out)
{
	bool first = true;

	for (size_t c = 0; c < COLUMNS; c++)
		if (widths[c] > 0) {
			put_cell(l, columns[c].title, FAINT, widths[c], first,
			    out);
			first = false;
		}
	end_line(out);
}

static void
put_session(const struct listing *l, const struct manifest *m,
    const unsigned widths[COLUMNS], struct buf *out)
{
	bool first = true;

	for (size_t c = 0; c < COLUMNS; c++) {
		const struct column *column = &columns[c];
		auto_free char *text = NULL;

		if (widths[c] == 0)
			continue;
		text = text_of(column, m, l->now_ms);
		put_cell(l, text,
		    column->colour != NULL ? column->colour(m) : NULL,
		    widths[c], first, out);
		first = false;
	}
	end_line(out);
}

void
listing_put(const struct listing *l, const struct manifest *items, size_t n,
    struct buf *out)
{
	unsigned widths[COLUMNS];

	if (n == 0)
		return;
	measure(l, items, n, widths);
	put_heading(l, widths, out);
	for (size_t i = 0; i < n; i++)
		put_session(l, &items[i], widths, out);
}
