#include "op/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "vt/story.h"
#include "vt/vt.h"

#define NONE UINT32_MAX

/* The comparison of two frames. */
struct turn {
	struct ledger *l;
	const struct vt *vt;
	uint64_t born;     /* new lines get this event */
	uint64_t scrolled; /* rows, since the last frame */
	bool other;        /* the size or the terminal has changed */
	struct ledger_lines *old, now;
	uint32_t *first, *next; /* indexes of `now` by hash; NONE: end */
	size_t mask;
};

static void
lines_clear(struct ledger_lines *lines)
{
	free(lines->v);
	*lines = (struct ledger_lines){ 0 };
}

static void
lines_copy(struct ledger_lines *to, const struct ledger_lines *from)
{
	*to = (struct ledger_lines){ .n = from->n };
	to->v = xcalloc(from->n + 1, sizeof(*to->v));
	if (from->n > 0)
		memcpy(to->v, from->v, from->n * sizeof(*to->v));
}

void
ledger_finish(struct ledger *l)
{
	lines_clear(&l->shown[0]);
	lines_clear(&l->shown[1]);
	lines_clear(&l->gone);
	*l = (struct ledger){ 0 };
}

/* The line that contains the row, or NULL. */
static struct ledger_line *
line_at(const struct ledger_lines *lines, uint64_t row)
{
	size_t low = 0, high = lines->n;

	while (low < high) {
		size_t i = (low + high) / 2;
		const struct logical *at = &lines->v[i].at;

		if (row < at->row)
			high = i;
		else if (row >= (uint64_t)at->row + at->rows)
			low = i + 1;
		else
			return &lines->v[i];
	}
	return NULL;
}

/* -------------------------------------------------------------- reading */

static bool
has_changed(const struct turn *t, unsigned row)
{
	return vt_row_generation(t->vt, row) > t->l->generation;
}

/*
 * The line of the last frame that is unchanged in the same rows, or NULL.  The
 * row after it must not have become a part of it.
 */
static const struct ledger_line *
unchanged(const struct turn *t, unsigned row)
{
	const struct ledger_line *old = line_at(t->old, row);
	unsigned end;

	if (old == NULL || old->at.row != row)
		return NULL;
	end = row + old->at.rows;
	for (; row < end; row++)
		if (has_changed(t, row))
			return NULL;
	return end == vt_rows(t->vt) || !has_changed(t, end) ? old : NULL;
}

/* Most rows of a frame are unchanged and are not read again. */
static void
read_lines(struct turn *t)
{
	unsigned rows = vt_rows(t->vt);
	bool all = t->other || vt_generation(t->vt) < t->l->generation;

	t->now = (struct ledger_lines){ .v = xcalloc(rows, sizeof(*t->now.v)) };
	for (unsigned y = 0; y < rows; t->now.n++) {
		struct logical *at = &t->now.v[t->now.n].at;
		const struct ledger_line *old = all ? NULL : unchanged(t, y);

		if (old != NULL) {
			*at = old->at;
			y += at->rows;
		} else {
			y = logical_read(at, t->vt, y);
		}
	}
}

/* ----------------------------------------------------------------- echo */

static void
add_echo(const struct turn *t, struct ledger_line *line, unsigned from,
    unsigned to)
{
	if (from >= to)
		return;
	if (line->echo_from == line->echo_to) {
		line->echo_from = from;
		line->echo_to = to;
	}
	if (from < line->echo_from)
		line->echo_from = from;
	if (to > line->echo_to)
		line->echo_to = to;
	line->echo_hash = logical_prefix(&line->at, t->vt, line->echo_to);
}

static void
keep_echo(struct ledger_line *line, const struct ledger_line *from)
{
	if (line->echo_from < line->echo_to)
		return;
	line->echo_from = from->echo_from;
	line->echo_to = from->echo_to;
	line->echo_hash = from->echo_hash;
}

