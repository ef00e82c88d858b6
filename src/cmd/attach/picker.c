#include "cmd/attach/picker.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "vt/key.h"

#define WIDE 60        /* columns for the long heading */
#define PREVIEW_FROM 8 /* rows of the screen for a preview */
#define LIST_MIN 3     /* rows of the list beside a preview */
#define NAME_MAX_COLS 24
#define PAGE 10

void
picker_init(struct picker *p)
{
	memset(p, 0, sizeof(*p));
}

void
picker_finish(struct picker *p)
{
	free(p->rows);
	p->rows = NULL;
}

/* ------------------------------------------------------------- selection */

static bool
matches(const struct picker *p, const struct picker_row *r)
{
	return strcasestr(r->name, p->filter) != NULL ||
	    strcasestr(r->about, p->filter) != NULL;
}

static size_t
count(const struct picker *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += matches(p, &p->rows[i]);
	return n;
}

static const struct picker_row *
nth(const struct picker *p, size_t at)
{
	for (size_t i = 0; i < p->n; i++)
		if (matches(p, &p->rows[i]) && at-- == 0)
			return &p->rows[i];
	return NULL;
}

const struct picker_row *
picker_selected(const struct picker *p)
{
	return nth(p, p->at);
}

/* Select that session, or else the same row. */
static void
select_id(struct picker *p, const char *id)
{
	size_t n = count(p);

	for (size_t i = 0; i < n; i++)
		if (strcmp(nth(p, i)->id, id) == 0) {
			p->at = i;
			return;
		}
	if (p->at >= n)
		p->at = n > 0 ? n - 1 : 0;
}

static void
get_id(const struct picker *p, char id[ID_SIZE])
{
	const struct picker_row *r = picker_selected(p);

	snprintf(id, ID_SIZE, "%s", r != NULL ? r->id : "");
}

void
picker_renew(struct picker *p, struct picker_row *rows, size_t n)
{
	char id[ID_SIZE];

	get_id(p, id);
	free(p->rows);
	p->rows = rows;
	p->n = n;
	select_id(p, id);
}

static void
move(struct picker *p, long by)
{
	long n = (long)count(p), at = (long)p->at + by;

	if (at >= n)
		at = n - 1;
	p->at = at > 0 ? (size_t)at : 0;
}

/* ------------------------------------------------------------------ keys */

/* The selection stays if it matches the new filter. */
static void
set_filter(struct picker *p, const char *text)
{
	char id[ID_SIZE];

	get_id(p, id);
	snprintf(p->filter, sizeof(p->filter), "%s", text);
	select_id(p, id);
}

static void
erase(struct picker *p)
{
	char text[PICKER_FILTER_MAX];
	size_t len = strlen(p->filter);

	memcpy(text, p->filter, sizeof(text));
	while (len > 0 && ((unsigned char)text[--len] & 0xc0) == 0x80)
		;
	text[len] = '\0';
	set_filter(p, text);
}

/* A key for the filter's line; text beyond its limit is dropped. */
static bool
filter_key(struct picker *p, const struct key *k)
{
	char text[PICKER_FILTER_MAX + KEY_TEXT_MAX], typed[KEY_TEXT_MAX];

	if (k->code == KEY_ESCAPE) {
		p->filtering = false;
		set_filter(p, "");
	} else if (k->code == KEY_BACKSPACE) {
		erase(p);
	} else if (key_is_char(k->code) && !(k->mods & KEY_MOD_COMMAND) &&
	    key_text(k, typed) > 0) {
		snprintf(text, sizeof(text), "%s%s", p->filter, typed);
		if (strlen(text) < sizeof(p->filter))
			set_filter(p, text);
	} else {
		return false;
	}
	return true;
}

