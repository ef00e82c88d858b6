/*
 * A hostile pattern on a hostile screen.  The input is a pattern, a newline,
 * and bytes for a terminal.  Each search ends, and each match lies within the
 * text.  A match on a screen has a position there, where it begins, and is in
 * the text of the rows or of the lines.
 */
#include "op/pattern.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "fuzz.h"
#include "op/ledger.h"
#include "op/sight.h"
#include "vt/slice.h"
#include "vt/story.h"
#include "vt/text.h"
#include "vt/vt.h"

#define COLS 20
#define ROWS 6

static void
search(const struct pattern *p, const char *text, size_t len)
{
	size_t from = 0, to = 0;
	int rc = pattern_find(p, text, len, &from, &to);

	MUST(rc <= 1);
	MUST(rc < 1 || (from <= to && to <= len));
}

static bool
is_in(const struct buf *b, const char *text)
{
	return b->len > 0 &&
	    memmem(b->data, b->len, text, strlen(text)) != NULL;
}

/* A character that is neither blank nor line end has a cell. */
static void
begins_there(const struct vt *vt, const struct finding *f)
{
	char text[VT_TEXT_MAX];
	struct vt_row row;

	if (strchr(" \n", f->text[0]) != NULL)
		return;
	vt_screen_row(vt, f->row, &row);
	MUST(f->col < row.used);
	MUST(vt_cell_text(&row, f->col, text) > 0);
	MUST(strchr(text, f->text[0]) != NULL);
}

static void
is_on_screen(struct sight *s, const struct finding *f)
{
	MUST(f->has_place && f->row < ROWS && f->col <= COLS);
	MUST(f->text != NULL);
	MUST(f->text[0] == '\0' || is_in(sight_text(s), f->text) ||
	    is_in(&s->lines, f->text));
	begins_there(s->vt, f);
}

static void
look(const struct vt *vt, const struct condition *c)
{
	struct finding f;
	struct sight s;

	sight_init(&s, vt);
	if (sight_test(&s, c, 0, &f) == 1)
		is_on_screen(&s, &f);
	finding_finish(&f);
	search(c->regex, s.text.len > 0 ? (char *)s.text.data : "", s.text.len);
	sight_finish(&s);
}

static void
show(const struct condition *c, const uint8_t *p, size_t len)
{
	struct vt *vt = vt_create(&(struct vt_config){ .cols = COLS,
				      .rows = ROWS },
	    NULL);
	struct ledger ledger = { 0 };
	struct glimpse g;
	struct finding f;
	uint64_t seq = 0;
	size_t n;

	ledger_story.begun(&ledger, vt);
	glimpse_init(&g);
	for (; len > 0; p += n, len -= n) {
		n = slice_len(vt, p, len);
		MUST(n > 0 && n <= len);
		vt_feed(vt, p, n);
		if (glimpse_look(&g,
			&(struct moment){ vt, &ledger, ++seq, false }, c,
			&f) == 1)
			MUST(f.has_place && f.row < ROWS && f.col <= COLS);
		finding_finish(&f);
		if (seq % 3 == 0)
			ledger_story.typed(&ledger, vt, seq, 0, p, n);
		if (seq % 5 == 0)
			ledger_story.frame(&ledger, vt, seq, 0);
	}
	glimpse_finish(&g);
	ledger_finish(&ledger);
	look(vt, c);
	vt_destroy(vt);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	const uint8_t *end = len > 0 ? memchr(p, '\n', len) : NULL;
	size_t first = end != NULL ? (size_t)(end - p) : len;
	struct condition c = { .wanted = 1u << CONDITION_REGEX, .seen = true };
	struct error err;

	c.regex = pattern_create((const char *)p, first, &err);
	if (c.regex == NULL) {
		MUST(err.code == EINVAL && err.msg[0] != '\0');
		return 0;
	}
	if (end != NULL) {
		search(c.regex, (const char *)end + 1, len - first - 1);
		show(&c, end + 1, len - first - 1);
	}
	condition_finish(&c);
	return 0;
}