/* The next part of a line that the line editor has broken itself, or NULL. */
static struct ledger_line *
next_part(const struct turn *t, const struct ledger_line *line)
{
	return logical_is_full(&line->at, t->vt) ?
	    line_at(&t->now, (uint64_t)line->at.row + line->at.rows) :
	    NULL;
}

/* The text in the rows from one place to before another. */
static void
add_span(const struct turn *t, const struct ledger_span *s)
{
	unsigned cols = vt_cols(t->vt);
	int row = typed_row(&s->from, t->vt), end = typed_row(&s->to, t->vt);
	struct ledger_line *line;

	for (int y = row < 0 ? 0 : row; y <= end; y += line->at.rows) {
		unsigned from = 0, to;

		line = line_at(&t->now, (uint64_t)y);
		if (line == NULL)
			return;
		to = logical_end(&line->at, t->vt);
		if (y == row)
			from = ((unsigned)y - line->at.row) * cols +
			    s->from.col;
		if (end < line->at.row + line->at.rows)
			to = ((unsigned)end - line->at.row) * cols + s->to.col;
		add_echo(t, line, from, to);
		y = line->at.row;
	}
}

/*
 * The line being edited: the text after the prompt, if there was input.  Not in
 * a shell that never prints C, such as dash: there the output of a command
 * typed ahead follows the prompt.
 */
static void
add_input(const struct turn *t, const struct ledger_span *s)
{
	int row = typed_row(&s->from, t->vt);
	struct ledger_line *line;
	unsigned from;

	if (row < 0 || !t->l->input || (t->l->silent && !t->l->closes))
		return;
	line = line_at(&t->now, (uint64_t)row);
	if (line == NULL)
		return;
	from = ((unsigned)row - line->at.row) * vt_cols(t->vt) + s->from.col;
	for (; line != NULL; line = next_part(t, line)) {
		add_echo(t, line, from, logical_end(&line->at, t->vt));
		from = 0;
	}
}

static void
add_spans(struct turn *t)
{
	struct ledger *l = t->l;
	unsigned n = 0;

	for (unsigned i = 0; i < l->n_spans; i++) {
		if (l->spans[i].closed) {
			add_span(t, &l->spans[i]);
			continue;
		}
		add_input(t, &l->spans[i]);
		l->spans[n++] = l->spans[i];
	}
	l->n_spans = n;
}

/* True if the echo of the run is where it was typed. */
static bool
find_run(const struct turn *t, struct typed_run *run)
{
	int row = typed_row(&run->place, t->vt);
	struct ledger_line *line = row < 0 ? NULL :
					     line_at(&t->now, (uint64_t)row);
	struct typed_echo echo = { 0 };

	run->here = false;
	if (run->again || line == NULL)
		return false;
	while (line != NULL && typed_find(run, &line->at, t->vt, &echo)) {
		add_echo(t, line, echo.from, echo.to);
		run->here = true;
		line = echo.len < run->len ? next_part(t, line) : NULL;
	}
	run->again = run->here && run->ended && echo.len == run->len;
	return run->here;
}

static bool
has_left(const struct turn *t, const struct typed_run *run)
{
	struct typed_place cursor = typed_cursor(t->vt);

	return run->entered && run->place.known &&
	    (cursor.row != run->place.row ||
		cursor.alternate != run->place.alternate);
}

/*
 * The line on which the run was typed has changed, as a prompt does.  A similar
 * line elsewhere is not the same one: forget lines that have left their places
 * until it has come back.
 */
static void
leave_line(const struct turn *t, const struct typed_run *run)
{
	for (size_t i = 0; i < t->old->n; i++)
		if (t->old->v[i].at.hash == run->before)
			t->old->v[i].kept = true;
}

/*
 * The cursor follows a line like the one at which Enter was pressed, and that
 * line was written since.  So it is the next prompt, even if it is in the place
 * of an earlier one, as after a clear.
 */
