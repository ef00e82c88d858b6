#include "unit.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "vt/extras.h"
#include "vt/line.h"
#include "vt_cells.h"
#include "vt_show.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CELLS_MAX 300

static const struct cell plain = { 0 };

/*
 * Unpack into cells; returns their number, and whether the bytes were broken.
 */
static unsigned
unpack(const void *p, size_t len, struct cell *cells, unsigned max,
    struct clusters *clusters, bool *broken)
{
	struct line_reader r;
	struct cell c;
	unsigned n = 0;

	line_read(&r, p, len);
	while (line_next(&r, clusters, &c)) {
		if (n < max)
			cells[n] = c;
		n++;
	}
	*broken = r.broken;
	assert_ptr_equal(r.p, r.end);
	assert_false(line_next(&r, clusters, &c));
	return n;
}

static void
packed_cells_come_back_the_same(void **state)
{
	struct cell cells[CELLS_MAX], back[CELLS_MAX];
	struct rng rng = { 4 };

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		struct clusters from, to;
		struct buf b;
		bool broken;
		unsigned n = rng_between(&rng, 1, CELLS_MAX);

		clusters_init(&from);
		clusters_init(&to);
		buf_init(&b, SIZE_MAX);
		random_cells(&rng, cells, n, &from);
		line_pack(&b, cells, n, &from);
		assert_int_equal(unpack(b.data, b.len, back, CELLS_MAX, &to,
				     &broken),
		    n);
		assert_false(broken);
		assert_cells_same(back, &to, cells, &from, n);
		buf_finish(&b);
		clusters_finish(&from);
		clusters_finish(&to);
	}
}

static void
packed_pieces_may_be_put_together(void **state)
{
	struct cell cells[CELLS_MAX], back[CELLS_MAX];
	struct rng rng = { 5 };

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct clusters from, to;
		struct buf b;
		bool broken;
		unsigned n = 0;

		clusters_init(&from);
		clusters_init(&to);
		buf_init(&b, SIZE_MAX);
		for (unsigned piece = 0; piece < 3; piece++) {
			unsigned len = rng_between(&rng, 1, CELLS_MAX / 3);
			random_cells(&rng, cells + n, len, &from);
			line_pack(&b, cells + n, len, &from);
			n += len;
		}
		assert_int_equal(unpack(b.data, b.len, back, CELLS_MAX, &to,
				     &broken),
		    n);
		assert_false(broken);
		assert_cells_same(back, &to, cells, &from, n);
		buf_finish(&b);
		clusters_finish(&from);
		clusters_finish(&to);
	}
}

/* The bytes of n cells without clusters. */
static struct buf
packed(const struct cell *cells, unsigned n)
{
	struct buf b;

	buf_init(&b, SIZE_MAX);
	line_pack(&b, cells, n, NULL);
	return b;
}

static void
plain_ascii_costs_its_length(void **state)
{
	struct cell cells[200];
	char text[200];

	(void)state;
	for (unsigned n = 0; n < sizeof(text); n++) {
		memset(text, 0, sizeof(text));
		for (unsigned i = 0; i < n; i++)
			text[i] = (char)(0x20 + i % 0x5f);
		put_ascii(cells, text, plain);
		struct buf b = packed(cells, n);
		assert_int_equal(b.len, n);
		if (n > 0)
			assert_memory_equal(b.data, text, n);
		buf_finish(&b);
	}
}

static void
plain_text_costs_its_utf8(void **state)
{
	struct cell cells[6] = { { .ch = 0xe4 }, { .ch = 0x2500 },
		{ .ch = 0x1f1e6 } };
	const char *want = "\u00e4\u2500\U0001f1e6\u5b57";

	(void)state;
	put_wide(cells + 3, 0x5b57, plain);
	struct buf b = packed(cells, 5);
	assert_int_equal(b.len, strlen(want));
	assert_memory_equal(b.data, want, b.len);
	buf_finish(&b);
}

static void
blanks_cost_no_more_than_a_number(void **state)
{
	struct cell cells[200] = { { 0 } };
	struct buf b = packed(cells, 200), same;

	(void)state;
	assert_int_equal(b.len, 3);
	buf_init(&same, 10);
	line_pack_blanks(&same, 200);
	line_pack_blanks(&same, 0);
	assert_int_equal(same.len, 3);
	assert_memory_equal(same.data, b.data, 3);
	buf_finish(&b);
	buf_finish(&same);
}

static void
a_style_costs_a_few_bytes_where_it_begins_and_ends(void **state)
{
	const struct cell red = { .fg = COLOUR_PALETTE | 1 };
	const struct cell all = { .fg = COLOUR_RGB | 0xffffff,
		.bg = COLOUR_RGB | 0xffffff,
		.attr = ATTR_SGR | ATTR_PROTECTED | ATTR_EXTRA };
	struct cell cells[30];

	(void)state;
	put_ascii(cells, "0123456789", plain);
	put_ascii(cells + 10, "0123456789", red);
	put_ascii(cells + 20, "0123456789", plain);
	struct buf once = packed(cells, 30);
	assert_int_equal(once.len, 30 + 3 + 2);
	put_ascii(cells + 10, "0123456789", all);
	struct buf most = packed(cells, 20);
	assert_in_range(most.len, 20, 20 + 16 + 2);
	buf_finish(&once);
	buf_finish(&most);
}

