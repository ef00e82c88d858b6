#include "op/sight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "op/pattern.h"
#include "op/screen.h"
#include "vt/text.h"
#include "vt/vt.h"

void
sight_init(struct sight *s, const struct vt *vt)
{
	*s = (struct sight){ .vt = vt, .stable_ms = -1, .idle_ms = -1 };
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
		(void)vt_text(s->vt, &s->text); /* without a limit it fits */
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

/* ------------------------------------------------------------- looking */

/*
 * Rows [from, to) of a screen as text, each of them a line or joined to logical
 * lines.
 */
struct view {
	const struct vt *vt;
	unsigned from, to;
	bool joined;
	const struct buf *text;
};

/* The same rows, and the lines that they are parts of. */
struct views {
	struct view lines; /* its text is empty: the margin broke none */
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

/* Whether a line of its rows is broken by the margin. */
static bool
has_wrapped(const struct view *v)
{
	for (unsigned y = v->from + 1; y < v->to; y++)
		if (is_wrapped(v->vt, y))
			return true;
	return false;
}

/* The column of the cell that the row's byte at `at` belongs to. */
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

/* The place of the text's byte at `at`: in the last row that begins by then. */
static void
find_place(const struct view *v, size_t at, struct finding *f)
{
	struct vt_lines lines;
	size_t begin = 0;
	struct buf text;

	buf_init(&text, SIZE_MAX);
	vt_lines_begin(&lines, v->vt, &text);
	f->row = v->from;
	for (unsigned y = v->from; y < v->to; y++) {
		add_row(v, y, &lines);
		if (lines.at > at)
			break;
		f->row = y;
		begin = lines.at;
	}
	f->col = column_of(v->vt, f->row, at - begin);
	f->has_place = true;
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
	find_place(v, from, f);
	f->text = xmalloc(to - from + 1);
	memcpy(f->text, bytes_of(v) + from, to - from);
	f->text[to - from] = '\0';
}

/* Whether the text is there, and where. */
static bool
find(const struct view *v, const char *text, size_t *at)
{
	const char *p = bytes_of(v);
	const char *found = memmem(p, v->text->len, text, strlen(text));

	if (found == NULL)
		return false;
	*at = (size_t)(found - p);
	return true;
}

static bool
view_text(const struct view *v, const struct condition *c, struct finding *f)
{
	size_t at;

	if (!find(v, c->text, &at))
		return false;
	found_at(v, at, at + strlen(c->text), f);
	return true;
}

static int
view_regex(const struct view *v, const struct condition *c, struct finding *f)
{
	size_t from, to;
	int rc = pattern_find(c->regex, bytes_of(v), v->text->len, &from, &to);

	if (rc == 1)
		found_at(v, from, to, f);
	return rc;
}

static int
views_text(const struct views *v, const struct condition *c, struct finding *f)
{
	return view_text(&v->lines, c, f) || view_text(&v->rows, c, f);
}

/* A line of a whole screen may be too long for a pattern that rows are not. */
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
	size_t at;

	return !find(&v->lines, c->absent, &at) &&
	    !find(&v->rows, c->absent, &at);
}

static struct views
whole(struct sight *s)
{
	unsigned rows = vt_rows(s->vt);
	struct views v = {
		.lines = { s->vt, 0, rows, true, &s->lines },
		.rows = { s->vt, 0, rows, false, sight_text(s) },
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
	uint64_t done_after;
};

typedef int test_fn(const struct question *q, struct finding *f);

static int
test_text(const struct question *q, struct finding *f)
{
	struct views v = whole(q->sight);

	return views_text(&v, q->c, f);
}

static int
test_regex(const struct question *q, struct finding *f)
{
	struct views v = whole(q->sight);

	return views_regex(&v, q->c, f);
}

static int
test_absent(const struct question *q, struct finding *f)
{
	struct views v = whole(q->sight);

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
test_changed(const struct question *q, struct finding *f)
{
	(void)f;
	return strcmp(sight_hash(q->sight), q->c->changed_since) != 0;
}

static int
test_stable(const struct question *q, struct finding *f)
{
	(void)f;
	return q->sight->stable_ms >= (int64_t)q->c->stable_ms;
}

static int
test_idle(const struct question *q, struct finding *f)
{
	(void)f;
	return q->sight->idle_ms >= (int64_t)q->c->idle_ms;
}

static int
test_done(const struct question *q, struct finding *f)
{
	(void)f;
	return q->sight->done_seq >
	    (q->c->has_after ? q->c->after : q->done_after);
}

static int
test_exit(const struct question *q, struct finding *f)
{
	(void)f;
	return q->sight->ended;
}

/*
 * Those of the frame say no when it was not shown late enough, those of the
 * screen when there is none.
 */
static const struct {
	test_fn *test;
	bool of_frame, of_screen;
} tests[CONDITION_KINDS] = {
	[CONDITION_TEXT] = { test_text, true, true },
	[CONDITION_REGEX] = { test_regex, true, true },
	[CONDITION_ABSENT] = { test_absent, true, true },
	[CONDITION_CURSOR] = { test_cursor, true, true },
	[CONDITION_CHANGED] = { test_changed, true, true },
	[CONDITION_STABLE] = { test_stable, true, false },
	[CONDITION_IDLE] = { test_idle, true, false },
	[CONDITION_DONE] = { test_done, false, false },
	[CONDITION_EXIT] = { test_exit, false, false },
};

static int
test(const struct question *q, unsigned kind, struct finding *f)
{
	if (tests[kind].of_screen && q->sight->vt == NULL)
		return 0;
	if (tests[kind].of_frame && q->c->has_after &&
	    q->sight->shown_seq <= q->c->after)
		return 0;
	return tests[kind].test(q, f);
}

int
sight_test(struct sight *s, const struct condition *c, uint64_t done_after,
    struct finding *f)
{
	const struct question q = { s, c, done_after };
	int rc = 1;

	*f = (struct finding){ 0 };
	for (unsigned i = 0; rc > 0 && i < CONDITION_KINDS; i++)
		if (condition_wants(c, i))
			rc = test(&q, i, f);
	if (rc <= 0)
		finding_finish(f);
	return rc;
}

unsigned
sight_unmet(struct sight *s, const struct condition *c, uint64_t done_after)
{
	const struct question q = { s, c, done_after };
	struct finding f = { 0 };
	unsigned unmet = 0;

	for (unsigned i = 0; i < CONDITION_KINDS; i++)
		if (condition_wants(c, i) && test(&q, i, &f) <= 0)
			unmet |= 1u << i;
	finding_finish(&f);
	return unmet;
}

/* ---------------------------------------------------------------- seen */

/* Behind the last of the rows from y on that are new. */
static unsigned
new_end(const struct vt *vt, unsigned y, bool all)
{
	while (y < vt_rows(vt) && (all || vt_row_is_new(vt, y)))
		y++;
	return y;
}

/* From where the first of the lines begins to where the last ends. */
static void
widen(struct view *lines)
{
	while (lines->from > 0 && is_wrapped(lines->vt, lines->from))
		lines->from--;
	while (
	    lines->to < vt_rows(lines->vt) && is_wrapped(lines->vt, lines->to))
		lines->to++;
}

/* Look for what was not found yet; -ELOOP, or 0. */
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
look_at_rows(const struct vt *vt, unsigned from, unsigned to,
    const struct condition *c, unsigned *left, struct finding *f)
{
	struct buf lines, rows;
	struct views v = {
		.lines = { vt, from, to, true, &lines },
		.rows = { vt, from, to, false, &rows },
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

int
sight_test_new(const struct vt *vt, bool all, const struct condition *c,
    struct finding *f)
{
	unsigned left = c->wanted, end;
	int rc = 0;

	*f = (struct finding){ 0 };
	for (unsigned y = 0; rc == 0 && left != 0 && y < vt_rows(vt);
	     y = end + 1) {
		end = new_end(vt, y, all);
		if (end > y)
			rc = look_at_rows(vt, y, end, c, &left, f);
	}
	if (rc < 0 || left != 0)
		finding_finish(f);
	return rc < 0 ? rc : left == 0;
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
 * When that came about: with the frame, unless time or the end had to come as
 * well.
 */
static int64_t
moment(const struct verdict *v, const struct sight *s)
{
	const unsigned later = 1u << CONDITION_STABLE | 1u << CONDITION_IDLE |
	    1u << CONDITION_EXIT;

	return s->shown_ns == 0 || (v->conditions & later) ? s->now_ns :
							     s->shown_ns;
}

void
verdict_json(const struct verdict *v, struct sight *s, struct json_out *j)
{
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
	if (!v->matched && s->vt != NULL) {
		json_out_key(j, "screen");
		screen_lines(s->vt, j);
	}
	json_out_close(j, '}');
}