static void
bear_prompt(const struct turn *t, const struct typed_run *run)
{
	struct typed_place cursor = typed_cursor(t->vt);
	unsigned row = (unsigned)(cursor.row - vt_scrolled(t->vt)), at;
	struct ledger_line *line = line_at(&t->now, row);

	if (!run->entered || line == NULL || line->at.hash != run->before)
		return;
	at = (row - line->at.row) * vt_cols(t->vt) + cursor.col;
	if (logical_end(&line->at, t->vt) <= at &&
	    vt_row_generation(t->vt, row) > run->generation)
		line->kept = false;
}

static void
add_typed(struct turn *t)
{
	for (unsigned i = 0; i < TYPED_RUNS; i++) {
		struct typed_run *run = &t->l->typed.runs[i];

		if (!run->used)
			continue;
		run->looked = true;
		if (find_run(t, run) || has_left(t, run))
			run->left = true;
		if (run->before == 0 || run->back)
			continue;
		bear_prompt(t, run);
		if (run->left)
			leave_line(t, run);
	}
}

/* True if the cursor is in a line like the one on which the run was typed. */
static bool
is_back(const struct turn *t, const struct typed_run *run)
{
	const struct ledger_line *line = line_at(&t->now,
	    typed_cursor(t->vt).row - vt_scrolled(t->vt));

	return line != NULL && line->at.hash == run->before &&
	    line->born > run->seq;
}

/* Find a run with an unknown place, or one that a line editor shows again. */
static void
search_run(const struct turn *t, struct typed_run *run)
{
	unsigned from, to;

	for (size_t i = t->now.n; i > 0; i--) {
		struct ledger_line *line = &t->now.v[i - 1];

		if (line->born != t->born || line->echo_from < line->echo_to ||
		    !typed_search(run, &line->at, t->vt, &from, &to))
			continue;
		add_echo(t, line, from, to);
		run->used = !run->ended;
		return;
	}
}

static void
search_typed(struct turn *t)
{
	for (unsigned i = 0; i < TYPED_RUNS; i++) {
		struct typed_run *run = &t->l->typed.runs[i];

		if (!run->used)
			continue;
		run->back = run->back || is_back(t, run);
		if (t->l->ms - run->ms > TYPED_MS)
			run->used = false;
		else if (!run->here)
			search_run(t, run);
	}
}

/* ------------------------------------------------------------ comparing */

static void
index_lines(struct turn *t)
{
	size_t size = 16;

	while (size < 2 * t->now.n)
		size *= 2;
	t->mask = size - 1;
	t->first = xmalloc(size * sizeof(*t->first));
	t->next = xmalloc((t->now.n + 1) * sizeof(*t->next));
	memset(t->first, 0xff, size * sizeof(*t->first));
	for (size_t i = t->now.n; i-- > 0;) {
		uint32_t
		    *first = &t->first[(t->now.v[i].at.hash >> 1) & t->mask];

		t->next[i] = *first;
		*first = (uint32_t)i;
	}
}

/* The next line with this hash from i on, or NONE. */
static uint32_t
like(const struct turn *t, uint32_t i, uint64_t hash)
{
	while (i != NONE && t->now.v[i].at.hash != hash)
		i = t->next[i];
	return i;
}

static uint32_t
first_like(const struct turn *t, uint64_t hash)
{
	return like(t, t->first[(hash >> 1) & t->mask], hash);
}

static void
keep(struct ledger_line *line, struct ledger_line *old)
{
	line->born = old->born;
	line->gone = old->gone;
	line->back = old->back;
	line->kept = old->kept = true;
	keep_echo(line, old);
}

/*
 * A line whose beginning has left the screen has another hash, but is the same.
 */
static void
keep_cut(struct turn *t)
{
	struct ledger_line *line = &t->now.v[0];
	struct ledger_line *old = line_at(t->old, t->scrolled);
	unsigned cells;

	if (t->now.n == 0 || !line->at.cut || old == NULL ||
	    (old->at.row == t->scrolled && !old->at.cut))
		return;
	cells = (unsigned)(t->scrolled - old->at.row) * t->l->cols;
	old->echo_from -= old->echo_from < cells ? old->echo_from : cells;
	old->echo_to -= old->echo_to < cells ? old->echo_to : cells;
	keep(line, old);
}

