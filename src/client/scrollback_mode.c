#include "client/scrollback_mode.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "client/clipboard.h"
#include "client/keys.h"
#include "vt/key.h"
#include "vt/mouse.h"

#define WHEEL_ROWS 3

/* The window. */

static unsigned
height(const struct scrollback_mode *r)
{
	return r->rows > 1 ? r->rows - 1 : 1;
}

/* The number of rows from `from` down to `to`, at most `most`. */
static unsigned
rows_between(struct scrollback_mode *r, const struct scrollback_place *from,
    const struct scrollback_place *to, unsigned most)
{
	struct scrollback_place at = *from;
	unsigned n = 0;

	while (n < most && place_compare_rows(&at, to) < 0 &&
	    scrollback_forward(&r->scrollback, &at, 1) == 1)
		n++;
	return n;
}

/* Move the window as little as needed: the cursor is in it, and it is full. */
static void
follow_cursor(struct scrollback_mode *r)
{
	unsigned last = height(r) - 1;
	struct scrollback_place bottom = r->top;
	unsigned below;

	if (place_compare_rows(&r->cursor, &r->top) < 0) {
		r->top = r->cursor;
	} else if (rows_between(r, &r->top, &r->cursor, last + 1) > last) {
		r->top = r->cursor;
		(void)scrollback_back(&r->scrollback, &r->top, last);
	}
	bottom = r->top;
	below = scrollback_forward(&r->scrollback, &bottom, last);
	if (below < last)
		(void)scrollback_back(&r->scrollback, &r->top, last - below);
	r->top.col = 0;
}

/* A place outside the window moves to its middle. */
static void
go_to(struct scrollback_mode *r, const struct scrollback_place *to)
{
	bool above = place_compare_rows(to, &r->top) < 0;

	r->cursor = r->selection.to = *to;
	if (above || rows_between(r, &r->top, to, height(r)) == height(r)) {
		r->top = *to;
		(void)scrollback_back(&r->scrollback, &r->top, height(r) / 2);
	}
	follow_cursor(r);
}

/* Move the window, and the cursor only if it would leave the window. */
static void
scroll(struct scrollback_mode *r, int rows)
{
	struct scrollback_place bottom;

	if (rows < 0)
		(void)scrollback_back(&r->scrollback, &r->top, (unsigned)-rows);
	else
		(void)scrollback_forward(&r->scrollback, &r->top,
		    (unsigned)rows);
	bottom = r->top;
	if (scrollback_forward(&r->scrollback, &bottom, height(r) - 1) <
	    height(r) - 1)
		return; /* at the end; follow_cursor handles it */
	bottom.col = r->cursor.col;
	if (place_compare_rows(&r->cursor, &bottom) > 0)
		r->cursor = bottom;
	if (place_compare_rows(&r->cursor, &r->top) < 0) {
		unsigned col = r->cursor.col;

		r->cursor = r->top;
		r->cursor.col = col;
	}
}

/* Move the window and the cursor together. */
static void
leaf(struct scrollback_mode *r, int rows)
{
	if (rows < 0) {
		(void)scrollback_back(&r->scrollback, &r->top, (unsigned)-rows);
		(void)scrollback_back(&r->scrollback, &r->cursor,
		    (unsigned)-rows);
	} else {
		(void)scrollback_forward(&r->scrollback, &r->top,
		    (unsigned)rows);
		(void)scrollback_forward(&r->scrollback, &r->cursor,
		    (unsigned)rows);
	}
}

static unsigned
row_columns(struct scrollback_mode *r)
{
	const struct scrollback_part *c = scrollback_part_at(&r->scrollback,
	    r->cursor.seq);
	const char *text;
	size_t len;

	if (c == NULL || r->cursor.row >= c->n)
		return 0;
	len = scrollback_part_text(c, r->cursor.row, &text);
	ruler_lay(&r->scrollback.ruler, text, len);
	return ruler_cols(&r->scrollback.ruler);
}

static void
clamp(struct scrollback_mode *r)
{
	unsigned cols = row_columns(r);

	if (r->cursor.col >= cols)
		r->cursor.col = cols > 0 ? cols - 1 : 0;
}

/* Keys. */

