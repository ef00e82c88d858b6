/*
 * Puts text onto the screen: wrapping, wide characters, clusters.  After
 * filling the last column the cursor stays on it (cursor.pending), and only
 * the next character wraps.
 */
#include <assert.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/utf8.h"
#include "vt/handlers.h"
#include "vt/line.h"
#include "vt/state.h"
#include "vt/uni.h"

#define VARIATION_16 0xfe0f

/* For code that runs once or more for every word. */
#define HOT static inline __attribute__((always_inline))

/* One past the column at which text wraps. */
HOT unsigned
wrap_column(const struct vt *vt)
{
	const struct screen *s = vt->screen;

	return vt->cursor.x <= s->right ? s->right + 1u : s->cols;
}

/* Move to the start of the next row, which continues this one's line. */
static void
wrap(struct vt *vt)
{
	struct screen *s = vt->screen;
	unsigned before = vt->cursor.y;
	bool scrolls = before == s->bottom;

	vt_linefeed(vt);
	vt->cursor.x = s->left;
	if ((scrolls || vt->cursor.y != before) && screen_full_width(s))
		screen_row(s, vt->cursor.y)->flags |= ROW_CONTINUES;
}

/* Do the pending wrap, or drop it if text does not wrap. */
static void
end_wait(struct vt *vt)
{
	if (vt_mode(vt, MODE_DECAWM))
		wrap(vt);
	else
		vt->cursor.pending = false;
}

HOT void
settle_wrap(struct vt *vt)
{
	if (vt->cursor.pending)
		end_wait(vt);
}

/* Advance after cells were written up to, not including, column x. */
static void
advance(struct vt *vt, unsigned x, unsigned end)
{
	vt->cursor.pending = x == end;
	vt->cursor.x = (uint16_t)(x == end ? end - 1 : x);
}

static void
remember(struct vt *vt, unsigned cell, uint8_t join)
{
	vt->last.join = join;
	vt->last.cell = (uint16_t)cell;
}

/* Make room for n cells at x: nothing is split in half, IRM shifts. */
HOT struct row *
open_cells(struct vt *vt, unsigned x, unsigned n)
{
	struct screen *s = vt->screen;
	struct row *row = screen_row(s, vt->cursor.y);

	if (vt_mode(vt, MODE_IRM) && vt_between_sides(vt, x))
		screen_insert_cells(s, vt->cursor.y, x, n, vt_blank(vt));
	screen_split(s, row, x, vt_blank(vt));
	screen_split(s, row, x + n, vt_blank(vt));
	if (row->used < x + n)
		row->used = (uint16_t)(x + n);
	screen_touch(s, row);
	return row;
}

static struct cell
of_kind(struct cell pen, enum cell_kind kind)
{
	pen.attr |= (uint32_t)kind << ATTR_KIND_SHIFT;
	return pen;
}

/*
 * The style for many cells, loaded once and stored whole.  If it were composed
 * of words for each cell, they would have to leave the store buffer before a
 * read of the whole, which takes longer than everything else.
 */
#ifdef __SSE2__
struct style {
	__m128i cell;
};

static inline struct style
style_of(const struct cell *pen)
{
	return (struct style){ _mm_loadu_si128((const __m128i *)pen) };
}

static inline struct style
style_of_kind(struct style style, enum cell_kind kind)
{
	return (struct style){ _mm_or_si128(style.cell,
	    _mm_set_epi32((int)kind << ATTR_KIND_SHIFT, 0, 0, 0)) };
}

/* For a character of 1 or 2 columns. */
static inline struct style
style_of_width(struct style style, unsigned width)
{
	__m128i wide = _mm_cvtsi32_si128((int)(width - 1) << ATTR_KIND_SHIFT);

	return (
	    struct style){ _mm_or_si128(style.cell, _mm_slli_si128(wide, 12)) };
}

/* The pen's character is 0. */
static inline void
put_cell(struct cell *to, struct style style, uint32_t ch)
{
	_mm_storeu_si128((__m128i *)to,
	    _mm_or_si128(style.cell, _mm_cvtsi32_si128((int)ch)));
}
#else
struct style {
	struct cell cell;
};

