#include "op/typed.h"

#include <string.h>

#include "vt/vt.h"

#define ESC 0x1b

struct typed_place
typed_cursor(const struct vt *vt)
{
	struct vt_cursor c;

	vt_cursor(vt, &c);
	return (struct typed_place){
		.known = true,
		.alternate = vt_alt_screen(vt),
		.row = vt_scrolled(vt) + c.row,
		.col = c.col + c.pending_wrap,
	};
}

int
typed_row(const struct typed_place *place, const struct vt *vt)
{
	uint64_t top = vt_scrolled(vt);

	if (!place->known || place->alternate != vt_alt_screen(vt) ||
	    place->row < top || place->row - top >= vt_rows(vt))
		return -1;
	return (int)(place->row - top);
}

/* ---------------------------------------------------------------- typing */

static struct typed_run *
last_run(struct typed *t)
{
	struct typed_run
	    *run = &t->runs[(t->next + TYPED_RUNS - 1) % TYPED_RUNS];

	return run->used && !run->ended ? run : NULL;
}

/* The hash of the cursor's line, if no text follows the cursor. */
static uint64_t
line_before(const struct vt *vt, const struct typed_place *at)
{
	int row = typed_row(at, vt);
	struct logical line;
	unsigned first;

	if (row < 0)
		return 0;
	first = logical_first_row(vt, (unsigned)row);
	logical_read(&line, vt, first);
	return logical_end(&line, vt) <=
		((unsigned)row - first) * vt_cols(vt) + at->col ?
	    line.hash :
	    0;
}

/* The state of recording input: only the first run has a known place. */
struct typing {
	struct typed *t;
	const struct vt *vt;
	uint64_t seq;
	int64_t ms;
	bool first;
};

static struct typed_run *
begin_run(struct typing *g)
{
	struct typed_run *run = &g->t->runs[g->t->next];

	g->t->next = (g->t->next + 1) % TYPED_RUNS;
	*run = (struct typed_run){ .used = true, .seq = g->seq, .ms = g->ms };
	if (g->first && g->vt != NULL) {
		run->place = typed_cursor(g->vt);
		run->before = line_before(g->vt, &run->place);
		run->generation = vt_generation(g->vt);
	}
	g->first = false;
	return run;
}

/* Remove the last character. */
static void
erase(struct typed_run *run)
{
	while (run->len > 0 && ((uint8_t)run->text[--run->len] & 0xc0) == 0x80)
		continue;
}

/* A character that does not fit as a whole could not be found. */
static void
add_byte(struct typing *g, uint8_t byte)
{
	struct typed_run *run = last_run(g->t);

	if (run == NULL)
		run = begin_run(g);
	run->ms = g->ms;
	if (run->full)
		return;
	if (run->len < TYPED_TEXT) {
		run->text[run->len++] = (char)byte;
		return;
	}
	run->full = run->loose = true;
	if ((byte & 0xc0) == 0x80)
		erase(run);
}

static void
end_run(struct typing *g, bool entered)
{
	struct typed_run *run = last_run(g->t);

	if (run == NULL && entered)
		run = begin_run(g);
	if (run != NULL) {
		run->ended = true;
		run->entered = entered;
	}
	g->first = g->first && !entered;
}

/* The length of the sequence that a key sends; p[0] is ESC. */
static size_t
key_len(const uint8_t *p, size_t len)
{
	size_t n = 2;

	if (len < 2 || (p[1] != '[' && p[1] != 'O'))
		return len < 2 ? len : 2;
	while (n < len && (p[n] < 0x40 || p[n] > 0x7e))
		n++;
	return n < len ? n + 1 : len;
}

/* Pasted text is typed text; any other key may move the cursor. */
static size_t
take_key(struct typing *g, const uint8_t *p, size_t len)
{
	size_t n = key_len(p, len);

	if (n != 6 ||
	    (memcmp(p, "\033[200~", 6) != 0 && memcmp(p, "\033[201~", 6) != 0))
		end_run(g, false);
	return n;
}

/* Terminals echo the keys that end something: ^C, ^Z, ^\. */
static void
take_control(struct typing *g, uint8_t byte)
{
	struct typed_run *run = last_run(g->t);

	switch (byte) {
	case '\r':
	case '\n':
		end_run(g, true);
		break;
	case '\t':
		if (run != NULL)
			run->loose = true;
		break;
	case '\b':
	case 0x7f:
		if (run != NULL)
			erase(run);
		break;
	case 0x03:
	case 0x1a:
	case 0x1c:
		end_run(g, true);
		add_byte(g, '^');
		add_byte(g, byte | 0x40);
		end_run(g, false);
		break;
	default:
		end_run(g, false);
	}
}