/* The most that text and changes of style cost. */
static size_t
fair_size(const struct cell *cells, unsigned n, const struct clusters *clusters)
{
	struct cell style = plain;
	size_t size = 2;
	char utf8[4];

	for (unsigned x = 0; x < n; x++) {
		const struct cell *c = &cells[x];
		unsigned cps = 0;
		if (!cell_same_style(c, &style))
			size += 16;
		style = *c;
		if (c->ch & CELL_CLUSTER) {
			const uint32_t *p = clusters_get(clusters,
			    c->ch & ~CELL_CLUSTER, &cps);
			for (unsigned i = 0; i < cps; i++)
				size += utf8_encode(utf8, p[i]);
			size += 2;
		} else if (c->ch != 0) {
			size += utf8_encode(utf8, c->ch);
		} else if (cell_kind(c) != CELL_TAIL) {
			size += 2; /* a run of blanks, or a pad */
		}
	}
	return size;
}

static void
any_line_costs_no_more_than_its_text_and_styles(void **state)
{
	struct cell cells[100];
	struct rng rng = { 6 };

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct clusters clusters;
		struct buf b;

		clusters_init(&clusters);
		buf_init(&b, SIZE_MAX);
		random_cells(&rng, cells, 100, &clusters);
		line_pack(&b, cells, 100, &clusters);
		assert_in_range(b.len, 50, fair_size(cells, 100, &clusters));
		buf_finish(&b);
		clusters_finish(&clusters);
	}
}

static void
a_full_buffer_is_left_as_it_was(void **state)
{
	struct cell cells[3];
	struct buf b;

	(void)state;
	put_ascii(cells, "abc", plain);
	buf_init(&b, 10);
	buf_puts(&b, "0123456789");
	line_pack(&b, cells, 3, NULL);
	assert_true(b.full);
	assert_int_equal(b.len, 10);
	buf_finish(&b);
}

static void
numbers_are_short_and_read_back_unchanged(void **state)
{
	static const struct {
		uint64_t n;
		size_t len;
	} cases[] = { { 0, 1 }, { 127, 1 }, { 128, 2 }, { 16383, 2 },
		{ 16384, 3 }, { 0xffffff, 4 }, { UINT32_MAX, 5 },
		{ (1ull << 56) - 1, 8 }, { INT64_MAX, 9 } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf b;
		uint64_t got;

		buf_init(&b, 16);
		line_put_number(&b, cases[i].n);
		assert_int_equal(b.len, cases[i].len);
		const uint8_t *p = b.data;
		assert_true(line_get_number(&p, b.data + b.len, &got));
		assert_true(got == cases[i].n);
		assert_ptr_equal(p, b.data + b.len);
		for (size_t len = 0; len < b.len; len++) {
			p = b.data;
			assert_false(line_get_number(&p, b.data + len, &got));
		}
		buf_finish(&b);
	}
}

static void
a_number_without_end_is_refused(void **state)
{
	uint8_t bytes[20];
	const uint8_t *p = bytes;
	uint64_t got;

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	assert_false(line_get_number(&p, bytes + sizeof(bytes), &got));
}

static void
bytes_that_line_pack_never_writes_are_broken(void **state)
{
	/* Each begins with "a", which is fine. */
	static const struct {
		const char *bytes;
		size_t len;
	} cases[] = {
#define CASE(s) { s, sizeof(s) - 1 }
		CASE("a\0"), CASE("a\x06"), CASE("a\x1f"), /* no token */
		CASE("a\x01"), CASE("a\x01\x02"), CASE("a\x01\x02x\x05"),
		CASE("a\x01\x01x"), CASE("a\x01\x11xxxxxxxxxxxxxxxxx"),
		CASE("a\x01\x02x"), CASE("a\x02\x02x\x03"),
		CASE("a\x01\x02x\xcc"), /* clusters */
		CASE("a\x04"), CASE("a\x04\x80"), CASE("a\x04\0"),
		CASE("a\x04\xff\xff\xff\x7f"), /* blanks */
		CASE("a\x05"), CASE("a\x05\x01"), CASE("a\x05\x02\x80"),
		CASE("a\x05\x01\xff\xff\xff\x7f"), /* colours */
		CASE("a\x05\x04\x80\xe0\x03"), CASE("a\x05\x04"),
		CASE("a\x05\x08\xff\xff\x7f"), CASE("a\x05\x08"), CASE("a\xff"),
		CASE("a\xe5\xad"), CASE("a\xc2\x80"), CASE("a\x7f"),
		CASE("a\x80"), /* text */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct clusters clusters;
		struct cell cells[4];
		bool broken;

		clusters_init(&clusters);
		unsigned n = unpack(cases[i].bytes, cases[i].len, cells, 4,
		    &clusters, &broken);
		if (!broken || n != 1)
			fail_msg("%s: %u cells%s",
			    show_bytes(cases[i].bytes, cases[i].len).s, n,
			    broken ? "" : ", not broken");
		clusters_finish(&clusters);
	}
}