static inline struct style
style_of(const struct cell *pen)
{
	return (struct style){ *pen };
}

static inline struct style
style_of_kind(struct style style, enum cell_kind kind)
{
	return (struct style){ of_kind(style.cell, kind) };
}

static inline struct style
style_of_width(struct style style, unsigned width)
{
	return style_of_kind(style, width == 2 ? CELL_WIDE : CELL_NARROW);
}

static inline void
put_cell(struct cell *to, struct style style, uint32_t ch)
{
	*to = style.cell;
	to->ch = ch;
}
#endif

static void
fill_ascii(struct cell *cells, const uint8_t *p, unsigned n,
    const struct cell *pen)
{
	struct style style = style_of(pen);

	for (unsigned i = 0; i < n; i++)
		put_cell(&cells[i], style, p[i]);
}

/*
 * The packed text of the row if len bytes or less, printed at x, continue it;
 * otherwise NULL.  The caller then calls ahead_keep() after printing, because
 * printing touches the row.
 */
HOT struct ahead *
packs_ahead(struct vt *vt, const struct row *row, unsigned x, size_t len)
{
	struct ahead *a = &vt->ahead;

	if (a->ring == NULL || row->used != x || vt_on_alt(vt) ||
	    vt_mode(vt, MODE_IRM) || !ahead_open(a, row, x) ||
	    !ahead_fits(a, len))
		return NULL;
	return a;
}

/* True if the cell is the one that ends at `end`. */
static bool
ends_at(const struct cell *c, const struct cell *end)
{
	return c + (cell_kind(c) == CELL_WIDE ? 2 : 1) == end;
}

static void
print_plain(struct vt *vt, const uint8_t *p, size_t len)
{
	while (len > 0) {
		settle_wrap(vt);
		unsigned x = vt->cursor.x, end = wrap_column(vt);
		unsigned n = end - x < len ? end - x : (unsigned)len;
		struct row *row = screen_row(vt->screen, vt->cursor.y);
		struct ahead *a = packs_ahead(vt, row, x, n);
		open_cells(vt, x, n);
		fill_ascii(row->cells + x, p, n, &vt->pen);
		if (a != NULL) {
			ahead_add(a, &vt->pen, p, n, 1);
			ahead_keep(a, row);
		}
		advance(vt, x + n, end);
		p += n;
		len -= n;
	}
	unsigned cell = vt->cursor.x - !vt->cursor.pending;
	remember(vt, cell, UNI_OTHER);
}

/*
 * The cell that a wrapping wide character leaves; at a side margin, a blank.
 */
static struct cell
pad(const struct vt *vt)
{
	if (!screen_full_width(vt->screen))
		return vt_blank(vt);
	return of_kind(vt_blank(vt), CELL_PAD);
}

/* A wide character does not fit: leave a pad and go to the next row. */
static void
pad_and_wrap(struct vt *vt)
{
	unsigned x = vt->cursor.x;
	struct row *row = screen_row(vt->screen, vt->cursor.y);
	struct ahead *a = packs_ahead(vt, row, x, 1);

	open_cells(vt, x, 1);
	row->cells[x] = pad(vt);
	if (a != NULL && cell_kind(&row->cells[x]) == CELL_PAD) {
		ahead_add_pad(a, &row->cells[x]);
		ahead_keep(a, row);
	}
	wrap(vt);
}

/* True if the text before was a wide character that ends at the column. */
static bool
follows_wide(const struct vt *vt, unsigned end)
{
	const struct row *row = screen_row(vt->screen, vt->cursor.y);

	return vt->last.join != 0 && vt->last.cell + 2u == end &&
	    cell_kind(&row->cells[vt->last.cell]) == CELL_WIDE;
}

/*
 * Print one cell's text, 1 or 2 columns wide, at the cursor.  A wide one that
 * cannot wrap at the margin replaces a wide one before it, as text does
 * without DECAWM.  If there is none, or there are no two columns for it, it is
 * not shown.
 */
