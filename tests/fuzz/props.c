#include "props.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "vt/clusters.h"
#include "vt/keyframe.h"
#include "vt/line.h"
#include "vt/render.h"
#include "vt/state.h"
#include "vt/text.h"
#include "vt/vt.h"

#define BUF_MAX (256u << 20) /* more than any terminal can have */

/* The row being checked, for messages. */
struct place {
	const char *where;
	unsigned y;
	struct error *err;
};

static int
bad_cell(const struct place *at, unsigned x, const char *what, uint32_t value)
{
	return error_set(at->err, EPROTO, "%s row %u column %u: %s (%x)",
	    at->where, at->y, x, what, value);
}

static int
check_char(const struct place *at, const struct vt_row *row, unsigned x)
{
	uint32_t ch = row->cells[x].ch;
	char text[VT_TEXT_MAX];
	size_t len;

	if (ch & CELL_CLUSTER) {
		if ((ch & ~CELL_CLUSTER) >= row->clusters->count)
			return bad_cell(at, x, "no such cluster", ch);
	} else if (ch != 0 && (ch < 0x20 || (ch >= 0x7f && ch < 0xa0))) {
		return bad_cell(at, x, "a control character", ch);
	} else if (ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000)) {
		return bad_cell(at, x, "no character", ch);
	}
	len = vt_cell_text(row, x, text);
	if (len >= VT_TEXT_MAX || strlen(text) != len || !utf8_valid(text, len))
		return bad_cell(at, x, "text is no UTF-8", ch);
	return 0;
}

static int
check_style(const struct place *at, const struct cell *c, unsigned x)
{
	const uint32_t colours[] = { c->fg, c->bg };

	for (unsigned i = 0; i < 2; i++) {
		uint32_t kind = COLOUR_KIND(colours[i]);
		uint32_t value = COLOUR_VALUE(colours[i]);

		if (kind > COLOUR_RGB || (kind == COLOUR_DEFAULT && value) ||
		    (kind == COLOUR_PALETTE && value > 255))
			return bad_cell(at, x, "no colour", colours[i]);
	}
	if (cell_underline(c) > UNDERLINE_DASHED)
		return bad_cell(at, x, "no underline", c->attr);
	if (c->attr &
	    ~(uint32_t)(ATTR_SGR | ATTR_PROTECTED | ATTR_KIND | ATTR_EXTRA))
		return bad_cell(at, x, "unknown attribute", c->attr);
	return 0;
}

/* Halves of wide characters are never alone. */
static int
check_kind(const struct place *at, const struct vt_row *row, unsigned x)
{
	const struct cell *c = &row->cells[x];

	switch (cell_kind(c)) {
	case CELL_NARROW:
		return 0;
	case CELL_WIDE:
		if (x + 1 >= row->used || cell_kind(c + 1) != CELL_TAIL)
			return bad_cell(at, x, "wide without a tail", c->ch);
		return 0;
	case CELL_TAIL:
		if (x == 0 || cell_kind(c - 1) != CELL_WIDE)
			return bad_cell(at, x, "a tail alone", c->ch);
		break;
	case CELL_PAD:
		break;
	}
	return c->ch == 0 ? 0 : bad_cell(at, x, "text in no text cell", c->ch);
}

static int
check_row(const struct place *at, const struct vt_row *row, unsigned cols)
{
	int rc = 0;

	if (row->used > cols)
		return bad_cell(at, row->used, "used is too large", cols);
	for (unsigned x = 0; x < row->used && rc == 0; x++) {
		rc = check_char(at, row, x);
		if (rc == 0)
			rc = check_style(at, &row->cells[x], x);
		if (rc == 0)
			rc = check_kind(at, row, x);
	}
	return rc;
}

/* Rows of the screen can be read up to the margin. */
static int
check_unused(const struct place *at, const struct vt_row *row, unsigned cols)
{
	for (unsigned x = row->used; x < cols; x++) {
		if (!cell_is_zero(&row->cells[x]))
			return bad_cell(at, x, "not zero behind the used",
			    row->cells[x].ch);
	}
	return 0;
}

static int
check_history(const struct vt *vt, struct error *err)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct place at = { "history", 0, err };
	struct vt_row row;
	int rc = 0;

	for (; rc == 0 && vt_history_next(it, &row); at.y++)
		rc = check_row(&at, &row, vt_cols(vt));
	vt_history_end(it);
	return rc;
}