static enum scrollback_mode_wish
go_up(struct scrollback_mode *r)
{
	(void)scrollback_back(&r->scrollback, &r->cursor, 1);
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_down(struct scrollback_mode *r)
{
	(void)scrollback_forward(&r->scrollback, &r->cursor, 1);
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_left(struct scrollback_mode *r)
{
	clamp(r);
	if (r->cursor.col > 0) /* to the first column of a wide character */
		r->cursor.col = ruler_col(&r->scrollback.ruler,
		    ruler_byte(&r->scrollback.ruler, r->cursor.col - 1));
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_right(struct scrollback_mode *r)
{
	unsigned cols = row_columns(r);
	unsigned next = r->cursor.col + 1;

	/* Skip the second half of a wide character. */
	while (next < cols &&
	    ruler_col(&r->scrollback.ruler,
		ruler_byte(&r->scrollback.ruler, next)) < next)
		next++;
	if (next < cols)
		r->cursor.col = next;
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_page_up(struct scrollback_mode *r)
{
	leaf(r, -(int)height(r));
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_page_down(struct scrollback_mode *r)
{
	leaf(r, (int)height(r));
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_half_up(struct scrollback_mode *r)
{
	leaf(r, -(int)(height(r) + 1) / 2);
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_half_down(struct scrollback_mode *r)
{
	leaf(r, (int)(height(r) + 1) / 2);
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_first(struct scrollback_mode *r)
{
	scrollback_first(&r->scrollback, &r->cursor);
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_last(struct scrollback_mode *r)
{
	scrollback_last(&r->scrollback, &r->cursor);
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_row_begin(struct scrollback_mode *r)
{
	r->cursor.col = 0;
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
go_row_end(struct scrollback_mode *r)
{
	unsigned cols = row_columns(r);

	r->cursor.col = cols > 0 ? cols - 1 : 0;
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
ask(struct scrollback_mode *r)
{
	(void)r;
	return SCROLLBACK_MODE_ASK;
}

static enum scrollback_mode_wish
ask_back(struct scrollback_mode *r)
{
	(void)r;
	return SCROLLBACK_MODE_ASK_BACK;
}

static enum scrollback_mode_wish
search_again(struct scrollback_mode *r)
{
	scrollback_mode_search(r, "", r->back);
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
search_other_way(struct scrollback_mode *r)
{
	bool back = r->back;

	scrollback_mode_search(r, "", !back);
	r->back = back;
	return SCROLLBACK_MODE_STAY;
}

static void
begin_selection(struct scrollback_mode *r, bool by_row)
{
	bool ends = r->selection.on && r->selection.by_row == by_row;

	clamp(r);
	if (!r->selection.on)
		r->selection.from = r->cursor;
	r->selection.by_row = by_row;
	r->selection.on = !ends;
}

static enum scrollback_mode_wish
select_characters(struct scrollback_mode *r)
{
	begin_selection(r, false);
	return SCROLLBACK_MODE_STAY;
}

static enum scrollback_mode_wish
select_rows(struct scrollback_mode *r)
{
	begin_selection(r, true);
	return SCROLLBACK_MODE_STAY;
}

static unsigned
count_lines(const struct buf *b)
{
	unsigned lines = 0;

	for (size_t i = 0; i < b->len; i++)
		lines += b->data[i] == '\n';
	return b->len > 0 && b->data[b->len - 1] != '\n' ? lines + 1 : lines;
}

/* Show the long text if it fits in the bar, otherwise the brief one. */
static void
say(struct scrollback_mode *r, const char *text, const char *brief)
{
	static const char head[] = " history 100% - ";
	bool fits = sizeof(head) - 1 + strlen(text) <= r->cols;

	snprintf(r->said, sizeof(r->said), "%s", fits ? text : brief);
}

/* Say only "sent": a terminal may ignore it silently. */
static void
say_sent(struct scrollback_mode *r, const struct buf *sent)
{
	unsigned lines = count_lines(sent);
	const char *s = lines == 1 ? "" : "s";
	char text[96], brief[64];

	snprintf(text, sizeof(text),
	    "sent %u line%s (%zu bytes) to the terminal's clipboard", lines, s,
	    sent->len);
	snprintf(brief, sizeof(brief), "sent %u line%s to the clipboard", lines,
	    s);
	say(r, text, brief);
}

static void
say_cut(struct scrollback_mode *r)
{
	char text[96], brief[64];

	snprintf(brief, sizeof(brief), "sent the first %u KiB only",
	    CLIPBOARD_MAX >> 10);
	snprintf(text, sizeof(text), "%s: the limit of a terminal", brief);
	say(r, text, brief);
}

static void
copy(struct scrollback_mode *r)
{
	struct buf text;
	bool all;

	buf_init(&text, CLIPBOARD_MAX);
	all = selection_copy(&r->selection, &r->scrollback, &text);
	clipboard_put(&r->copied, text.data, text.len);
	if (all)
		say_sent(r, &text);
	else
		say_cut(r);
	buf_finish(&text);
	r->selection.on = false;
}

static enum scrollback_mode_wish
copy_selection(struct scrollback_mode *r)
{
	if (r->selection.on)
		copy(r);
	else
		snprintf(r->said, sizeof(r->said),
		    "nothing selected: v starts, V by rows");
	return SCROLLBACK_MODE_STAY;
}

/* The first key to leave only ends a selection. */
static enum scrollback_mode_wish
leave(struct scrollback_mode *r)
{
	if (!r->selection.on)
		return SCROLLBACK_MODE_LEAVE;
	r->selection.on = false;
	return SCROLLBACK_MODE_STAY;
}

static const struct {
	const char *keys; /* key names; any of them does it */
	enum scrollback_mode_wish (*act)(struct scrollback_mode *r);
	const char *does;  /* NULL: as in the line before */
	const char *shown; /* for both, in the help */
} actions[] = {
	{ "Up k", go_up, "move the cursor", "arrows, h j k l" },
	{ "Down j", go_down, NULL, NULL },
	{ "Left h", go_left, NULL, NULL },
	{ "Right l", go_right, NULL, NULL },
	{ "PageUp b C-b", go_page_up, "a page up, down", "PgUp PgDn, b f" },
	{ "PageDown f C-f", go_page_down, NULL, NULL },
	{ "C-u", go_half_up, "half a page up, down", "C-u C-d" },
	{ "C-d", go_half_down, NULL, NULL },
	{ "Home g", go_first, "beginning, end", "g G, Home End" },
	{ "End G", go_last, NULL, NULL },
	{ "0 ^", go_row_begin, "ends of the row", "0 $" },
	{ "$", go_row_end, NULL, NULL },
	{ "/", ask, "search down, up", "/ ?" },
	{ "?", ask_back, NULL, NULL },
	{ "n", search_again, "next, previous match", "n N" },
	{ "N", search_other_way, NULL, NULL },
	{ "v Space", select_characters, "select, by rows", "v V" },
	{ "V", select_rows, NULL, NULL },
	{ "y Enter", copy_selection, "copy to clipboard", "y, Enter" },
	{ "q Escape C-c", leave, "leave", "q, Escape" },
};

#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

bool
scrollback_mode_help(size_t i, const char **keys, const char **does)
{
	for (size_t k = 0; k < ACTIONS; k++) {
		if (actions[k].does == NULL || i-- > 0)
			continue;
		*keys = actions[k].shown;
		*does = actions[k].does;
		return true;
	}
	return false;
}

int
scrollback_mode_open(struct scrollback_mode *r, int dirfd, int timeout_ms,
    struct error *err)
{
	int rc;

	memset(r, 0, sizeof(*r));
	rc = scrollback_open(&r->scrollback, dirfd, timeout_ms, err);
	if (rc < 0)
		return rc;
	search_init(&r->search);
	buf_init(&r->copied, 2 * CLIPBOARD_MAX);
	scrollback_last(&r->scrollback, &r->cursor);
	r->top = r->cursor;
	(void)go_row_end(r);
	return 0;
}

void
scrollback_mode_close(struct scrollback_mode *r)
{
	scrollback_page_finish(&r->page);
	search_finish(&r->search);
	buf_finish(&r->copied);
	scrollback_close(&r->scrollback);
	memset(r, 0, sizeof(*r));
}

bool
scrollback_mode_is_open(const struct scrollback_mode *r)
{
	return scrollback_is_open(&r->scrollback);
}

enum scrollback_mode_wish
scrollback_mode_key(struct scrollback_mode *r, const struct key *k)
{
	enum scrollback_mode_wish wish = SCROLLBACK_MODE_STAY;

	r->said[0] = '\0';
	if (r->search.state == SEARCH_GOING) {
		r->search.state = SEARCH_IDLE;
		snprintf(r->said, sizeof(r->said), "search stopped");
		return SCROLLBACK_MODE_STAY;
	}
	for (size_t i = 0; i < ACTIONS; i++)
		if (keys_match(k, actions[i].keys)) {
			wish = actions[i].act(r);
			follow_cursor(r);
			break;
		}
	r->selection.to = r->cursor;
	return wish;
}

/* The place shown at that position. */
static struct scrollback_place
place_at(struct scrollback_mode *r, uint32_t row, uint32_t col)
{
	struct scrollback_place at = r->top;

	if (row > height(r) - 1)
		row = height(r) - 1;
	(void)scrollback_forward(&r->scrollback, &at, row);
	at.col = col;
	return at;
}

static void
drag(struct scrollback_mode *r, const struct mouse_event *ev)
{
	r->cursor = place_at(r, ev->row, ev->col);
	clamp(r);
	if (ev->type == MOUSE_PRESS) {
		r->selection = (struct selection){ .from = r->cursor };
		r->dragging = true;
	} else if (place_compare(&r->cursor, &r->selection.from) != 0) {
		r->selection.on = true;
	}
	if (ev->type == MOUSE_RELEASE)
		r->dragging = false;
}

void
scrollback_mode_mouse(struct scrollback_mode *r, const struct mouse_event *ev)
{
	if (r->search.state == SEARCH_GOING)
		return;
	r->said[0] = '\0';
	if (ev->type == MOUSE_SCROLL) {
		scroll(r,
		    ev->button == MOUSE_WHEEL_DOWN ? WHEEL_ROWS : -WHEEL_ROWS);
		follow_cursor(r);
	} else if ((ev->type == MOUSE_PRESS && ev->button == MOUSE_LEFT) ||
	    r->dragging) {
		drag(r, ev);
	}
	r->selection.to = r->cursor;
}

/* Searching. */

void
scrollback_mode_search(struct scrollback_mode *r, const char *text, bool back)
{
	if (*text != '\0')
		needle_set(&r->search.needle, text);
	if (r->search.needle.len == 0) {
		snprintf(r->said, sizeof(r->said),
		    "no search yet: / starts one");
		return;
	}
	r->back = back;
	clamp(r);
	search_begin(&r->search, &r->scrollback, &r->cursor, back);
	scrollback_mode_work(r);
}

bool
scrollback_mode_is_busy(const struct scrollback_mode *r)
{
	return r->search.state == SEARCH_GOING;
}

void
scrollback_mode_work(struct scrollback_mode *r)
{
	search_step(&r->search, &r->scrollback);
	if (r->search.state == SEARCH_MISSED) {
		snprintf(r->said, sizeof(r->said), "not found: %.120s",
		    r->search.needle.text);
	} else if (r->search.state == SEARCH_FOUND) {
		go_to(r, &r->search.found);
		if (r->search.wrapped)
			snprintf(r->said, sizeof(r->said),
			    "continued from the %s",
			    r->search.back ? "end" : "beginning");
	}
	if (r->search.state != SEARCH_GOING)
		r->search.state = SEARCH_IDLE;
}

/* The bar. */

/* Append if it fits, with a dot before it. */
static void
add_key(struct buf *b, unsigned cols, const char *text)
{
	/* The dot is one column, and two bytes. */
	size_t dots = 0;

	for (size_t i = 0; i < b->len; i++)
		dots += b->data[i] == 0xc2;
	if (b->len - dots + 3 + strlen(text) <= cols)
		buf_printf(b, " \u00b7 %s", text);
}

static void
put_keys(const struct scrollback_mode *r, struct buf *b)
{
	static const char *const reading[] = { "q leave", "/ search",
		"v select", "n N next", "g G ends", "PgUp PgDn" };
	static const char *const selecting[] = { "y copy", "Escape drop",
		"arrows extend" };

	if (r->selection.on)
		for (size_t i = 0; i < 3; i++)
			add_key(b, r->cols, selecting[i]);
	else
		for (size_t i = 0; i < 6; i++)
			add_key(b, r->cols, reading[i]);
}

static void
make_bar(struct scrollback_mode *r)
{
	bool busy = r->search.state == SEARCH_GOING;
	unsigned percent = busy ?
	    scrollback_percent_of(&r->scrollback, r->search.offset) :
	    scrollback_percent(&r->scrollback, &r->cursor);
	struct buf b;

	buf_init(&b, sizeof(r->bar) - 1);
	buf_puts(&b, r->cols >= 60 ? " history " : " ");
	if (busy)
		buf_printf(&b, "searching at %u%% \u00b7 any key stops",
		    percent);
	else
		buf_printf(&b, "%u%%", percent);
	if (r->said[0] != '\0')
		buf_printf(&b, " \u00b7 %s", r->said);
	else if (!busy)
		put_keys(r, &b);
	memcpy(r->bar, b.data, b.len);
	r->bar[b.len] = '\0';
	buf_finish(&b);
}

void
scrollback_mode_draw(struct scrollback_mode *r, unsigned cols, unsigned rows)
{
	struct scrollback_page_view view = { .cols = cols,
		.rows = rows,
		.selection = &r->selection,
		.needle = &r->search.needle };

	if (r->cols != cols || r->rows != rows) {
		r->cols = cols;
		r->rows = rows;
		follow_cursor(r);
	}
	view.top = r->top;
	view.cursor = r->cursor;
	scrollback_page_draw(&r->page, &r->scrollback, &view);
	make_bar(r);
}
