#ifndef TEND_TESTS_VT_CELLS_H
#define TEND_TESTS_VT_CELLS_H

#include <stdio.h>
#include <string.h>

#include "../rng.h"
#include "vt/cell.h"
#include "vt/clusters.h"

/* Rows of cells for tests, which include unit.h first. */

static inline struct cell
with_kind(struct cell c, enum cell_kind kind)
{
	c.attr &= ~(uint32_t)ATTR_KIND;
	c.attr |= (uint32_t)kind << ATTR_KIND_SHIFT;
	return c;
}

/* Printable ASCII as cells in one style; returns their number. */
static inline unsigned
put_ascii(struct cell *cells, const char *s, struct cell style)
{
	unsigned n = 0;

	for (; s[n] != '\0'; n++) {
		cells[n] = style;
		cells[n].ch = (uint8_t)s[n];
	}
	return n;
}

static inline uint32_t
random_colour(struct rng *rng)
{
	switch (rng_below(rng, 4)) {
	case 0:
		return COLOUR_PALETTE | rng_below(rng, 256);
	case 1:
		return COLOUR_RGB | rng_below(rng, 1 << 24);
	}
	return COLOUR_DEFAULT;
}

static inline struct cell
random_style(struct rng *rng)
{
	static const uint32_t bits[] = { ATTR_BOLD, ATTR_FAINT, ATTR_ITALIC,
		ATTR_INVERSE, ATTR_BLINK, ATTR_CONCEAL, ATTR_STRIKE,
		ATTR_OVERLINE, ATTR_PROTECTED };
	struct cell c = { .fg = random_colour(rng), .bg = random_colour(rng) };

	if (rng_below(rng, 2))
		c.attr |= bits[rng_below(rng, sizeof(bits) / sizeof(bits[0]))];
	if (rng_below(rng, 4) == 0)
		c.attr |= rng_below(rng, UNDERLINE_DASHED + 1)
		    << ATTR_UNDERLINE_SHIFT;
	if (rng_below(rng, 8) == 0)
		c.attr |= rng_below(rng, 65536) << ATTR_EXTRA_SHIFT;
	return c;
}

/* The two halves of a wide cell. */
static inline void
put_wide(struct cell *cells, uint32_t ch, struct cell style)
{
	cells[0] = with_kind(style, CELL_WIDE);
	cells[0].ch = ch;
	cells[1] = with_kind(style, CELL_TAIL);
	cells[1].ch = 0;
}

static inline uint32_t
random_cluster(struct rng *rng, struct clusters *clusters, uint32_t base)
{
	uint32_t cps[CLUSTER_MAX] = { base };
	unsigned n = rng_between(rng, 2, CLUSTER_MAX);

	for (unsigned i = 1; i < n; i++)
		cps[i] = 0x300 + rng_below(rng, 64);
	return CELL_CLUSTER | clusters_intern(clusters, cps, n);
}

/*
 * One character or blank of at most `room` cells; returns its number of cells.
 */
static inline unsigned
put_random(struct rng *rng, struct cell *cells, unsigned room,
    struct cell style, struct clusters *clusters)
{
	static const uint32_t narrow[] = { 0xe4, 0x3b1, 0x2500, 0xfffd, 0x1f1e6,
		0x10fffd };
	static const uint32_t wide[] = { 0x5b57, 0xac00, 0x1f600, 0x20000 };
	unsigned what = rng_below(rng, 16);

	if (what < 2 && room >= 2) {
		put_wide(cells, wide[rng_below(rng, 4)], style);
		return 2;
	}
	if (what == 2 && room >= 2) {
		put_wide(cells, random_cluster(rng, clusters, 0x1f468), style);
		return 2;
	}
	*cells = style;
	if (what == 3)
		cells->ch = random_cluster(rng, clusters, 'e');
	else if (what < 6)
		cells->ch = narrow[rng_below(rng, 6)];
	else if (what < 14)
		cells->ch = rng_between(rng, 0x20, 0x7e);
	else if (what == 14) /* erased */
		*cells = (struct cell){ .bg = style.bg };
	else
		*cells = with_kind((struct cell){ .bg = style.bg }, CELL_PAD);
	return 1;
}

/* Fill n cells, in styles that change now and then. */
static inline void
random_cells(struct rng *rng, struct cell *cells, unsigned n,
    struct clusters *clusters)
{
	struct cell style = { 0 };
	unsigned often = rng_between(rng, 1, 20);

	for (unsigned x = 0; x < n;) {
		if (rng_below(rng, often) == 0)
			style = rng_below(rng, 2) ? random_style(rng) :
						    (struct cell){ 0 };
		x += put_random(rng, cells + x, n - x, style, clusters);
	}
}

/* Two cells look the same, wherever their clusters are kept. */
static inline bool
cells_same(const struct cell *a, const struct clusters *ca,
    const struct cell *b, const struct clusters *cb)
{
	const uint32_t *x, *y;
	unsigned n, m;

	if (a->fg != b->fg || a->bg != b->bg || a->attr != b->attr)
		return false;
	if (!(a->ch & CELL_CLUSTER) || !(b->ch & CELL_CLUSTER))
		return a->ch == b->ch;
	x = clusters_get(ca, a->ch & ~CELL_CLUSTER, &n);
	y = clusters_get(cb, b->ch & ~CELL_CLUSTER, &m);
	return n == m && memcmp(x, y, n * sizeof(*x)) == 0;
}

static inline void
assert_cells_same(const struct cell *a, const struct clusters *ca,
    const struct cell *b, const struct clusters *cb, unsigned n)
{
	for (unsigned x = 0; x < n; x++)
		if (!cells_same(&a[x], ca, &b[x], cb))
			fail_msg("cell %u of %u: %08x %08x %08x %08x, "
				 "not %08x %08x %08x %08x",
			    x, n, a[x].ch, a[x].fg, a[x].bg, a[x].attr, b[x].ch,
			    b[x].fg, b[x].bg, b[x].attr);
}

#endif
