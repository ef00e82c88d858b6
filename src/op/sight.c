#include "op/sight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "op/ledger.h"
#include "op/pattern.h"
#include "op/screen.h"
#include "vt/happenings.h"
#include "vt/text.h"
#include "vt/vt.h"

void
sight_init(struct sight *s, const struct vt *vt)
{
	*s = (struct sight){ .vt = vt,
		.exit_code = -1,
		.stable_ms = -1,
		.idle_ms = -1 };
	happenings_init(&s->happened);
	buf_init(&s->text, SIZE_MAX);
	buf_init(&s->lines, SIZE_MAX);
}

void
sight_finish(struct sight *s)
{
	buf_finish(&s->text);
	buf_finish(&s->lines);
}

const struct buf *
sight_text(struct sight *s)
{
	if (!s->has_text && s->vt != NULL)
		(void)vt_text(s->vt, &s->text); /* fits: it has no limit */
	s->has_text = true;
	return &s->text;
}

const char *
sight_hash(struct sight *s)
{
	const struct buf *text = sight_text(s);
	struct sha256 sum;
	uint8_t digest[SHA256_SIZE];

	if (s->has_hash)
		return s->hash;
	sha256_init(&sum);
	if (text->len > 0)
		sha256_update(&sum, text->data, text->len);
	sha256_final(&sum, digest);
	sha256_hex(digest, s->hash);
	s->has_hash = true;
	return s->hash;
}

void
finding_finish(struct finding *f)
{
	free(f->text);
	*f = (struct finding){ 0 };
}

/* ----------------------------------------------------------- searching */

/*
 * Decides if a match counts.  Between frames that needs a separate ledger,
 * which is made after the first match.
 */
struct weigher {
	const struct ledger *ledger; /* NULL: everything counts */
	const struct moment *moment; /* NULL: at a frame */
	struct ledger *copy;
	unsigned missed; /* bits of its results */
};

/*
 * Rows [from, to) of a screen as text, each row as a line or joined to logical
 * lines.
 */
struct view {
	const struct vt *vt;
	unsigned from, to;
	bool joined;
	const struct buf *text;
	struct weigher *weigher;
};

/* The same rows, and their logical lines. */
struct views {
	struct view lines; /* empty text: no line is broken */
	struct view rows;
};

static void
add_row(const struct view *v, unsigned y, struct vt_lines *to)
{
	struct vt_row row;

	vt_screen_row(v->vt, y, &row);
	if (!v->joined)
		row.flags &= ~(unsigned)ROW_CONTINUES;
	vt_lines_add(to, &row);
}

static void
write_view(const struct view *v, struct buf *out)
{
	struct vt_lines lines;

	vt_lines_begin(&lines, v->vt, out);
	for (unsigned y = v->from; y < v->to; y++)
		add_row(v, y, &lines);
}

static bool
is_wrapped(const struct vt *vt, unsigned y)
{
	struct vt_row row;

	vt_screen_row(vt, y, &row);
	return row.flags & ROW_CONTINUES;
}

/* True if the margin breaks a line in these rows. */
static bool
has_wrapped(const struct view *v)
{
	for (unsigned y = v->from + 1; y < v->to; y++)
		if (is_wrapped(v->vt, y))
			return true;
	return false;
}

/* The column of the cell that contains the row's byte at `at`. */
static unsigned
column_of(const struct vt *vt, unsigned y, size_t at)
{
	char text[VT_TEXT_MAX];
	struct vt_row row;
	size_t passed = 0;
	unsigned x;

	vt_screen_row(vt, y, &row);
	for (x = 0; x < row.used; x++) {
		size_t len;

		if (cell_kind(&row.cells[x]) == CELL_TAIL)
			continue;
		len = vt_cell_text(&row, x, text);
		passed += len > 0 ? len : 1;
		if (passed > at)
			return x;
	}
	return x + (unsigned)(at - passed); /* a blank that was never written */
}