static __attribute__((noinline)) void
put(struct vt *vt, uint32_t ch, unsigned width, uint8_t join)
{
	bool over = follows_wide(vt, wrap_column(vt));

	vt->last.join = 0;
	settle_wrap(vt);
	unsigned end = wrap_column(vt);
	if (vt->cursor.x + width > end && !vt_mode(vt, MODE_DECAWM)) {
		if (!over)
			return;
		vt->cursor.x = (uint16_t)(end - 2);
	} else if (vt->cursor.x + width > end) {
		pad_and_wrap(vt);
		end = wrap_column(vt);
		if (vt->cursor.x + width > end)
			return;
	}
	unsigned x = vt->cursor.x;
	struct row *row = screen_row(vt->screen, vt->cursor.y);
	struct ahead *a = packs_ahead(vt, row, x, 4);
	open_cells(vt, x, width);
	/*
	 * From widen_last() it may be a cluster, but then the row is touched.
	 */
	if (a != NULL) {
		ahead_add_char(a, &vt->pen, ch);
		ahead_keep(a, row);
	}
	if (width == 2) {
		row->cells[x] = of_kind(vt->pen, CELL_WIDE);
		row->cells[x].ch = ch;
		row->cells[x + 1] = of_kind(vt->pen, CELL_TAIL);
	} else {
		put_cell(&row->cells[x], style_of(&vt->pen), ch);
	}
	advance(vt, x + width, end);
	remember(vt, x, join);
}

static struct cell *
last_cell(struct vt *vt)
{
	return &screen_row(vt->screen, vt->cursor.y)->cells[vt->last.cell];
}

/* Get the code points of a cell; returns their number. */
static unsigned
cell_cps(const struct vt *vt, const struct cell *c, uint32_t cps[CLUSTER_MAX])
{
	unsigned n;

	if (!(c->ch & CELL_CLUSTER)) {
		cps[0] = c->ch;
		return 1;
	}
	const uint32_t *from = clusters_get(&vt->clusters,
	    c->ch & ~CELL_CLUSTER, &n);
	memcpy(cps, from, n * sizeof(*cps));
	return n;
}

static uint32_t
last_cp(const struct vt *vt, const struct cell *c)
{
	uint32_t cps[CLUSTER_MAX];

	return cps[cell_cps(vt, c, cps) - 1];
}

/*
 * True if a narrow character becomes wide when cp joins it; `before` is its
 * last code point.  Without mode 2027 a character keeps its initial width.
 */
static bool
widens(const struct vt *vt, uint32_t before, uint32_t cp)
{
	if (!vt_mode(vt, MODE_GRAPHEMES))
		return false;
	if (cp == VARIATION_16)
		return uni_props(before) & UNI_VARIES;
	return uni_class(cp) == UNI_REGIONAL || uni_width(cp) == 2;
}

/*
 * Make the last character wide: give it a second column, on the next row if
 * this one is full.  False if that is impossible.
 */
static bool
widen_last(struct vt *vt)
{
	struct cell *c = last_cell(vt);
	struct cell pen = vt->pen, was = *c;

	if (vt->cursor.pending) {
		if (!vt_mode(vt, MODE_DECAWM) ||
		    vt->screen->right - vt->screen->left < 1)
			return false;
		*c = pad(vt);
		screen_touch(vt->screen, screen_row(vt->screen, vt->cursor.y));
		wrap(vt);
	} else {
		vt->cursor.x = vt->last.cell;
	}
	vt->pen = was;
	vt->pen.ch = 0;
	put(vt, was.ch, 2, vt->last.join);
	vt->pen = pen;
	return true;
}

/*
 * The packed text of the row if a mark that joins the last character can
 * continue it; otherwise NULL.  In the last column the mark may move the
 * character to another row.
 */
static struct ahead *
packs_last(struct vt *vt, const struct row *row)
{
	unsigned x = vt->cursor.x;

	if (!ends_at(last_cell(vt), &row->cells[x]))
		return NULL;
	return packs_ahead(vt, row, x, LINE_JOIN_MAX);
}

