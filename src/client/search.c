#include "client/search.h"

void
search_init(struct search *s)
{
	*s = (struct search){ 0 };
	buf_init(&s->text, SCROLLBACK_PART_BYTES);
}

void
search_finish(struct search *s)
{
	buf_finish(&s->text);
}

void
search_begin(struct search *s, struct scrollback *b,
    const struct scrollback_place *from, bool back)
{
	const struct scrollback_part *c = scrollback_part_at(b, from->seq);
	const char *text;

	s->state = SEARCH_MISSED;
	if (c == NULL || s->needle.len == 0)
		return;
	s->state = SEARCH_GOING;
	s->back = back;
	s->wrapped = false;
	s->start_seq = s->seq = from->seq;
	s->start_at = 0;
	s->steps = 0;
	if (from->row < c->n) {
		size_t len = scrollback_part_text(c, from->row, &text);

		ruler_lay(&b->ruler, text, len);
		s->start_at = c->rows[from->row].text +
		    ruler_byte(&b->ruler, from->col);
	}
}

static size_t
find(struct search *s)
{
	bool first = s->steps++ == 0;
	const char *text = (const char *)s->text.data;

	needle_fold(&s->needle, (char *)s->text.data, s->text.len);
	if (s->back)
		return needle_find_last(&s->needle, text, s->text.len,
		    first ? s->start_at : SIZE_MAX);
	return needle_find(&s->needle, text, s->text.len,
	    first ? s->start_at + 1 : 0);
}

/* The row and column of a byte of the part's text. */
static void
take_place(struct search *s, struct scrollback *b, size_t at)
{
	const struct scrollback_part *c = scrollback_part_at(b, s->seq);
	const char *text;
	size_t row, len;

	s->state = SEARCH_MISSED;
	if (c == NULL || c->n == 0)
		return;
	row = scrollback_part_row_at(c, at);
	len = scrollback_part_text(c, row, &text);
	ruler_lay(&b->ruler, text, len);
	s->found = (struct scrollback_place){ .seq = c->begin_seq,
		.row = row,
		.col = ruler_col(&b->ruler, at - c->rows[row].text) };
	s->state = SEARCH_FOUND;
}

/*
 * Go to the next part; after the last one there is no match.  If the log
 * loses its beginning meanwhile, its new first part replaces the lost one.
 */
static void
go_on(struct search *s, const struct scrollback *b, uint64_t begin,
    uint64_t end)
{
	bool at_end = s->back ? begin <= b->log.first_seq || begin > s->seq :
				end >= b->log.last_seq;

	if ((s->wrapped && begin == s->start_seq) || (s->wrapped && at_end)) {
		s->state = SEARCH_MISSED;
		return;
	}
	s->wrapped |= at_end;
	if (at_end)
		s->seq = s->back ? b->log.last_seq : b->log.first_seq;
	else
		s->seq = s->back ? begin - 1 : end + 1;
}

void
search_step(struct search *s, struct scrollback *b)
{
	struct scrollback_part own = { 0 };
	const struct scrollback_part *c;
	size_t at;

	if (s->state != SEARCH_GOING)
		return;
	c = scrollback_loaded(b, s->seq);
	if (c == NULL &&
	    scrollback_part_load(&own, &b->log, s->seq, false) == 0)
		c = &own;
	if (c == NULL) {
		s->state = SEARCH_MISSED;
		return;
	}
	s->offset = c->begin_offset;
	buf_clear(&s->text);
	buf_append(&s->text, c->text.data, c->text.len);
	at = find(s);
	if (at == NEEDLE_NONE)
		go_on(s, b, c->begin_seq, c->end_seq);
	else
		take_place(s, b, at);
	scrollback_part_finish(&own);
}