/* If rows are lines, count newlines. */
static void
find_in_rows(const struct view *v, size_t at, unsigned *row, unsigned *col)
{
	const char *text = (const char *)v->text->data;
	size_t begin = 0;

	*row = v->from;
	for (;;) {
		const char *end = memchr(text + begin, '\n',
		    v->text->len - begin);

		if (end == NULL || at <= (size_t)(end - text))
			break;
		begin = (size_t)(end - text) + 1;
		++*row;
	}
	*col = column_of(v->vt, *row, at - begin);
}

/*
 * The place of the text's byte at `at`: in the last row that begins before it.
 */
static void
find_place(const struct view *v, size_t at, unsigned *row, unsigned *col)
{
	struct vt_lines lines;
	size_t begin = 0;
	struct buf text;

	if (!v->joined && v->text->len > 0) {
		find_in_rows(v, at, row, col);
		return;
	}
	buf_init(&text, SIZE_MAX);
	vt_lines_begin(&lines, v->vt, &text);
	*row = v->from;
	for (unsigned y = v->from; y < v->to; y++) {
		add_row(v, y, &lines);
		if (lines.at > at)
			break;
		*row = y;
		begin = lines.at;
	}
	*col = column_of(v->vt, *row, at - begin);
	buf_finish(&text);
}

static const char *
bytes_of(const struct view *v)
{
	return v->text->len > 0 ? (const char *)v->text->data : "";
}

static void
found_at(const struct view *v, size_t from, size_t to, struct finding *f)
{
	finding_finish(f);
	find_place(v, from, &f->row, &f->col);
	f->has_place = true;
	f->text = xmalloc(to - from + 1);
	memcpy(f->text, bytes_of(v) + from, to - from);
	f->text[to - from] = '\0';
}

/* ------------------------------------------------------------- judging */

static const struct ledger *
ledger_of(struct weigher *w)
{
	if (w->moment == NULL)
		return w->ledger;
	if (w->copy == NULL) {
		w->copy = xmalloc(sizeof(*w->copy));
		ledger_peek(w->copy, w->ledger, w->moment->vt, w->moment->seq);
	}
	return w->copy;
}

static void
weigher_finish(struct weigher *w)
{
	if (w->copy != NULL)
		ledger_finish(w->copy);
	free(w->copy);
}

/* True if the bytes [from, to) of a view are a match that counts. */
static bool
counts(const struct view *v, size_t from, size_t to,
    const struct ledger_rule *rule)
{
	struct ledger_extent at;
	enum ledger_says says;

	if (v->weigher->ledger == NULL || (rule->any_age && rule->echo))
		return true;
	find_place(v, from, &at.row, &at.col);
	at.to_row = at.row;
	at.to_col = at.col;
	if (to > from) {
		find_place(v, to - 1, &at.to_row, &at.to_col);
		at.to_col++;
	}
	says = ledger_weigh(ledger_of(v->weigher), &at, rule);
	if (says != LEDGER_COUNTS)
		v->weigher->missed |= 1u << says;
	return says == LEDGER_COUNTS;
}

static struct ledger_rule
rule_of(const struct condition *c)
{
	return (struct ledger_rule){
		.any_age = !c->has_after,
		.after = c->after,
		.echo = c->echo,
	};
}

/* The start of the next character after an empty match. */
static size_t
behind(const struct view *v, size_t from, size_t to)
{
	if (to > from)
		return to;
	do
		to++;
	while (to < v->text->len && (bytes_of(v)[to] & 0xc0) == 0x80);
	return to;
}

/* True if the text is found; its place. */
static bool
find(const struct view *v, const char *text, const struct ledger_rule *rule,
    size_t *from)
{
	const char *p = bytes_of(v);
	size_t len = strlen(text), at = 0;

	while (at < v->text->len) {
		const char *found = memmem(p + at, v->text->len - at, text,
		    len);

		if (found == NULL)
			return false;
		*from = (size_t)(found - p);
		if (counts(v, *from, *from + len, rule))
			return true;
		at = *from + len;
	}
	return false;
}