static int
check_cursor(const struct vt *vt, struct error *err)
{
	struct vt_cursor c;

	vt_cursor(vt, &c);
	if (c.row >= vt_rows(vt) || c.col >= vt_cols(vt))
		return error_set(err, EPROTO,
		    "cursor at row %u column %u of %ux%u", c.row, c.col,
		    vt_cols(vt), vt_rows(vt));
	return 0;
}

/* The row that would go to the history is the row on the screen. */
static int
check_packed(const struct place *at, const struct vt *vt)
{
	const struct row *row = screen_row(&vt->screens[0], at->y);
	const uint8_t *packed = ahead_find(&vt->ahead, row);
	struct buf want;
	int rc = 0;

	if (packed == NULL)
		return 0;
	buf_init(&want, BUF_MAX);
	line_pack(&want, row->cells, row->used, &vt->clusters);
	if (want.len != row->packed_len ||
	    memcmp(want.data, packed, want.len) != 0)
		rc = error_set(at->err, EPROTO,
		    "row %u was packed ahead as %.*s, and is %.*s", at->y,
		    (int)row->packed_len, (const char *)packed, (int)want.len,
		    (const char *)want.data);
	buf_finish(&want);
	return rc;
}

int
prop_structure(const struct vt *vt, struct error *err)
{
	struct place at = { "screen", 0, err };
	struct vt_row row;
	int rc = check_cursor(vt, err);

	for (; rc == 0 && at.y < vt_rows(vt); at.y++) {
		vt_screen_row(vt, at.y, &row);
		rc = check_row(&at, &row, vt_cols(vt));
		if (rc == 0)
			rc = check_unused(&at, &row, vt_cols(vt));
		if (rc == 0)
			rc = check_packed(&at, vt);
	}
	return rc < 0 ? rc : check_history(vt, err);
}

/* Drop the blanks at the end, but nothing before `from`. */
static void
trim(struct buf *b, size_t from)
{
	while (b->len > from && b->data[b->len - 1] == ' ')
		b->len--;
}

/* The cells of a row as text, untrimmed; pads are blanks or nothing. */
static void
put_cells(const struct vt_row *row, struct buf *out, bool pads)
{
	char text[VT_TEXT_MAX];
	size_t len;

	for (unsigned x = 0; x < row->used; x++) {
		enum cell_kind kind = cell_kind(&row->cells[x]);

		if (kind == CELL_TAIL || (kind == CELL_PAD && !pads))
			continue;
		len = vt_cell_text(row, x, text);
		if (len == 0)
			buf_putc(out, ' ');
		else
			buf_append(out, text, len);
	}
}

/* The text, built from the cells by this file's own rules. */
static void
text_of_cells(const struct vt *vt, struct buf *out)
{
	struct vt_row row;

	for (unsigned y = 0; y < vt_rows(vt); y++) {
		size_t start;

		if (y > 0)
			buf_putc(out, '\n');
		start = out->len;
		vt_screen_row(vt, y, &row);
		put_cells(&row, out, true);
		trim(out, start);
	}
}

