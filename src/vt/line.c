#include "vt/line.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/buf.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "vt/clusters.h"
#include "vt/extras.h"
#include "vt/uni.h"

enum token {
	TOKEN_NARROW = 1,
	TOKEN_WIDE,
	TOKEN_PAD,
	TOKEN_BLANKS,
	TOKEN_STYLE,
};

enum style_mask {
	STYLE_FG = 1 << 0,
	STYLE_BG = 1 << 1,
	STYLE_ATTR = 1 << 2,
	STYLE_EXTRA = 1 << 3,
};

#define STYLE_BITS (ATTR_SGR | ATTR_PROTECTED)

/* The longest token: a cluster of CLUSTER_MAX code points. */
#define TOKEN_MAX (2 + CLUSTER_MAX * 4)

static uint8_t *
put_number(uint8_t *p, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*p++ = (uint8_t)(n | 0x80);
	*p++ = (uint8_t)n;
	return p;
}

static uint8_t *
put_colour(uint8_t *p, uint32_t colour)
{
	switch (COLOUR_KIND(colour)) {
	case COLOUR_PALETTE:
		return put_number(p, COLOUR_VALUE(colour) + 1);
	case COLOUR_RGB:
		return put_number(p, COLOUR_VALUE(colour) + 257);
	}
	return put_number(p, 0);
}

uint8_t *
line_add_style(uint8_t *p, const struct cell *c)
{
	uint8_t *mask = p + 1;
	uint32_t bits = c->attr & STYLE_BITS;

	*p = TOKEN_STYLE;
	*mask = 0;
	p += 2;
	if (c->fg != 0) {
		*mask |= STYLE_FG;
		p = put_colour(p, c->fg);
	}
	if (c->bg != 0) {
		*mask |= STYLE_BG;
		p = put_colour(p, c->bg);
	}
	if (bits != 0) {
		*mask |= STYLE_ATTR;
		p = put_number(p, bits);
	}
	if (cell_extra(c) != 0) {
		*mask |= STYLE_EXTRA;
		p = put_number(p, cell_extra(c));
	}
	return p;
}

/* Writes four bytes, of which 1 to 4 count. */
static inline uint8_t *
put_utf8(uint8_t *p, uint32_t cp)
{
	if (cp < 0x80) {
		p[0] = (uint8_t)cp;
		return p + 1;
	}
	if (cp < 0x800) {
		p[0] = (uint8_t)(0xc0 | cp >> 6);
		p[1] = (uint8_t)(0x80 | (cp & 0x3f));
		return p + 2;
	}
	if (cp < 0x10000) {
		put_u32le(p,
		    0x8080e0 | cp >> 12 | (cp << 2 & 0x3f00) |
			(cp & 0x3f) << 16);
		return p + 3;
	}
	put_u32le(p,
	    0x808080f0 | cp >> 18 | (cp >> 4 & 0x3f00) | (cp << 10 & 0x3f0000) |
		(cp & 0x3f) << 24);
	return p + 4;
}

static inline uint8_t
cluster_token(const struct cell *c)
{
	return cell_kind(c) == CELL_WIDE ? TOKEN_WIDE : TOKEN_NARROW;
}

/* The cell's token, the number of code points, and their text. */
static inline uint8_t *
put_cluster(uint8_t *p, const struct cell *c, const struct clusters *clusters)
{
	uint32_t id = c->ch & ~CELL_CLUSTER;
	const char *text;
	unsigned n;
	size_t len;

	clusters_get(clusters, id, &n);
	text = clusters_text(clusters, id, &len);
	p[0] = cluster_token(c);
	p[1] = (uint8_t)n;
	memcpy(p + 2, text, CLUSTER_SLACK);
	if (len > CLUSTER_SLACK)
		memcpy(p + 2, text, len);
	return p + 2 + len;
}

/*
 * The number of cells from here that equal the first, which has no character.
 */
static unsigned
blank_run(const struct cell *cells, unsigned n)
{
	unsigned i = 1;

	while (i < n && cells[i].ch == 0 &&
	    cell_kind(&cells[i]) == CELL_NARROW &&
	    cell_same_style(&cells[i], &cells[0]))
		i++;
	return i;
}

#ifdef __SSE2__
static inline __m128i
zero(void)
{
	return _mm_setzero_si128();
}