static bool
view_text(const struct view *v, const struct condition *c, struct finding *f)
{
	const struct ledger_rule rule = rule_of(c);
	size_t at;

	if (!find(v, c->text, &rule, &at))
		return false;
	found_at(v, at, at + strlen(c->text), f);
	return true;
}

static int
view_regex(const struct view *v, const struct condition *c, struct finding *f)
{
	const struct ledger_rule rule = rule_of(c);
	size_t at = 0, from, to, steps = 0;
	int rc = 0;

	while (at <= v->text->len) {
		from = at;
		rc = pattern_next(c->regex, bytes_of(v), v->text->len, &steps,
		    &from, &to);
		if (rc != 1)
			return rc;
		if (counts(v, from, to, &rule)) {
			found_at(v, from, to, f);
			return 1;
		}
		at = behind(v, from, to);
	}
	return 0;
}

static int
views_text(const struct views *v, const struct condition *c, struct finding *f)
{
	return view_text(&v->lines, c, f) || view_text(&v->rows, c, f);
}

/* A line of a whole screen may be too long for a pattern that fits rows. */
static int
views_regex(const struct views *v, const struct condition *c, struct finding *f)
{
	if (v->lines.text->len > 0 && view_regex(&v->lines, c, f) == 1)
		return 1;
	return view_regex(&v->rows, c, f);
}

static bool
views_absent(const struct views *v, const struct condition *c)
{
	const struct ledger_rule rule = { .any_age = true, .echo = c->echo };
	size_t at;

	return !find(&v->lines, c->absent, &rule, &at) &&
	    !find(&v->rows, c->absent, &rule, &at);
}

static struct views
whole(struct sight *s, struct weigher *w)
{
	unsigned rows = vt_rows(s->vt);
	struct views v = {
		.lines = { s->vt, 0, rows, true, &s->lines, w },
		.rows = { s->vt, 0, rows, false, sight_text(s), w },
	};

	if (!s->has_lines && has_wrapped(&v.lines))
		write_view(&v.lines, &s->lines);
	s->has_lines = true;
	return v;
}

/* ---------------------------------------------------------- conditions */

struct question {
	struct sight *sight;
	const struct condition *c;
	uint64_t begun;
};

typedef int test_fn(const struct question *q, struct finding *f);

static int
test_text(const struct question *q, struct finding *f)
{
	struct weigher w = { .ledger = q->sight->ledger };
	struct views v = whole(q->sight, &w);
	int rc = views_text(&v, q->c, f);

	q->sight->missed |= w.missed;
	return rc;
}

static int
test_regex(const struct question *q, struct finding *f)
{
	struct weigher w = { .ledger = q->sight->ledger };
	struct views v = whole(q->sight, &w);
	int rc = views_regex(&v, q->c, f);

	q->sight->missed |= w.missed;
	return rc;
}

static int
test_absent(const struct question *q, struct finding *f)
{
	struct weigher w = { .ledger = q->sight->ledger };
	struct views v = whole(q->sight, &w);

	(void)f;
	return views_absent(&v, q->c);
}

static int
test_cursor(const struct question *q, struct finding *f)
{
	const struct condition *c = q->c;
	struct vt_cursor cursor;

	vt_cursor(q->sight->vt, &cursor);
	if ((c->row != CONDITION_ANY && c->row != cursor.row) ||
	    (c->col != CONDITION_ANY && c->col != cursor.col))
		return 0;
	if (!f->has_place) {
		f->has_place = true;
		f->row = cursor.row;
		f->col = cursor.col;
	}
	return 1;
}

static int
test_changed_since(const struct question *q, struct finding *f)
{
	(void)f;
	return strncmp(sight_hash(q->sight), q->c->changed_since,
		   strlen(q->c->changed_since)) != 0;
}