static bool
move_key(struct picker *p, uint32_t code)
{
	static const struct {
		uint32_t code;
		long by;
	} moves[] = {
		{ KEY_UP, -1 },
		{ 'k', -1 },
		{ KEY_DOWN, 1 },
		{ 'j', 1 },
		{ KEY_PAGE_UP, -PAGE },
		{ KEY_PAGE_DOWN, PAGE },
		{ KEY_HOME, -INT32_MAX },
		{ KEY_END, INT32_MAX },
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (moves[i].code == code) {
			move(p, moves[i].by);
			return true;
		}
	return false;
}

enum picker_result
picker_key(struct picker *p, const struct key *k)
{
	if (k->event == KEY_RELEASE)
		return PICKER_GOES_ON;
	if (k->code == 'c' && (k->mods & KEY_MOD_CTRL))
		return PICKER_LEFT;
	if (k->code == KEY_ENTER)
		return picker_selected(p) != NULL ? PICKER_CHOSEN :
						    PICKER_GOES_ON;
	if (p->filtering && filter_key(p, k))
		return PICKER_GOES_ON;
	if (k->mods & KEY_MOD_COMMAND || move_key(p, k->code))
		return PICKER_GOES_ON;
	p->filtering |= k->code == '/';
	return k->code == 'q' || k->code == KEY_ESCAPE ? PICKER_LEFT :
							 PICKER_GOES_ON;
}

/* --------------------------------------------------------------- drawing */

static void
put_heading(const struct picker *p, unsigned cols, struct buf *out)
{
	buf_puts(out, "\033[7m");
	if (p->filtering)
		buf_printf(out,
		    " /%s_ \u00b7 Enter attaches \u00b7 Esc shows all",
		    p->filter);
	else if (cols < WIDE)
		buf_puts(out,
		    " Enter attaches \u00b7 / filters \u00b7 q quits");
	else
		buf_printf(out,
		    " %zu sessions \u00b7 arrows move \u00b7 Enter attaches "
		    "\u00b7 / filters \u00b7 q quits",
		    p->n);
	buf_puts(out, "\033[K\033[0m");
}

static int
name_columns(const struct picker *p)
{
	size_t most = 0;

	for (size_t i = 0; i < p->n; i++)
		if (strlen(p->rows[i].name) > most)
			most = strlen(p->rows[i].name);
	return most < NAME_MAX_COLS ? (int)most : NAME_MAX_COLS;
}

/* The part of the list around the selection. */
static void
put_list(const struct picker *p, unsigned rows, struct buf *out)
{
	size_t top = p->at >= rows ? p->at - rows + 1 : 0;
	int width = name_columns(p);

	if (count(p) == 0)
		buf_puts(out, "\r\n no session matches");
	for (size_t i = top; i < top + rows && nth(p, i) != NULL; i++) {
		const struct picker_row *r = nth(p, i);

		buf_printf(out, "\r\n%s %-*.*s  %s\033[K\033[0m",
		    i == p->at ? "\033[7m" : "", width, NAME_MAX_COLS, r->name,
		    r->about);
	}
}

/* The last lines of the text that fit. */
static void
put_preview(const char *text, unsigned rows, struct buf *out)
{
	size_t len = strlen(text), from;
	unsigned n = 0;

	while (len > 0 && text[len - 1] == '\n')
		len--;
	for (from = len; from > 0; from--)
		if (text[from - 1] == '\n' && ++n == rows)
			break;
	while (from < len) {
		size_t line = strcspn(text + from, "\n");

		line = line < len - from ? line : len - from;
		buf_puts(out, "\r\n");
		buf_append(out, text + from, line);
		from += line + 1;
	}
}

void
picker_draw(const struct picker *p, unsigned cols, unsigned rows,
    const char *preview, struct buf *out)
{
	const struct picker_row *r = picker_selected(p);
	unsigned list = rows > 1 ? rows - 1 : 1;
	bool shows = preview != NULL && r != NULL && rows >= PREVIEW_FROM;

	if (shows) {
		list = (rows - 2) / 2 > LIST_MIN ? (rows - 2) / 2 : LIST_MIN;
		if (count(p) < list)
			list = (unsigned)count(p);
	}
	buf_puts(out, "\033[0m\033[?7;25l\033[H\033[2J");
	put_heading(p, cols, out);
	put_list(p, list, out);
	if (shows) {
		buf_printf(out, "\r\n\033[2m\u2500\u2500 %s \033[0m", r->name);
		put_preview(preview, rows - list - 2, out);
	}
	buf_puts(out, "\033[H");
}