static inline bool
is_zero(__m128i v)
{
	return _mm_movemask_epi8(_mm_cmpeq_epi32(v, zero())) == 0xffff;
}

static inline __m128i
load(const struct cell *c)
{
	return _mm_loadu_si128((const __m128i *)c);
}

/* The bits in which any of four cells differs from one. */
static inline __m128i
odds_of_four(const struct cell *c, __m128i same)
{
	__m128i a = _mm_xor_si128(load(c), same);
	__m128i b = _mm_xor_si128(load(c + 1), same);

	a = _mm_or_si128(a, _mm_xor_si128(load(c + 2), same));
	b = _mm_or_si128(b, _mm_xor_si128(load(c + 3), same));
	return _mm_or_si128(a, b);
}

/* The characters of four cells side by side. */
static inline __m128i
chars_of_four(const struct cell *c)
{
	__m128i a = _mm_unpacklo_epi32(load(c), load(c + 1));
	__m128i b = _mm_unpacklo_epi32(load(c + 2), load(c + 3));

	return _mm_unpacklo_epi64(a, b);
}
#endif

/*
 * Pack printable ASCII in the style of *style, the bulk of plain text; n bytes
 * may be written.  Returns the number of cells.
 */
static unsigned
ascii_run(uint8_t *p, const struct cell *cells, unsigned n,
    const struct cell *style)
{
	unsigned i = 0;

#ifdef __SSE2__
	const __m128i same = _mm_loadu_si128((const __m128i *)style);
	const __m128i ascii = _mm_set_epi32(0, 0, 0, 0x7f);
	for (; i + 4 <= n; i += 4) {
		const struct cell *c = cells + i;
		__m128i chars = chars_of_four(c);
		__m128i odd = _mm_andnot_si128(ascii, odds_of_four(c, same));
		/*
		 * A blank, a style that differs, or a character beyond ASCII.
		 */
		odd = _mm_or_si128(odd, _mm_cmpeq_epi32(chars, zero()));
		if (!is_zero(odd))
			break;
		chars = _mm_packs_epi32(chars, chars);
		chars = _mm_packus_epi16(chars, chars);
		put_u32le(p + i, (uint32_t)_mm_cvtsi128_si32(chars));
	}
#endif
	for (; i < n; i++) {
		const struct cell *c = &cells[i];
		if (c->ch - 0x20u >= 0x60u || c->attr != style->attr ||
		    c->fg != style->fg || c->bg != style->bg)
			break;
		p[i] = (uint8_t)c->ch;
	}
	return i;
}

/* True if four cells have this style, whatever their characters. */
static inline bool
four_in_style(const struct cell *c, const struct cell *style)
{
#ifdef __SSE2__
	const __m128i same = _mm_loadu_si128((const __m128i *)style);
	const int kind = (int)~(uint32_t)ATTR_KIND;

	return is_zero(_mm_and_si128(odds_of_four(c, same),
	    _mm_set_epi32(kind, -1, -1, 0)));
#else
	return cell_same_style(&c[0], style) && cell_same_style(&c[1], style) &&
	    cell_same_style(&c[2], style) && cell_same_style(&c[3], style);
#endif
}

/* The number of cells from the first on with this style. */
static unsigned
style_run(const struct cell *cells, unsigned n, const struct cell *style)
{
	unsigned i = 0;

	while (i + 4 <= n && four_in_style(cells + i, style))
		i += 4;
	while (i < n && cell_same_style(&cells[i], style))
		i++;
	return i;
}

/*
 * Pack the characters of cells of one style, up to a blank, or to a cluster
 * that would not leave four bytes before end for each cell after it.  Returns
 * the number of cells.
 */
static unsigned
char_run(uint8_t **p, const uint8_t *end, const struct cell *cells, unsigned n,
    const struct clusters *clusters)
{
	uint8_t *to = *p; /* a local copy: bytes may be stored to *p */
	unsigned i;

	for (i = 0; i < n; i++) {
		const struct cell *c = &cells[i];
		if (c->ch == 0) {
			if (cell_kind(c) != CELL_TAIL)
				break;
		} else if (c->ch & CELL_CLUSTER) {
			if ((size_t)(end - to) < TOKEN_MAX + 4 * (n - i))
				break;
			to = put_cluster(to, c, clusters);
		} else {
			to = put_utf8(to, c->ch);
		}
	}
	*p = to;
	return i;
}

