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
}

void
sight_finish(struct sight *s)
{
	buf_finish(&s->text);
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

/* Text to look into: some rows of a screen, joined by newlines. */
struct view {
	const struct vt *vt;
	unsigned row; /* the first */
	const char *p;
	size_t len;
};

static struct view
view_of(const struct vt *vt, unsigned row, const struct buf *text)
{
	return (struct view){
		.vt = vt,
		.row = row,
		.p = text->len > 0 ? (const char *)text->data : "",
		.len = text->len,
	};
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
			break;
	}
	return x;
}

static void
found_at(const struct view *v, size_t from, size_t to, struct finding *f)
{
	size_t line = 0;

	finding_finish(f);
	f->row = v->row;
	for (size_t i = 0; i < from; i++)
		if (v->p[i] == '\n') {
			f->row++;
			line = i + 1;
		}
	f->col = column_of(v->vt, f->row, from - line);
	f->has_place = true;
	f->text = xmalloc(to - from + 1);
	memcpy(f->text, v->p + from, to - from);
	f->text[to - from] = '\0';
}

/* Where the text is; NULL when it is not there. */
static const char *
find(const struct view *v, const char *text)
{
	return memmem(v->p, v->len, text, strlen(text));
}

static int
view_text(const struct view *v, const struct condition *c, struct finding *f)
{
	const char *at = find(v, c->text);

	if (at == NULL)
		return 0;
	found_at(v, (size_t)(at - v->p), (size_t)(at - v->p) + strlen(c->text),
	    f);
	return 1;
}

static int
view_regex(const struct view *v, const struct condition *c, struct finding *f)
{
	size_t from, to;
	int rc = pattern_find(c->regex, v->p, v->len, &from, &to);

	if (rc == 1)
		found_at(v, from, to, f);
	return rc;
}

static struct view
whole(struct sight *s)
{
	return view_of(s->vt, 0, sight_text(s));
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
	struct view v = whole(q->sight);

	return view_text(&v, q->c, f);
}

static int
test_regex(const struct question *q, struct finding *f)
{
	struct view v = whole(q->sight);

	return q->sight->vt == NULL ? 0 : view_regex(&v, q->c, f);
}

static int
test_absent(const struct question *q, struct finding *f)
{
	struct view v = whole(q->sight);

	(void)f;
	return q->sight->vt != NULL && find(&v, q->c->absent) == NULL;
}

static int
test_cursor(const struct question *q, struct finding *f)
{
	const struct condition *c = q->c;
	struct vt_cursor cursor;

	if (q->sight->vt == NULL)
		return 0;
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
	return q->sight->vt != NULL &&
	    strcmp(sight_hash(q->sight), q->c->changed_since) != 0;
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

/* Those of the frame first say no when it was not shown late enough. */
static const struct {
	test_fn *test;
	bool of_frame;
} tests[CONDITION_KINDS] = {
	[CONDITION_TEXT] = { test_text, true },
	[CONDITION_REGEX] = { test_regex, true },
	[CONDITION_ABSENT] = { test_absent, true },
	[CONDITION_CURSOR] = { test_cursor, true },
	[CONDITION_CHANGED] = { test_changed, true },
	[CONDITION_STABLE] = { test_stable, true },
	[CONDITION_IDLE] = { test_idle, true },
	[CONDITION_DONE] = { test_done, false },
	[CONDITION_EXIT] = { test_exit, false },
};

static int
test(const struct question *q, unsigned kind, struct finding *f)
{
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

/* The rows from y on that are new, joined; how many. */
static unsigned
take_rows(const struct vt *vt, unsigned y, bool all, struct buf *out)
{
	unsigned n = 0;
	struct vt_row row;

	buf_clear(out);
	for (; y < vt_rows(vt) && (all || vt_row_is_new(vt, y)); y++, n++) {
		if (n > 0)
			buf_putc(out, '\n');
		vt_screen_row(vt, y, &row);
		(void)vt_row_text(&row, out); /* without a limit it fits */
	}
	return n;
}

/* Look for what was not found yet; -ELOOP, or 0. */
static int
look(const struct view *v, const struct condition *c, unsigned *left,
    struct finding *f)
{
	int rc = 0;

	if (*left >> CONDITION_TEXT & 1 && view_text(v, c, f) == 1)
		*left &= ~(1u << CONDITION_TEXT);
	if (*left >> CONDITION_REGEX & 1)
		rc = view_regex(v, c, f);
	if (rc == 1)
		*left &= ~(1u << CONDITION_REGEX);
	return rc < 0 ? rc : 0;
}

int
sight_test_new(const struct vt *vt, bool all, const struct condition *c,
    struct finding *f)
{
	unsigned left = c->wanted, n;
	struct buf text;
	int rc = 0;

	*f = (struct finding){ 0 };
	buf_init(&text, SIZE_MAX);
	for (unsigned y = 0; rc == 0 && left != 0 && y < vt_rows(vt); y += n) {
		n = take_rows(vt, y, all, &text);
		if (n > 0) {
			struct view v = view_of(vt, y, &text);

			rc = look(&v, c, &left, f);
		} else {
			n = 1;
		}
	}
	buf_finish(&text);
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
	if (!v->matched && s->vt != NULL) {
		json_out_key(j, "screen");
		screen_lines(s->vt, j);
	}
	json_out_close(j, '}');
}