static void
keep_in_place(struct turn *t)
{
	for (size_t i = 0; i < t->now.n; i++) {
		struct ledger_line *line = &t->now.v[i];
		struct ledger_line *old = line_at(t->old,
		    line->at.row + t->scrolled);

		if (old != NULL && !old->kept && !line->kept &&
		    old->at.row == line->at.row + t->scrolled &&
		    old->at.hash == line->at.hash)
			keep(line, old);
	}
}

static bool
is_off(const struct turn *t, const struct ledger_line *old)
{
	return (uint64_t)old->at.row + old->at.rows <= t->scrolled;
}

/*
 * Match lines of the last frame or, with `returns`, lines that had disappeared.
 */
static void
keep_moved(struct turn *t, struct ledger_lines *old, bool returns)
{
	for (size_t i = 0; i < old->n; i++) {
		struct ledger_line *o = &old->v[i];
		uint32_t at = first_like(t, o->at.hash);

		if (o->kept || is_off(t, o))
			continue;
		while (at != NONE && t->now.v[at].kept)
			at = like(t, t->next[at], o->at.hash);
		if (at == NONE)
			continue;
		keep(&t->now.v[at], o);
		if (returns)
			t->now.v[at].back = t->born;
	}
}

/*
 * Like lines keep as many birth events as there are lines: without the oldest
 * if one has scrolled off, without the youngest if one has disappeared.
 */
static void
settle_births(struct turn *t, const struct ledger_line *old, bool off)
{
	uint32_t at = first_like(t, old->at.hash), worst = NONE;

	for (; at != NONE; at = like(t, t->next[at], old->at.hash)) {
		uint64_t born = t->now.v[at].born;

		if (!t->now.v[at].kept)
			continue;
		if (worst == NONE ||
		    (off ? born < t->now.v[worst].born :
			   born > t->now.v[worst].born))
			worst = at;
	}
	if (worst == NONE)
		return;
	if (off ? t->now.v[worst].born < old->born :
		  t->now.v[worst].born > old->born)
		t->now.v[worst].born = old->born;
}

static void
settle_all(struct turn *t)
{
	for (size_t i = 0; i < t->old->n; i++)
		if (!t->old->v[i].kept && t->old->v[i].at.hash != 0)
			settle_births(t, &t->old->v[i],
			    is_off(t, &t->old->v[i]));
}

/* A line that was extended keeps the echo at its beginning. */
static void
keep_echoes(struct turn *t)
{
	for (size_t i = 0; i < t->old->n; i++) {
		const struct ledger_line *old = &t->old->v[i];
		struct ledger_line *line;

		if (old->kept || old->echo_from == old->echo_to ||
		    old->at.row < t->scrolled)
			continue;
		line = line_at(&t->now, old->at.row - t->scrolled);
		if (line != NULL && !line->kept &&
		    line->at.row == old->at.row - t->scrolled &&
		    logical_prefix(&line->at, t->vt, old->echo_to) ==
			old->echo_hash)
			keep_echo(line, old);
	}
}

static void
bear(struct turn *t)
{
	for (size_t i = 0; i < t->now.n; i++)
		if (!t->now.v[i].kept)
			t->now.v[i].born = t->other ? 0 : t->born;
}

/* ------------------------------------------------------------- a frame */

/* Lines that disappear from the alternate screen may return soon. */
static void
remember_gone(struct turn *t)
{
	struct ledger_lines *gone = &t->l->gone;
	size_t n = 0, max = t->old->n + gone->n;
	struct ledger_line *v = xcalloc(max + 1, sizeof(*v));

	for (size_t i = 0; i < t->old->n; i++)
		if (!t->old->v[i].kept && t->old->v[i].at.hash != 0) {
			v[n] = t->old->v[i];
			v[n++].gone = t->born;
		}
	for (size_t i = 0; i < gone->n && n < t->l->rows; i++)
		if (!gone->v[i].kept)
			v[n++] = gone->v[i];
	free(gone->v);
	*gone = (struct ledger_lines){ v, n };
}