void
typed_add(struct typed *t, const struct vt *vt, uint64_t seq, int64_t ms,
    const uint8_t *p, size_t len)
{
	struct typing g = { t, vt, seq, ms, true };
	struct typed_run *last = last_run(t);
	size_t n;

	/* A key that the program did not show was a command, not text. */
	if (last != NULL && last->looked && !last->here)
		last->ended = true;

	for (size_t i = 0; i < len; i += n) {
		n = 1;
		if (p[i] == ESC)
			n = take_key(&g, p + i, len - i);
		else if (p[i] < 0x20 || p[i] == 0x7f)
			take_control(&g, p[i]);
		else
			add_byte(&g, p[i]);
	}
}

/* --------------------------------------------------------------- finding */

/* The cells from the line's beginning to the cursor; -1: not in this line. */
static long
cursor_in(const struct logical *line, const struct vt *vt)
{
	struct vt_cursor c;

	vt_cursor(vt, &c);
	if (c.row < line->row || c.row >= line->row + line->rows)
		return -1;
	return (long)(c.row - line->row) * vt_cols(vt) + c.col + c.pending_wrap;
}

static unsigned
end_of(const struct typed_run *run, const struct logical *line,
    const struct vt *vt, unsigned to)
{
	unsigned end = run->loose ? logical_end(line, vt) : to;

	return end > to ? end : to;
}

/* The cell at which the run was typed, or continues; -1: not in this line. */
static long
begin_in(const struct typed_run *run, const struct logical *line,
    const struct vt *vt, size_t passed)
{
	int row = typed_row(&run->place, vt);

	if (passed > 0)
		return 0;
	if (row < line->row || row >= line->row + line->rows)
		return -1;
	return (long)(row - line->row) * vt_cols(vt) + run->place.col;
}

/*
 * After a key a program may print a word that begins with it at the cursor;
 * after an echo there is nothing, or the cursor.
 */
bool
typed_find(const struct typed_run *run, const struct logical *line,
    const struct vt *vt, struct typed_echo *echo)
{
	long begin = begin_in(run, line, vt, echo->len);
	unsigned at = (unsigned)begin, cells = line->rows * vt_cols(vt);
	size_t n;

	if (begin < 0 || run->len == 0)
		return false;
	n = logical_match(line, vt, &at, run->text + echo->len,
	    run->len - echo->len);
	echo->from = (unsigned)begin;
	echo->len += n;
	echo->to = end_of(run, line, vt, at);
	if (n > 0 && (cursor_in(line, vt) == (long)at || at == cells))
		return true;
	return echo->len == run->len &&
	    (run->loose || logical_is_blank(line, vt, at));
}

/* True if the text before the cell is empty or looks like a prompt. */
static bool
is_behind_prompt(const struct logical *line, const struct vt *vt, unsigned at,
    bool again)
{
	static const char *const ends[] = { "$", "#", "%", ">", "❯", "›", "»",
		"│", "|" };
	unsigned blanks = 0, cell;

	while (at > 0 && logical_is_blank(line, vt, at - 1)) {
		at--;
		blanks++;
	}
	if (at == 0)
		return !again;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		cell = at - 1;
		if (blanks > 0 &&
		    logical_match(line, vt, &cell, ends[i], strlen(ends[i])) ==
			strlen(ends[i]))
			return true;
	}
	return false;
}

/* True if the cell may be the first of the text; most are not. */
static bool
may_begin(const struct logical *line, const struct vt *vt, unsigned at,
    const char *text)
{
	unsigned cols = vt_cols(vt);
	uint8_t first = (uint8_t)text[0];
	struct vt_row row;

	vt_screen_row(vt, line->row + at / cols, &row);
	return at % cols < row.used &&
	    (first >= 0x80 || row.cells[at % cols].ch == first);
}

bool
typed_search(const struct typed_run *run, const struct logical *line,
    const struct vt *vt, unsigned *from, unsigned *to)
{
	unsigned end = logical_end(line, vt);

	if (run->len < 2)
		return false;
	for (unsigned x = 0; x < end; x++) {
		unsigned at = x;

		if (!may_begin(line, vt, x, run->text) ||
		    logical_is_blank(line, vt, x) ||
		    logical_match(line, vt, &at, run->text, run->len) !=
			run->len ||
		    !is_behind_prompt(line, vt, x, run->again))
			continue;
		*from = x;
		*to = end_of(run, line, vt, at);
		return true;
	}
	return false;
}