/* Add a code point to the last character. */
static __attribute__((noinline)) void
join_last(struct vt *vt, uint32_t cp, uint8_t join)
{
	struct cell *c = last_cell(vt);
	struct row *row = screen_row(vt->screen, vt->cursor.y);
	struct ahead *a = packs_last(vt, row);

	vt->last.join = join;
	if (c->ch == 0)
		return;
	bool widened = cell_kind(c) == CELL_NARROW &&
	    widens(vt, last_cp(vt, c), cp);
	if (widened && !widen_last(vt))
		return;
	c = last_cell(vt);
	screen_touch(vt->screen, screen_row(vt->screen, vt->cursor.y));
	uint32_t ch = clusters_join(&vt->clusters, c->ch, cp);
	if (a != NULL && ch != 0)
		ahead_join(a, c, cp);
	/* A full cluster takes no mark, but the mark may have widened it. */
	if (a != NULL && (ch != 0 || !widened))
		ahead_keep(a, row);
	if (ch != 0)
		c->ch = ch;
}

/* Without mode 2027 only code points of width 0 join. */
static bool
joins(const struct vt *vt, uint8_t *join, uint32_t cp)
{
	if (vt_mode(vt, MODE_GRAPHEMES))
		return uni_joins(join, cp);
	enum uni_class class = uni_class(cp);
	bool had = *join != 0;
	if (class != UNI_EXTEND && class != UNI_ZWJ)
		*join = UNI_OTHER;
	return had && uni_width(cp) == 0 &&
	    (class == UNI_EXTEND || class == UNI_ZWJ);
}

/* True if a character surely keeps its width when cp joins it. */
HOT bool
keeps_width(const struct cell *c, uint32_t cp, unsigned width)
{
	return c->ch != 0 && cp != VARIATION_16 &&
	    (width == 0 || cell_kind(c) == CELL_WIDE);
}

/*
 * Text that is packed ahead while it is printed.  The loop checks it for marks
 * only; everything else is copied at the next mark or at the end.
 */
struct packing {
	struct ahead *ahead; /* NULL: not packed */
	const struct cell *pen;
	const struct text *text;
	size_t done; /* code points */
};

static void
pack_until(struct packing *pk, size_t i)
{
	const struct text *t = pk->text;
	const uint16_t *at = t->at;

	if (pk->done < i)
		ahead_add(pk->ahead, pk->pen, t->utf8 + at[pk->done],
		    at[i] - at[pk->done], at[i] - at[i - 1]);
	pk->done = i;
}

/* Code point i is about to join the cell, if there is room in it. */
static void
pack_join(struct packing *pk, const struct cell *c, size_t i, bool room)
{
	pack_until(pk, i);
	if (room)
		ahead_join(pk->ahead, c, pk->text->cps[i]);
	pk->done = i + 1;
}

/*
 * The path of most text: characters in a row with room for them before its
 * last column, and marks that do not widen them.  Returns the number of code
 * points handled.
 */
HOT size_t
put_run(struct vt *vt, struct row *row, struct packing *pk)
{
	/* Local copies, because stores to cells may alias anything. */
	const struct style narrow = style_of(&vt->pen);
	const struct style tail = style_of_kind(narrow, CELL_TAIL);
	struct cell *c = row->cells + vt->cursor.x;
	const struct cell *end = row->cells + wrap_column(vt) - 1;
	uint8_t join = vt->last.join;
	struct cell *before = row->cells + vt->last.cell;
	struct cell over;
	unsigned last = 0;
	const uint32_t *cps = pk->text->cps;
	const size_t n = pk->text->n;
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t cp = cps[i];
		unsigned width = uni_width(cp);
		uint8_t next = join;
		if (uni_joins(&next, cp)) {
			if (!keeps_width(before, cp, width))
				break;
			uint32_t ch = clusters_join(&vt->clusters, before->ch,
			    cp);
			assert(pk->ahead == NULL || ends_at(before, c));
			if (pk->ahead != NULL)
				pack_join(pk, before, i, ch != 0);
			before->ch = ch != 0 ? ch : before->ch;
			join = next;
			continue;
		}
		if (width == 0 || c + width > end)
			break;
		join = next;
		/*
		 * Without a branch on the width: the cell after a narrow
		 * character is overwritten by the next, or restored at the
		 * end.
		 */
		over = c[1];
		put_cell(c, style_of_width(narrow, width), cp);
		put_cell(c + 1, tail, 0);
		before = c;
		c += width;
		last = width;
	}
	if (last == 1)
		*c = over;
	if (i > 0) {
		vt->cursor.x = (uint16_t)(c - row->cells);
		remember(vt, (unsigned)(before - row->cells), join);
	}
	return i;
}