/* After a resize, places keep their position relative to the cursor. */
static void
move_place(const struct turn *t, struct typed_place *place)
{
	place->row += typed_cursor(t->vt).row - t->l->cursor.row;
}

static void
move_places(struct turn *t)
{
	struct ledger *l = t->l;

	for (unsigned i = 0; i < TYPED_RUNS; i++) {
		move_place(t, &l->typed.runs[i].place);
		l->typed.runs[i].generation = vt_generation(t->vt);
	}
	for (unsigned i = 0; i < l->n_spans; i++) {
		move_place(t, &l->spans[i].from);
		move_place(t, &l->spans[i].to);
	}
}

static void
begin_turn(struct turn *t, int64_t ms)
{
	struct ledger *l = t->l;
	bool alternate = vt_alt_screen(t->vt);

	t->old = &l->shown[alternate];
	t->other = t->vt != l->vt || vt_cols(t->vt) != l->cols ||
	    vt_rows(t->vt) != l->rows;
	if (t->other)
		move_places(t);
	else if (!alternate && vt_scrolled(t->vt) > l->scrolled)
		t->scrolled = vt_scrolled(t->vt) - l->scrolled;
	if (!alternate)
		lines_clear(&l->shown[1]);
	if (!alternate || ms - l->ms >= LEDGER_REST_MS)
		lines_clear(&l->gone);
	l->ms = ms;
}

static void
note_frame(struct ledger *l, const struct vt *vt)
{
	l->vt = vt;
	l->cols = vt_cols(vt);
	l->rows = vt_rows(vt);
	l->alternate = vt_alt_screen(vt);
	l->scrolled = vt_scrolled(vt);
	l->generation = vt_generation(vt);
	l->cursor = typed_cursor(vt);
}

static void
end_turn(struct turn *t)
{
	if (t->old == &t->l->shown[1])
		remember_gone(t);
	lines_clear(t->old);
	for (size_t i = 0; i < t->now.n; i++)
		t->now.v[i].kept = false;
	for (size_t i = 0; i < t->l->gone.n; i++)
		t->l->gone.v[i].kept = false;
	*t->old = t->now;
	free(t->first);
	free(t->next);
	note_frame(t->l, t->vt);
}

static void
begun(void *arg, const struct vt *vt)
{
	struct ledger *l = arg;

	struct turn t = { .l = l, .vt = vt, .other = true };

	ledger_finish(l);
	read_lines(&t);
	l->shown[vt_alt_screen(vt)] = t.now;
	note_frame(l, vt);
}

static void
frame(void *arg, const struct vt *vt, uint64_t seq, int64_t ms)
{
	struct ledger *l = arg;
	struct turn t = { .l = l, .vt = vt, .born = seq };

	begin_turn(&t, ms);
	read_lines(&t);
	index_lines(&t);
	keep_cut(&t);
	keep_in_place(&t);
	add_typed(&t);
	add_spans(&t);
	keep_moved(&t, t.old, false);
	keep_moved(&t, &l->gone, true);
	settle_all(&t);
	bear(&t);
	keep_echoes(&t);
	search_typed(&t);
	end_turn(&t);
}

void
ledger_peek(struct ledger *copy, const struct ledger *l, const struct vt *vt,
    uint64_t seq)
{
	*copy = *l;
	lines_copy(&copy->shown[0], &l->shown[0]);
	lines_copy(&copy->shown[1], &l->shown[1]);
	lines_copy(&copy->gone, &l->gone);
	frame(copy, vt, seq, l->ms);
}

static void
typed(void *arg, const struct vt *vt, uint64_t seq, int64_t ms,
    const uint8_t *p, size_t len)
{
	struct ledger *l = arg;

	typed_add(&l->typed, vt, seq, ms, p, len);
	l->input = true;
}