/* Pack a pad, or a run of blanks; returns the number of cells. */
static unsigned
put_blanks(uint8_t **p, const struct cell *c, unsigned n)
{
	if (cell_kind(c) == CELL_PAD) {
		*(*p)++ = TOKEN_PAD;
		return 1;
	}
	unsigned run = blank_run(c, n);
	*(*p)++ = TOKEN_BLANKS;
	*p = put_number(*p, run);
	return run;
}

/* The space needed for a style, a cluster, and all remaining cells. */
#define ROOM(n) (4 * (n) + LINE_STYLE_MAX + TOKEN_MAX)

/* Pack cells while there is room before end.  Returns the number of cells. */
static unsigned
pack_some(uint8_t **p, const uint8_t *end, const struct cell *cells, unsigned n,
    struct cell *style, const struct clusters *clusters)
{
	unsigned i = 0;

	while (i < n && (size_t)(end - *p) >= ROOM(n - i)) {
		const struct cell *c = cells + i;
		if (!cell_same_style(c, style)) {
			*style = *c;
			style->ch = 0;
			style->attr &= ~(uint32_t)ATTR_KIND;
			*p = line_add_style(*p, style);
		}
		unsigned run = ascii_run(*p, c, n - i, style);
		*p += run;
		c += run;
		unsigned same = style_run(c, n - i - run, style);
		run += char_run(p, end, c, same, clusters);
		i += run > 0 ? run : put_blanks(p, c, n - i);
	}
	return i;
}

void
line_pack(struct buf *out, const struct cell *cells, unsigned n,
    const struct clusters *clusters)
{
	struct cell style = { 0 };

	while (n > 0) {
		size_t room = ROOM(n) + 256 + CLUSTER_SLACK;
		uint8_t *start = buf_reserve(out, room), *p = start;
		if (start == NULL)
			return;
		unsigned done = pack_some(&p, start + room, cells, n, &style,
		    clusters);
		buf_commit(out, (size_t)(p - start));
		cells += done;
		n -= done;
	}
	if (style.fg != 0 || style.bg != 0 || style.attr != 0)
		buf_append(out, (uint8_t[]){ TOKEN_STYLE, 0 }, 2);
}

uint8_t *
line_add_pad(uint8_t *end)
{
	*end = TOKEN_PAD;
	return end + 1;
}

uint8_t *
line_join(uint8_t *p, uint8_t *end, const struct cell *c, uint32_t cp)
{
	if (!(c->ch & CELL_CLUSTER)) {
		memmove(p + 2, p, (size_t)(end - p));
		p[1] = 1;
		end += 2;
	}
	p[0] = cluster_token(c);
	p[1]++;
	return end + utf8_encode((char *)end, cp);
}

void
line_pack_blanks(struct buf *out, unsigned n)
{
	uint8_t token[16];

	if (n == 0)
		return;
	token[0] = TOKEN_BLANKS;
	buf_append(out, token, (size_t)(put_number(token + 1, n) - token));
}

void
line_put_number(struct buf *out, uint64_t n)
{
	uint8_t bytes[10];

	buf_append(out, bytes, (size_t)(put_number(bytes, n) - bytes));
}