static bool
same_bytes(const struct buf *a, const struct buf *b)
{
	return a->len == b->len &&
	    (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static size_t
first_difference(const struct buf *a, const struct buf *b)
{
	size_t n = 0;

	while (n < a->len && n < b->len && a->data[n] == b->data[n])
		n++;
	return n;
}

static int
check_hash(const struct vt *vt, const struct buf *text, struct error *err)
{
	char expected[SHA256_HEX_SIZE], got[SHA256_HEX_SIZE];
	uint8_t digest[SHA256_SIZE];
	struct sha256 s;

	sha256_init(&s);
	sha256_update(&s, text->data, text->len);
	sha256_final(&s, digest);
	sha256_hex(digest, expected);
	vt_hash(vt, got);
	if (strcmp(expected, got) != 0)
		return error_set(err, EPROTO, "hash %s, the text's is %s", got,
		    expected);
	return 0;
}

int
prop_text(const struct vt *vt, struct error *err)
{
	struct buf text, cells;
	int rc;

	buf_init(&text, BUF_MAX);
	buf_init(&cells, BUF_MAX);
	text_of_cells(vt, &cells);
	rc = vt_text(vt, &text);
	if (rc < 0)
		error_set(err, -rc, "no text");
	else if (!utf8_valid(text.data, text.len))
		rc = error_set(err, EPROTO, "the text is no UTF-8");
	else if (!same_bytes(&text, &cells))
		rc = error_set(err, EPROTO,
		    "text of %zu and cells of %zu bytes differ at byte %zu",
		    text.len, cells.len, first_difference(&text, &cells));
	else
		rc = check_hash(vt, &text, err);
	buf_finish(&text);
	buf_finish(&cells);
	return rc;
}

/*
 * The most memory that a terminal may hold: two screens and one more while it
 * is resized, a cluster for each cell and as many that wait for the sweep, the
 * history twice over for its index and slack, and a fixed rest for links,
 * strings, parser and tables.
 */
#define CELL_BYTES (3 * sizeof(struct cell) + 4 * (CLUSTER_MAX + 4) * 4)
#define REST_BYTES (8u << 20)

int
prop_memory(const struct vt *vt, const struct vt_config *config,
    struct error *err)
{
	size_t cells = (size_t)vt_cols(vt) * vt_rows(vt);
	size_t bound = cells * CELL_BYTES + vt_rows(vt) * 256u +
	    2 * config->history_bytes + REST_BYTES;
	size_t held = vt_memory(vt);

	if (held > bound)
		return error_set(err, EPROTO,
		    "%zu bytes of memory for %ux%u, at most %zu", held,
		    vt_cols(vt), vt_rows(vt), bound);
	return 0;
}

static int
compare_keyframes(const struct vt *a, const struct vt *b, const struct buf *ka,
    const struct buf *kb, struct error *err)
{
	size_t at = first_difference(ka, kb);

	if (same_bytes(ka, kb))
		return 0;
	if (prop_alike(a, b, err) < 0 || prop_alike_history(a, b, err) < 0)
		return -EPROTO;
	return error_set(err, EPROTO,
	    "they look alike, but their keyframes of %zu and %zu bytes "
	    "differ at byte %zu: %02x and %02x",
	    ka->len, kb->len, at, at < ka->len ? ka->data[at] : 0u,
	    at < kb->len ? kb->data[at] : 0u);
}

int
prop_same(const struct vt *a, const struct vt *b, struct error *err)
{
	struct buf ka, kb;
	int rc;

	buf_init(&ka, BUF_MAX);
	buf_init(&kb, BUF_MAX);
	if (keyframe_save(a, &ka) < 0 || keyframe_save(b, &kb) < 0)
		rc = error_set(err, ENOBUFS, "no keyframe");
	else
		rc = compare_keyframes(a, b, &ka, &kb, err);
	buf_finish(&ka);
	buf_finish(&kb);
	return rc;
}

struct vt *
prop_restored(const struct vt *vt, const struct vt_ops *ops, void *arg,
    struct error *err)
{
	struct vt *copy = NULL;
	struct error why = { 0 };
	struct buf k;

	buf_init(&k, BUF_MAX);
	if (keyframe_save(vt, &k) < 0)
		error_set(err, ENOBUFS, "no keyframe");
	else if ((copy = keyframe_restore(k.data, k.len, ops, arg, &why)) ==
	    NULL)
		error_set(err, EPROTO, "own keyframe is refused: %s", why.msg);
	else if (prop_same(vt, copy, &why) < 0) {
		error_set(err, EPROTO, "restored: %s", why.msg);
		vt_destroy(copy);
		copy = NULL;
	}
	buf_finish(&k);
	return copy;
}

/* A rendering must not make its terminal answer. */
static void
on_reply(void *arg, const char *p, size_t len)
{
	size_t *talk = arg;

	(void)p;
	*talk += len;
}

static void
on_event(void *arg, const struct vt_event *ev)
{
	size_t *talk = arg;

	switch (ev->type) {
	case VT_EVENT_TITLE:
	case VT_EVENT_ICON:
	case VT_EVENT_CWD:
	case VT_EVENT_MARK:
		break; /* these are state, and a rendering includes them */
	case VT_EVENT_BELL:
	case VT_EVENT_NOTIFY:
	case VT_EVENT_PROGRESS:
	case VT_EVENT_CLIPBOARD:
	case VT_EVENT_RESIZE:
	case VT_EVENT_PROGRAM: /* no rendering has these */
		(*talk)++;
		break;
	}
}

static const struct vt_ops silent_ops = { .reply = on_reply,
	.event = on_event };

/* A fresh terminal that was fed vt's rendering, which is left in `bytes`. */
static struct vt *
rendered(const struct vt *vt, const struct vt_config *config, unsigned flags,
    struct buf *bytes, struct error *err)
{
	struct vt_config c = *config;
	struct vt *copy;
	size_t talk = 0;

	c.cols = (uint16_t)vt_cols(vt);
	c.rows = (uint16_t)vt_rows(vt);
	c.ops = &silent_ops;
	c.arg = &talk;
	if (vt_render(vt, flags, bytes) < 0) {
		error_set(err, ENOBUFS, "cannot be rendered");
		return NULL;
	}
	copy = vt_create(&c, err);
	if (copy == NULL)
		return NULL;
	vt_feed(copy, bytes->data, bytes->len);
	if (talk > 0) {
		error_set(err, EPROTO, "a rendering made the terminal talk");
		vt_destroy(copy);
		return NULL;
	}
	return copy;
}

static int
same_history_text(const struct vt *a, const struct vt *b, struct error *err)
{
	struct buf ta, tb;
	int rc = 0;

	buf_init(&ta, BUF_MAX);
	buf_init(&tb, BUF_MAX);
	vt_history_text(a, &ta);
	vt_history_text(b, &tb);
	if (!same_bytes(&ta, &tb))
		rc = error_set(err, EPROTO,
		    "history: %zu and %zu bytes of text differ at byte %zu",
		    ta.len, tb.len, first_difference(&ta, &tb));
	buf_finish(&ta);
	buf_finish(&tb);
	return rc;
}

static int
render_again(const struct vt *copy, unsigned flags, const struct buf *bytes,
    struct error *err)
{
	struct buf again;
	int rc;

	buf_init(&again, BUF_MAX);
	rc = vt_render(copy, flags, &again);
	if (rc == 0 && !same_bytes(bytes, &again))
		rc = error_set(err, EPROTO,
		    "%zu bytes, and the copy's %zu differ at byte %zu",
		    bytes->len, again.len, first_difference(bytes, &again));
	buf_finish(&again);
	return rc;
}

/*
 * On a terminal of one row, a blank end that the next row continues has left
 * the screen before a rendering can describe it. There, only the text of the
 * history is the same.
 */
static int
compare_rendering(const struct vt *vt, const struct vt *copy, unsigned flags,
    const struct buf *bytes, struct error *err)
{
	bool history = (flags & RENDER_HISTORY) != 0;
	int rc = prop_alike(vt, copy, err);

	if (rc == 0 && history && vt_rows(vt) == 1)
		return same_history_text(vt, copy, err);
	if (rc == 0 && history)
		rc = prop_alike_history(vt, copy, err);
	if (rc == 0)
		rc = render_again(copy, flags, bytes, err);
	return rc;
}

int
prop_render(const struct vt *vt, const struct vt_config *config, unsigned flags,
    struct error *err)
{
	struct error why = { 0 };
	struct vt *copy;
	struct buf bytes;
	int rc = -EPROTO;

	buf_init(&bytes, BUF_MAX);
	copy = rendered(vt, config, flags, &bytes, &why);
	if (copy != NULL)
		rc = compare_rendering(vt, copy, flags, &bytes, &why);
	if (rc < 0)
		error_set(err, EPROTO, "rendered%s: %s",
		    flags & RENDER_HISTORY ? " with history" : "", why.msg);
	vt_destroy(copy);
	buf_finish(&bytes);
	return rc;
}

static const char *const probes[PROP_PROBES] = {
	"x\r\ny",                 /* pen, charset, insert mode, wrap */
	"\tx\ty\tz",              /* tab stops */
	"\0338x",                 /* DECRC */
	"\033[ux",                /* SCORC */
	"\033[?1049lx",           /* the primary screen and its cursor */
	"\033[?47hx",             /* the alternate screen as it was */
	"\016q\017q\033nq\033oq", /* charsets */
	"\033[23t",               /* title stack */
	"\033[<u",                /* kitty keyboard stack */
	"\033[?1;5;6;7;25;69;1000;1006;2004rx", /* XTRESTORE */
	"\033[99;99Hx\033[Hy\033[999B\r\nz",    /* origin and margins */
	"\033[J\033[?2K",                       /* background, protection */
	"\033[?6h\033[2;2Hx\033[?6ly",          /* margins again */
	"\033[!px\033[1;1Hy",                   /* soft reset */
};

/* Feed both the same and compare. */
static int
compare_probed(struct vt *a, struct vt *b, const char *probe, struct error *err)
{
	vt_feed(a, probe, strlen(probe));
	vt_feed(b, probe, strlen(probe));
	return prop_alike(a, b, err);
}

/*
 * A rendering cannot express a half-received sequence, so the probe is for a
 * terminal that has given up on it (CAN).
 */
int
prop_render_probe(const struct vt *vt, const struct vt_config *config,
    unsigned probe, struct error *err)
{
	struct vt *settled = prop_restored(vt, NULL, NULL, err);
	struct vt *copy = NULL;
	struct error why = { 0 };
	struct buf bytes;
	int rc = -EPROTO;

	if (settled == NULL)
		return -EPROTO;
	vt_feed(settled, "\030", 1);
	buf_init(&bytes, BUF_MAX);
	copy = rendered(settled, config, RENDER_HISTORY, &bytes, &why);
	if (copy != NULL)
		rc = compare_probed(settled, copy, probes[probe], &why);
	if (rc < 0)
		error_set(err, EPROTO, "rendered and probed with %u: %s", probe,
		    why.msg);
	vt_destroy(copy);
	vt_destroy(settled);
	buf_finish(&bytes);
	return rc;
}

/* Logical lines, joined row by row. */
struct lines {
	struct buf *out;
	size_t start; /* of the present line */
	unsigned cols;
	unsigned used; /* of the row before */
	bool pad;      /* and whether it ended in one */
	bool any;
};

static void
lines_add(struct lines *l, const struct vt_row *row)
{
	if (l->any && (row->flags & ROW_CONTINUES) != 0) {
		for (unsigned x = l->used; x < l->cols; x++)
			buf_putc(l->out, ' ');
		/* A pad is a blank once its character was overwritten. */
		if (l->pad &&
		    (row->used == 0 || cell_kind(row->cells) != CELL_WIDE))
			buf_putc(l->out, ' ');
	} else if (l->any) {
		trim(l->out, l->start);
		buf_putc(l->out, '\n');
		l->start = l->out->len;
	}
	put_cells(row, l->out, false);
	l->used = row->used;
	l->pad = row->used > 0 &&
	    cell_kind(&row->cells[row->used - 1]) == CELL_PAD;
	l->any = true;
}

int
prop_lines(const struct vt *vt, struct buf *out)
{
	struct lines l = { .out = out, .start = out->len, .cols = vt_cols(vt) };
	struct vt_history_iter *it = vt_history_begin(vt);
	size_t first = out->len;
	struct vt_row row;

	while (vt_history_next(it, &row))
		lines_add(&l, &row);
	vt_history_end(it);
	for (unsigned y = 0; y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		lines_add(&l, &row);
	}
	trim(out, l.start);
	while (out->len > first && out->data[out->len - 1] == '\n')
		out->len--;
	buf_putc(out, '\n');
	return out->full ? -ENOBUFS : 0;
}

/* The line that contains the byte, from shortly before it, for a message. */
static const char *
line_at(struct buf *b, size_t at)
{
	size_t start = at < b->len ? at : b->len;

	while (start > 0 && at - start < 20 && b->data[start - 1] != '\n')
		start--;
	buf_putc(b, '\0');
	return (const char *)b->data + start;
}

static int
compare_lines(struct buf *before, struct buf *after, struct error *err)
{
	size_t at = first_difference(before, after);

	if (same_bytes(before, after))
		return 0;
	return error_set(err, EPROTO,
	    "the lines differ at byte %zu: \"%.70s\" became \"%.70s\"", at,
	    line_at(before, at), line_at(after, at));
}

int
prop_resize_back(const struct vt *vt, unsigned cols, unsigned rows,
    struct error *err)
{
	struct vt *copy = prop_restored(vt, NULL, NULL, err);
	struct buf before, after;
	struct error why = { 0 };
	int rc;

	if (copy == NULL)
		return -EPROTO;
	buf_init(&before, BUF_MAX);
	buf_init(&after, BUF_MAX);
	prop_lines(vt, &before);
	rc = vt_resize(copy, cols, rows, &why);
	if (rc == 0)
		rc = prop_structure(copy, &why);
	if (rc == 0)
		rc = vt_resize(copy, vt_cols(vt), vt_rows(vt), &why);
	if (rc == 0)
		rc = prop_structure(copy, &why);
	prop_lines(copy, &after);
	if (rc == 0)
		rc = compare_lines(&before, &after, &why);
	if (rc < 0)
		error_set(err, EPROTO, "resized %ux%u to %ux%u and back: %s",
		    vt_cols(vt), vt_rows(vt), cols, rows, why.msg);
	vt_destroy(copy);
	buf_finish(&before);
	buf_finish(&after);
	return rc;
}