HOT size_t
put_simple(struct vt *vt, const struct text *t)
{
	struct screen *s = vt->screen;
	struct row *row = screen_row(s, vt->cursor.y);
	unsigned from = vt->cursor.x;
	bool on_half = from < row->used &&
	    cell_kind(&row->cells[from]) == CELL_TAIL;

	if (vt->cursor.pending || vt_mode(vt, MODE_IRM) ||
	    !vt_mode(vt, MODE_GRAPHEMES))
		return 0;
	struct packing pk = { .text = t,
		.pen = &vt->pen,
		.ahead = packs_ahead(vt, row, from, t->n * LINE_JOIN_MAX) };
	size_t done = put_run(vt, row, &pk);
	if (done == 0)
		return 0;
	/* Blank halves of wide characters whose other half was overwritten. */
	unsigned x = vt->cursor.x;
	if (on_half)
		row->cells[from - 1] = vt_blank(vt);
	if (x < row->used && cell_kind(&row->cells[x]) == CELL_TAIL)
		row->cells[x] = vt_blank(vt);
	if (row->used < x)
		row->used = (uint16_t)x;
	screen_touch(s, row);
	if (pk.ahead != NULL) {
		pack_until(&pk, done);
		ahead_keep(pk.ahead, row);
	}
	return done;
}

static void
print(struct vt *vt, const struct text *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct text rest = { t->cps + i, t->n - i, t->utf8,
			t->at + i };
		i += put_simple(vt, &rest);
		if (i == t->n)
			break;
		uint8_t join = vt->last.join;
		uint32_t cp = t->cps[i];
		if (joins(vt, &join, cp))
			join_last(vt, cp, join);
		else if (uni_width(cp) > 0)
			put(vt, cp, uni_width(cp), join);
	}
	if (clusters_want_sweep(&vt->clusters))
		vt_sweep_clusters(vt);
}

/* Up to CLUSTER_MAX code points. */
static void
print_cps(struct vt *vt, const uint32_t *cps, size_t n)
{
	char utf8[CLUSTER_MAX * 4];
	uint16_t at[CLUSTER_MAX + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		at[i + 1] = (uint16_t)(at[i] +
		    utf8_encode(utf8 + at[i], cps[i]));
	print(vt, &(struct text){ cps, n, (const uint8_t *)utf8, at });
}

/*
 * ASCII that a character set translates, fully or for one character.  It is
 * separate because its callers would otherwise have to guard the arrays on the
 * stack.
 */
static __attribute__((noinline)) void
print_mapped(struct vt *vt, uint32_t cp)
{
	if (cp < 0x80)
		cp = charsets_map(&vt->charsets, (uint8_t)cp);
	vt->charsets.single = 0;
	print_cps(vt, &cp, 1);
}

void
vt_print_text(struct vt *vt, const struct text *text)
{
	if (charsets_plain(&vt->charsets)) {
		print(vt, text);
		return;
	}
	for (size_t i = 0; i < text->n; i++)
		print_mapped(vt, text->cps[i]);
}

void
vt_print_ascii(struct vt *vt, const uint8_t *p, size_t len)
{
	if (charsets_plain(&vt->charsets)) {
		print_plain(vt, p, len);
		return;
	}
	for (size_t i = 0; i < len; i++)
		print_mapped(vt, p[i]);
}

/* REP: repeat the last character; see seq.def. */
void
csi_rep(struct vt *vt, const struct seq *seq)
{
	uint32_t cps[CLUSTER_MAX];
	unsigned times = seq_arg(seq, 0, 1);

	if (vt->last.join == 0 || last_cell(vt)->ch == 0)
		return;
	unsigned n = cell_cps(vt, last_cell(vt), cps);
	while (times-- > 0) {
		/* Two flags or jamo in a row would join: keep them apart. */
		vt->last.join = 0;
		print_cps(vt, cps, n);
	}
}
