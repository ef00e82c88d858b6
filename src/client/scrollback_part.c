#include "client/scrollback_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "client/log_player.h"
#include "log/payload.h"
#include "log/reader.h"
#include "op/transcript.h"
#include "vt/render.h"
#include "vt/text.h"
#include "vt/vt.h"

static void
init(struct scrollback_part *c)
{
	*c = (struct scrollback_part){ 0 };
	buf_init(&c->text, SCROLLBACK_PART_BYTES);
	buf_init(&c->style, SCROLLBACK_PART_BYTES);
}

void
scrollback_part_finish(struct scrollback_part *c)
{
	buf_finish(&c->text);
	buf_finish(&c->style);
	free(c->rows);
	*c = (struct scrollback_part){ 0 };
}

/* Rows. */

static void
add_row(struct scrollback_part *c, size_t text, unsigned cols)
{
	if (c->n + 1 >= c->room) {
		c->room = c->room > 0 ? 2 * c->room : 256;
		c->rows = xrealloc(c->rows, c->room, sizeof(*c->rows));
	}
	c->rows[c->n++] = (struct scrollback_part_row){ .text = (uint32_t)text,
		.style = (uint32_t)c->style.len,
		.cols = (uint16_t)cols };
}

static void
on_row(void *arg, const struct vt *vt, const struct vt_row *row, size_t at)
{
	struct scrollback_part *c = arg;
	size_t len = c->text.len - at;

	if (c->text.full || c->style.full)
		return;
	if (row != NULL) {
		add_row(c, at, row->used);
		vt_put_row(vt, row, &c->style);
		return;
	}
	while (len > 0 && c->text.data[at + len - 1] == '\n')
		len--;
	add_row(c, at, len < VT_COLS_MAX ? (unsigned)len : VT_COLS_MAX);
	buf_append(&c->style, c->text.data + at, len);
}

/* Leave out text after the last complete row. */
static void
end_rows(struct scrollback_part *c)
{
	if ((c->text.full || c->style.full) && c->n > 0)
		c->text.len = c->rows[--c->n].text;
	if (c->text.len > 0 && c->text.data[c->text.len - 1] != '\n')
		buf_putc(&c->text, '\n');
	add_row(c, c->text.len, 0);
	c->n--;
}

size_t
scrollback_part_text(const struct scrollback_part *c, size_t row,
    const char **p)
{
	size_t from = c->rows[row].text, to = c->rows[row + 1].text;

	*p = (const char *)c->text.data + from;
	return to > from && !scrollback_part_goes_on(c, row) ? to - from - 1 :
							       to - from;
}

bool
scrollback_part_goes_on(const struct scrollback_part *c, size_t row)
{
	size_t to = c->rows[row + 1].text;

	return to > c->rows[row].text && c->text.data[to - 1] != '\n';
}

size_t
scrollback_part_row_at(const struct scrollback_part *c, size_t at)
{
	size_t low = 0, high = c->n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (c->rows[middle].text <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The log. */

/*
 * The beginning of output that crashed an engine: it must not crash this one.
 */
static uint64_t
find_gap(struct log_reader *r)
{
	struct payload_engine_gap gap;
	uint64_t least = UINT64_MAX;
	struct record rec;
	bool begun = false;

	log_reader_mark(r);
	while (log_reader_next_there(r, &rec)) {
		if (rec.type == RECORD_KEYFRAME && begun)
			break;
		begun |= rec.type == RECORD_KEYFRAME;
		if (payload_engine_gap_of(&gap, &rec) && gap.from < least)
			least = gap.from;
	}
	log_reader_return(r);
	return least;
}

/*
 * The log's first screen is in no other part.  Of any other first screen,
 * the rows above the cursor are in the part before.
 */
static void
begin(struct scrollback_part *c, struct log_player *n, const struct record *rec,
    const struct scrollback_part_log *log)
{
	struct payload_keyframe k;

	c->begin_seq = rec->seq;
	if (payload_keyframe_of(&k, rec))
		c->begin_offset = c->end_offset = k.offset;
	if (rec->seq <= log->first_seq)
		transcript_want(n->transcript);
	log_player_event(n, rec);
	transcript_want(n->transcript);
}

static void
play(struct scrollback_part *c, struct log_player *n, const struct record *rec,
    uint64_t gap)
{
	struct payload_output out;

	c->end_seq = rec->seq;
	payload_next_offset(rec, &c->end_offset);
	if (rec->type != RECORD_OUTPUT)
		log_player_event(n, rec);
	else if (payload_output_of(&out, rec) &&
	    out.offset + out.bytes.len <= gap)
		log_player_output(n, rec, out.bytes.p, out.bytes.len);
}

/* True if the next part begins after it. */
static bool
play_all(struct scrollback_part *c, struct log_player *n,
    const struct scrollback_part_log *log)
{
	uint64_t gap = find_gap(log->reader);
	struct record rec;
	enum log_next next;

	while ((next = log_reader_next(log->reader, &rec)) == LOG_RECORD ||
	    next == LOG_DAMAGED) {
		if (next == LOG_DAMAGED)
			log_player_lose(n);
		else if (rec.seq > log->last_seq)
			return false;
		else if (c->begin_seq != 0 && rec.type == RECORD_KEYFRAME)
			return true;
		else if (c->begin_seq != 0)
			play(c, n, &rec, gap);
		else if (rec.type == RECORD_KEYFRAME)
			begin(c, n, &rec, log);
	}
	return false;
}

int
scrollback_part_load(struct scrollback_part *c,
    const struct scrollback_part_log *log, uint64_t seq, bool rows)
{
	struct log_player n;

	if (log_reader_seek_keyframe(log->reader, LOG_BY_SEQ, seq, false) < 0)
		(void)log_reader_seek(log->reader, LOG_BY_SEQ, 0);
	init(c);
	log_player_init(&n, &c->text);
	if (rows)
		transcript_on_row(n.transcript, on_row, c);
	if (play_all(c, &n, log))
		transcript_part(n.transcript);
	else
		transcript_end(n.transcript);
	log_player_finish(&n);
	if (c->end_seq < c->begin_seq)
		c->end_seq = c->begin_seq;
	if (rows)
		end_rows(c);
	if (c->begin_seq != 0)
		return 0;
	scrollback_part_finish(c);
	return -ENOENT;
}

/* The host's page. */

static void
copy_row(struct scrollback_part *c, struct vt_lines *lines, const struct vt *vt,
    const struct vt_row *row)
{
	vt_lines_add(lines, row);
	on_row(c, vt, row, lines->at);
}

void
scrollback_part_copy(struct scrollback_part *c, const struct vt *vt)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct vt_lines lines;
	struct vt_row row;

	init(c);
	vt_lines_begin(&lines, vt, &c->text);
	while (vt_history_next(it, &row))
		copy_row(c, &lines, vt, &row);
	vt_history_end(it);
	for (unsigned y = 0; y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		copy_row(c, &lines, vt, &row);
	}
	end_rows(c);
}