static int
test_activity(const struct question *q, struct finding *f)
{
	(void)f;
	return q->c->activity >> q->sight->activity & 1;
}

static bool
has_happened(const struct question *q, enum happening_kind kind)
{
	return q->sight->happened.last[kind].seq >
	    (q->c->has_after ? q->c->after : q->begun);
}

static int
test_exit(const struct question *q, struct finding *f)
{
	(void)f;
	return q->sight->ended;
}

#define NO_TEST(NAME, field, ...)
#define EVENT_TEST(NAME, field, ...) \
	static int test_##field(const struct question *q, struct finding *f) \
	{ \
		(void)f; \
		return has_happened(q, HAPPENING_##NAME); \
	}
#define MS_TEST(NAME, field, ...) \
	static int test_##field(const struct question *q, struct finding *f) \
	{ \
		(void)f; \
		return q->sight->field##_ms >= (int64_t)q->c->field##_ms; \
	}
CONDITIONS(NO_TEST, NO_TEST, MS_TEST, NO_TEST, EVENT_TEST)

static const struct {
	test_fn *test;
	bool of_frame, of_screen;
} tests[CONDITION_KINDS] = {
#define TEST(NAME, field, option, letter, value, type, traits, ...) \
	[CONDITION_##NAME] = { test_##field, (traits)&CONDITION_OF_FRAME, \
		(traits)&CONDITION_OF_SCREEN },
	CONDITIONS(TEST, TEST, TEST, TEST, TEST)
};

static int
test(const struct question *q, unsigned kind, struct finding *f)
{
	if (tests[kind].of_screen && q->sight->vt == NULL)
		return 0;
	if (!tests[kind].of_frame || !q->c->has_after ||
	    q->sight->shown_seq > q->c->after)
		return tests[kind].test(q, f);
	if (q->sight->ledger != NULL && tests[kind].of_screen) {
		/* The condition fails, but `missed` records old matches. */
		(void)tests[kind].test(q, f);
		finding_finish(f);
	}
	return 0;
}

int
sight_test(struct sight *s, const struct condition *c, uint64_t begun,
    struct finding *f)
{
	const struct question q = { s, c, begun };
	int rc = 1;

	*f = (struct finding){ 0 };
	s->missed = 0;
	for (unsigned i = 0; rc > 0 && i < CONDITION_KINDS; i++)
		if (condition_wants(c, i))
			rc = test(&q, i, f);
	if (rc <= 0)
		finding_finish(f);
	return rc;
}

unsigned
sight_unmet(struct sight *s, const struct condition *c, uint64_t begun)
{
	const struct question q = { s, c, begun };
	struct finding f = { 0 };
	unsigned unmet = 0;

	s->missed = 0;
	for (unsigned i = 0; i < CONDITION_KINDS; i++)
		if (condition_wants(c, i) && test(&q, i, &f) <= 0)
			unmet |= 1u << i;
	finding_finish(&f);
	return unmet;
}

static int64_t
least_left(int64_t least, int64_t passed, int64_t wanted)
{
	int64_t left = wanted - passed;

	return left > 0 && left < least ? left : least;
}

int64_t
sight_left_ms(const struct sight *s, const struct condition *c)
{
	int64_t left = INT64_MAX;

#define NO_TIME(NAME, field, ...)
#define TIME(NAME, field, ...) \
	if (condition_wants(c, CONDITION_##NAME)) \
		left = least_left(left, s->field##_ms, c->field##_ms);
	CONDITIONS(NO_TIME, NO_TIME, TIME, NO_TIME, NO_TIME)
	return left;
}

/* ---------------------------------------------------------------- seen */

/* The end of the new rows that begin at y. */
static unsigned
new_end(const struct vt *vt, unsigned y, bool all)
{
	while (y < vt_rows(vt) && (all || vt_row_is_new(vt, y)))
		y++;
	return y;
}

/* Extend from the beginning of the first line to the end of the last. */
static void
widen(struct view *lines)
{
	while (lines->from > 0 && is_wrapped(lines->vt, lines->from))
		lines->from--;
	while (
	    lines->to < vt_rows(lines->vt) && is_wrapped(lines->vt, lines->to))
		lines->to++;
}

/* Search for conditions not seen yet; -ELOOP, or 0. */
static int
look(const struct views *v, const struct condition *c, unsigned *left,
    struct finding *f)
{
	int rc = 0;

	if (*left >> CONDITION_TEXT & 1 && views_text(v, c, f) == 1)
		*left &= ~(1u << CONDITION_TEXT);
	if (*left >> CONDITION_REGEX & 1)
		rc = views_regex(v, c, f);
	if (rc == 1)
		*left &= ~(1u << CONDITION_REGEX);
	return rc < 0 ? rc : 0;
}

static int
look_at_rows(struct weigher *w, unsigned from, unsigned to,
    const struct condition *c, unsigned *left, struct finding *f)
{
	const struct vt *vt = w->moment->vt;
	struct buf lines, rows;
	struct views v = {
		.lines = { vt, from, to, true, &lines, w },
		.rows = { vt, from, to, false, &rows, w },
	};
	int rc;

	buf_init(&lines, SIZE_MAX);
	buf_init(&rows, SIZE_MAX);
	write_view(&v.rows, &rows);
	widen(&v.lines);
	if (has_wrapped(&v.lines))
		write_view(&v.lines, &lines);
	rc = look(&v, c, left, f);
	buf_finish(&lines);
	buf_finish(&rows);
	return rc;
}

static int
look_at_new(struct weigher *w, const struct condition *c, struct finding *f)
{
	const struct moment *m = w->moment;
	unsigned left = c->wanted, end;
	int rc = 0;

	*f = (struct finding){ 0 };
	for (unsigned y = 0; rc == 0 && left != 0 && y < vt_rows(m->vt);
	     y = end + 1) {
		end = new_end(m->vt, y, m->all);
		if (end > y)
			rc = look_at_rows(w, y, end, c, &left, f);
	}
	if (rc < 0 || left != 0)
		finding_finish(f);
	return rc < 0 ? rc : left == 0;
}

void
glimpse_init(struct glimpse *g)
{
	*g = (struct glimpse){ 0 };
	buf_init(&g->line, SIZE_MAX);
}

void
glimpse_finish(struct glimpse *g)
{
	finding_finish(&g->found);
	buf_finish(&g->line);
}

void
glimpse_drop(struct glimpse *g)
{
	finding_finish(&g->found);
	g->pending = false;
}

/* The whole line that contains the row. */
static void
write_line(const struct vt *vt, unsigned row, struct buf *out)
{
	struct view v = { .vt = vt,
		.from = row,
		.to = row + 1,
		.joined = true };

	widen(&v);
	write_view(&v, out);
}

/* True if the match has disappeared; a line that grew is not a glimpse. */
static bool
is_gone(struct glimpse *g, const struct vt *vt)
{
	int row = typed_row(&g->place, vt);
	struct buf now;
	bool gone;

	if (row < 0)
		return true;
	buf_init(&now, SIZE_MAX);
	write_line(vt, (unsigned)row, &now);
	gone = now.len < g->line.len ||
	    (g->line.len > 0 &&
		memcmp(now.data, g->line.data, g->line.len) != 0);
	if (!gone && now.len > g->line.len)
		glimpse_drop(g);
	buf_finish(&now);
	return gone;
}

static void
keep_glimpse(struct glimpse *g, const struct vt *vt, struct finding *f)
{
	g->pending = true;
	g->found = *f;
	g->place = (struct typed_place){
		.known = true,
		.alternate = vt_alt_screen(vt),
		.row = vt_scrolled(vt) + f->row,
	};
	buf_clear(&g->line);
	write_line(vt, f->row, &g->line);
	*f = (struct finding){ 0 };
}

int
glimpse_look(struct glimpse *g, const struct moment *m,
    const struct condition *c, struct finding *f)
{
	struct weigher w = { .ledger = m->ledger, .moment = m };
	int rc;

	if (g->pending && is_gone(g, m->vt)) {
		*f = g->found;
		g->found = (struct finding){ 0 };
		g->pending = false;
		return 1;
	}
	*f = (struct finding){ 0 };
	if (g->pending)
		return 0;
	rc = look_at_new(&w, c, f);
	g->missed |= w.missed;
	weigher_finish(&w);
	if (rc != 1 || m->ledger == NULL)
		return rc;
	keep_glimpse(g, m->vt, f);
	return 0;
}

/* ------------------------------------------------------------- verdict */

static void
put_conditions(unsigned conditions, struct json_out *j)
{
	struct buf names;

	buf_init(&names, 256);
	for (unsigned i = 0; i < CONDITION_KINDS; i++)
		if (conditions >> i & 1)
			buf_printf(&names, "%s%s", names.len > 0 ? "," : "",
			    condition_name(i));
	json_out_key(j, "condition");
	json_out_string(j, (const char *)names.data, names.len);
	buf_finish(&names);
}

static void
put_place(const struct finding *f, const char *key, unsigned value,
    struct json_out *j)
{
	json_out_key(j, key);
	if (f->has_place)
		json_out_number(j, value);
	else
		json_out_null(j);
}

/*
 * The time of the match: that of the frame, unless a duration or the end was
 * needed too.
 */
static int64_t
moment(const struct verdict *v, const struct sight *s)
{
	const unsigned later = condition_having(CONDITION_OF_NOW);

	return s->shown_ns == 0 || (v->conditions & later) ? s->now_ns :
							     s->shown_ns;
}

/* The exit status of the session or command that was waited for. */
static void
put_status(const struct verdict *v, const struct sight *s, struct json_out *j)
{
	bool ended = v->conditions >> CONDITION_EXIT & 1;
	bool done = v->conditions >> CONDITION_DONE & 1;
	int code = ended ? s->exit_code :
			   s->happened.last[HAPPENING_DONE].value;

	if (!v->matched || (!ended && !done))
		return;
	json_put_maybe(j, "exit_code", code >= 0, code);
	json_put_maybe(j, "exit_signal", ended && s->exit_signal > 0,
	    s->exit_signal);
}

void
verdict_json(const struct verdict *v, struct sight *s, struct json_out *j)
{
	const unsigned sought = condition_having(CONDITION_FINDS);
	const struct finding *f = &v->found;

	json_out_open(j, '{');
	json_out_key(j, "matched");
	json_out_bool(j, v->matched);
	json_out_key(j, "timed_out");
	json_out_bool(j, v->timed_out);
	put_conditions(v->conditions, j);
	put_place(f, "row", f->row, j);
	put_place(f, "col", f->col, j);
	json_out_key(j, "text");
	if (f->text != NULL)
		json_out_text(j, f->text);
	else
		json_out_null(j);
	json_out_key(j, "seq");
	json_out_number(j, v->seq);
	json_out_key(j, "hash");
	if (s->vt != NULL)
		json_out_text(j, sight_hash(s));
	else
		json_out_null(j);
	json_put_maybe(j, "time_ns", v->matched, moment(v, s));
	put_status(v, s, j);
	if (!v->matched && v->missed != 0 && (v->conditions & sought)) {
		json_out_key(j, "seen");
		json_out_text(j,
		    v->missed >> LEDGER_IS_ECHO & 1 ? "echo" : "before");
	}
	if (!v->matched && s->vt != NULL) {
		json_out_key(j, "screen");
		screen_lines(s->vt, j);
	}
	json_out_close(j, '}');
}