bool
line_get_number(const uint8_t **p, const uint8_t *end, uint64_t *n)
{
	*n = 0;
	for (unsigned shift = 0; *p < end && shift < 63; shift += 7) {
		uint8_t byte = *(*p)++;
		*n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

void
line_read(struct line_reader *r, const void *p, size_t len)
{
	memset(r, 0, sizeof(*r));
	r->p = p;
	r->end = r->p + len;
}

static bool
fail(struct line_reader *r)
{
	r->broken = true;
	r->p = r->end;
	r->blanks = 0;
	r->tail = false;
	return false;
}

static bool
get_colour(struct line_reader *r, uint32_t *colour)
{
	uint64_t n;

	if (!line_get_number(&r->p, r->end, &n) || n > 257 + 0xffffff)
		return false;
	if (n == 0)
		*colour = COLOUR_DEFAULT;
	else if (n <= 256)
		*colour = COLOUR_PALETTE | (uint32_t)(n - 1);
	else
		*colour = COLOUR_RGB | (uint32_t)(n - 257);
	return true;
}

static bool
get_style(struct line_reader *r)
{
	uint64_t n;
	uint8_t mask;

	if (r->p == r->end)
		return false;
	mask = *r->p++;
	r->style = (struct cell){ 0 };
	if ((mask & STYLE_FG) && !get_colour(r, &r->style.fg))
		return false;
	if ((mask & STYLE_BG) && !get_colour(r, &r->style.bg))
		return false;
	if (mask & STYLE_ATTR) {
		if (!line_get_number(&r->p, r->end, &n) ||
		    (n & ~(uint64_t)STYLE_BITS))
			return false;
		r->style.attr = (uint32_t)n;
		if (cell_underline(&r->style) > UNDERLINE_DASHED)
			return false;
	}
	if (mask & STYLE_EXTRA) {
		if (!line_get_number(&r->p, r->end, &n) || n > 0xffff)
			return false;
		r->style.attr |= (uint32_t)n << ATTR_EXTRA_SHIFT;
	}
	return true;
}

static bool
get_char(struct line_reader *r, uint32_t *cp)
{
	struct utf8 u = { 0 };

	while (r->p < r->end) {
		switch (utf8_step(&u, *r->p++, cp)) {
		case UTF8_MORE:
			break;
		case UTF8_DONE:
			return *cp >= 0x20 && (*cp < 0x7f || *cp > 0x9f);
		case UTF8_BAD:
		case UTF8_BAD_AGAIN:
			return false;
		}
	}
	return false;
}

static void
set_wide(struct line_reader *r, struct cell *out)
{
	out->attr |= CELL_WIDE << ATTR_KIND_SHIFT;
	r->tail = true;
}

static bool
get_cluster(struct line_reader *r, struct clusters *clusters, bool wide,
    struct cell *out)
{
	uint32_t cps[CLUSTER_MAX];
	unsigned n;

	if (r->p == r->end || *r->p < 2 || *r->p > CLUSTER_MAX)
		return false;
	n = *r->p++;
	for (unsigned i = 0; i < n; i++)
		if (!get_char(r, &cps[i]))
			return false;
	out->ch = CELL_CLUSTER | clusters_intern(clusters, cps, n);
	if (wide)
		set_wide(r, out);
	return true;
}

/* Read a token that is a cell, or a style and then a cell. */
static bool
get_token(struct line_reader *r, struct clusters *clusters, struct cell *out)
{
	uint8_t token = *r->p++;

	*out = r->style;
	switch (token) {
	case TOKEN_NARROW:
	case TOKEN_WIDE:
		return get_cluster(r, clusters, token == TOKEN_WIDE, out);
	case TOKEN_PAD:
		out->attr |= (uint32_t)CELL_PAD << ATTR_KIND_SHIFT;
		return true;
	case TOKEN_BLANKS:
		if (!line_get_number(&r->p, r->end, &r->blanks) ||
		    r->blanks == 0 || r->blanks > 1 << 20)
			return false;
		r->blanks--;
		return true;
	}
	return false;
}

bool
line_next(struct line_reader *r, struct clusters *clusters, struct cell *out)
{
	*out = r->style;
	if (r->blanks > 0) {
		r->blanks--;
		return true;
	}
	if (r->tail) {
		r->tail = false;
		out->attr |= (uint32_t)CELL_TAIL << ATTR_KIND_SHIFT;
		return true;
	}
	while (r->p < r->end && *r->p == TOKEN_STYLE) {
		r->p++;
		if (!get_style(r))
			return fail(r);
	}
	if (r->p == r->end)
		return false;
	if (*r->p < 0x20)
		return get_token(r, clusters, out) || fail(r);
	*out = r->style;
	if (!get_char(r, &out->ch))
		return fail(r);
	if (uni_width(out->ch) == 2)
		set_wide(r, out);
	return true;
}

void
line_mark_extras(const void *p, size_t len, struct extras *x)
{
	struct clusters clusters;
	struct line_reader r;
	struct cell c;

	/* Most lines have no extras, and then no such token. */
	if (memchr(p, TOKEN_STYLE, len) == NULL)
		return;
	clusters_init(&clusters);
	line_read(&r, p, len);
	while (line_next(&r, &clusters, &c))
		extras_mark(x, cell_extra(&c));
	clusters_finish(&clusters);
}