/* True if some typed text has no echo yet. */
static bool
awaits_echo(const struct ledger *l)
{
	for (unsigned i = 0; i < TYPED_RUNS; i++)
		if (l->typed.runs[i].used && l->typed.runs[i].len > 0 &&
		    !l->typed.runs[i].again && !l->typed.runs[i].here)
			return true;
	return false;
}

static void
open_span(struct ledger *l, const struct vt *vt)
{
	if (l->n_spans > 0 && !l->spans[l->n_spans - 1].closed)
		l->n_spans--;
	if (l->n_spans == LEDGER_SPANS) {
		l->n_spans--;
		memmove(l->spans, l->spans + 1, l->n_spans * sizeof(*l->spans));
	}
	l->spans[l->n_spans++] = (struct ledger_span){ .from = typed_cursor(
							   vt) };
}

static void
marked(void *arg, const struct vt *vt, int kind)
{
	struct ledger *l = arg;
	struct ledger_span *last = l->n_spans > 0 ? &l->spans[l->n_spans - 1] :
						    NULL;
	bool open = last != NULL && !last->closed;

	if (kind == 'B')
		open_span(l, vt);
	if (kind == 'C' && open) {
		last->closed = true;
		last->to = typed_cursor(vt);
	}
	if (kind == 'C') {
		l->input = awaits_echo(l);
		l->closes = true;
	}
	if ((kind == 'A' || kind == 'D') && open) {
		l->n_spans--;
		l->silent |= l->input;
	}
}

const struct vt_story ledger_story = { begun, frame, typed, marked };

/* ------------------------------------------------------------ learning */

/* Like lines have the same order in both. */
static void
learn_line(struct ledger_line *line, struct ledger_lines *from)
{
	for (size_t i = 0; i < from->n; i++) {
		struct ledger_line *other = &from->v[i];

		if (other->kept || other->at.hash != line->at.hash)
			continue;
		other->kept = true;
		if (line->born == 0)
			line->born = other->born;
		keep_echo(line, other);
		return;
	}
}

void
ledger_learn(struct ledger *l, const struct ledger *from)
{
	for (unsigned i = 0; i < 2; i++) {
		struct ledger_lines copy;

		lines_copy(&copy, &from->shown[i]);
		for (size_t k = 0; k < l->shown[i].n; k++)
			if (l->shown[i].v[k].at.hash != 0)
				learn_line(&l->shown[i].v[k], &copy);
		lines_clear(&copy);
	}
}

/* ------------------------------------------------------------- weighing */

/* With `after` between the disappearance and the return, the line is new. */
static bool
is_new(const struct ledger_line *line, uint64_t after)
{
	bool returned = line->back != 0 && after >= line->gone;

	return (returned ? line->back : line->born) > after;
}

/*
 * Judge the part of a match in one line.  Text before an echo is a prompt; text
 * after it is a program's output, and a match there counts.
 */
static enum ledger_says
weigh_line(const struct ledger_line *line, unsigned from, unsigned to,
    const struct ledger_rule *rule)
{
	if (!rule->echo && from < line->echo_to && to > line->echo_from &&
	    to <= line->echo_to)
		return LEDGER_IS_ECHO;
	if (!rule->any_age && !is_new(line, rule->after))
		return LEDGER_IS_OLD;
	return LEDGER_COUNTS;
}

enum ledger_says
ledger_weigh(const struct ledger *l, const struct ledger_extent *at,
    const struct ledger_rule *rule)
{
	const struct ledger_lines *lines = &l->shown[l->alternate];
	enum ledger_says says = LEDGER_COUNTS;

	for (unsigned y = at->row; y <= at->to_row; y++) {
		const struct ledger_line *line = line_at(lines, y);
		enum ledger_says one;
		unsigned row;

		if (line == NULL || line->at.hash == 0)
			continue;
		row = (y - line->at.row) * l->cols;
		one = weigh_line(line, row + (y == at->row ? at->col : 0),
		    row + (y == at->to_row ? at->to_col : l->cols), rule);
		if (one == LEDGER_COUNTS)
			return LEDGER_COUNTS;
		if (says != LEDGER_IS_ECHO)
			says = one;
	}
	return says;
}