/* Every cell is one that a terminal could have. */
static void
is_sound(const struct cell *c, const struct clusters *clusters)
{
	unsigned n;

	if (c->ch & CELL_CLUSTER)
		clusters_get(clusters, c->ch & ~CELL_CLUSTER, &n);
	else
		assert_true(c->ch == 0 || (c->ch >= 0x20 && c->ch < 0x110000));
	assert_true(COLOUR_KIND(c->fg) <= COLOUR_RGB);
	assert_true(COLOUR_KIND(c->bg) <= COLOUR_RGB);
	assert_true(cell_underline(c) <= UNDERLINE_DASHED);
}

static void
reads_soundly(const uint8_t *p, size_t len, struct clusters *clusters)
{
	struct line_reader r;
	struct cell c, before = { 0 };

	line_read(&r, p, len);
	while (line_next(&r, clusters, &c)) {
		is_sound(&c, clusters);
		assert_int_equal(cell_kind(&c) == CELL_TAIL,
		    cell_kind(&before) == CELL_WIDE);
		before = c;
		/* Do not read a million blanks. */
		if (r.blanks > 100)
			r.blanks = 100;
	}
}

static void
any_bytes_are_read_without_harm(void **state)
{
	struct rng rng = { 7 };
	struct clusters clusters;
	struct cell cells[100];

	(void)state;
	clusters_init(&clusters);
	for (unsigned i = 0; i < 20000; i++) {
		uint8_t bytes[64];
		size_t len = rng_below(&rng, sizeof(bytes) + 1);
		for (size_t k = 0; k < len; k++)
			bytes[k] = (uint8_t)rng_below(&rng,
			    rng_below(&rng, 2) ? 8 : 256);
		reads_soundly(bytes, len, &clusters);
		clusters_clear(&clusters);
	}
	for (unsigned i = 0; i < 5000; i++) {
		struct buf b;
		buf_init(&b, SIZE_MAX);
		random_cells(&rng, cells, 100, &clusters);
		line_pack(&b, cells, 100, &clusters);
		b.data[rng_below(&rng, (unsigned)b.len)] ^= (uint8_t)(1
		    << rng_below(&rng, 8));
		reads_soundly(b.data, rng_below(&rng, (unsigned)b.len + 1),
		    &clusters);
		buf_finish(&b);
		clusters_clear(&clusters);
	}
	clusters_finish(&clusters);
}

static void
the_extras_of_packed_cells_are_marked(void **state)
{
	const struct cell second = { .attr = 2u << ATTR_EXTRA_SHIFT };
	const struct cell fourth = { .attr = 4u << ATTR_EXTRA_SHIFT };
	struct cell cells[9];
	struct extras x;
	bool full;

	(void)state;
	put_ascii(cells, "abc", plain);
	put_ascii(cells + 3, "def", second);
	put_ascii(cells + 6, "ghi", fourth);
	struct buf b = packed(cells, 9), none = packed(cells, 3);
	extras_init(&x);
	for (uint32_t i = 1; i <= 5; i++)
		extras_intern(&x, COLOUR_PALETTE | i, NULL, "", &full);
	line_mark_extras(b.data, b.len, &x);
	line_mark_extras(none.data, none.len, &x);
	extras_sweep(&x);
	for (uint16_t id = 1; id <= 5; id++)
		assert_int_equal(extras_get(&x, id) != NULL,
		    id == 2 || id == 4);
	extras_finish(&x);
	buf_finish(&b);
	buf_finish(&none);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_cells_come_back_the_same),
		cmocka_unit_test(packed_pieces_may_be_put_together),
		cmocka_unit_test(plain_ascii_costs_its_length),
		cmocka_unit_test(plain_text_costs_its_utf8),
		cmocka_unit_test(blanks_cost_no_more_than_a_number),
		cmocka_unit_test(
		    a_style_costs_a_few_bytes_where_it_begins_and_ends),
		cmocka_unit_test(
		    any_line_costs_no_more_than_its_text_and_styles),
		cmocka_unit_test(a_full_buffer_is_left_as_it_was),
		cmocka_unit_test(numbers_are_short_and_read_back_unchanged),
		cmocka_unit_test(a_number_without_end_is_refused),
		cmocka_unit_test(bytes_that_line_pack_never_writes_are_broken),
		cmocka_unit_test(any_bytes_are_read_without_harm),
		cmocka_unit_test(the_extras_of_packed_cells_are_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
