#include "unit.h"

#include <stdlib.h>

#include "base/buf.h"
#include "vt/flow.h"
#include "vt/line.h"
#include "vt_cells.h"

#define CELLS_MAX 200
#define COLS_MAX 40

static const struct cell plain = { 0 };
static const struct cell green = { .bg = COLOUR_PALETTE | 2 };

/*
 * A line in letters: capitals are wide, '.' is a cell without a character, '_'
 * is one that was erased in green, '|' is a pad.  All others are themselves.
 */
static unsigned
cells_of(const char *s, struct cell *cells)
{
	unsigned n = 0;

	for (; *s != '\0'; s++)
		if (*s >= 'A' && *s <= 'Z') {
			put_wide(cells + n, 0x5b57 + (uint32_t)*s, plain);
			n += 2;
		} else if (*s == '.' || *s == '_') {
			cells[n++] = *s == '_' ? green : plain;
		} else if (*s == '|') {
			cells[n++] = with_kind(plain, CELL_PAD);
		} else {
			cells[n] = plain;
			cells[n++].ch = (uint8_t)*s;
		}
	return n;
}

/* The letter of a cell, 0 for a tail, '|' for a pad. */
static char
letter_of(const struct cell *c)
{
	switch (cell_kind(c)) {
	case CELL_WIDE:
		return (char)(c->ch - 0x5b57);
	case CELL_TAIL:
		return 0;
	case CELL_PAD:
		return '|';
	case CELL_NARROW:
		break;
	}
	return c->ch != 0 ? (char)c->ch : c->bg != 0 ? '_' : '.';
}

static void
flow_of(struct flow *f, const char *s)
{
	struct cell cells[CELLS_MAX];

	flow_init(f);
	flow_add_row(f, cells, cells_of(s, cells), CELLS_MAX, false);
}

/* The rows of a line at a width, joined by '/'. */
static void
rows_of(const struct flow *f, unsigned cols, struct buf *out)
{
	struct flow_row row;
	unsigned rows = 0;

	for (size_t at = 0; flow_next_row(f, cols, &at, &row); rows++) {
		struct cell cells[COLS_MAX] = { { 0 } };
		unsigned used = flow_copy_row(f, &row, cells);

		assert_in_range(used, 0, cols);
		if (rows > 0)
			buf_putc(out, '/');
		for (unsigned x = 0; x < used; x++)
			if (letter_of(&cells[x]) != 0)
				buf_putc(out, letter_of(&cells[x]));
	}
	assert_int_equal(flow_count_rows(f, cols), rows);
}

static void
breaks(const char *line, unsigned cols, const char *want)
{
	struct flow f;
	struct buf out;

	flow_of(&f, line);
	buf_init(&out, SIZE_MAX);
	rows_of(&f, cols, &out);
	char *got = buf_take(&out);
	if (strcmp(got, want) != 0)
		fail_msg("%s at %u: %s, not %s", line, cols, got, want);
	free(got);
	flow_finish(&f);
}

static void
a_line_breaks_at_every_width(void **state)
{
	(void)state;
	breaks("abcdefg", 2, "ab/cd/ef/g");
	breaks("abcdefg", 3, "abc/def/g");
	breaks("abcdefg", 6, "abcdef/g");
	breaks("abcdefg", 7, "abcdefg");
	breaks("abcdefg", 8, "abcdefg");
	breaks("a...b", 2, "a//b"); /* blanks at a row's end are not used */
}

static void
an_empty_line_is_one_row(void **state)
{
	(void)state;
	breaks("", 2, "");
	breaks("", 40, "");
	breaks("....", 2, "");
}

static void
a_wide_character_that_does_not_fit_leaves_a_pad(void **state)
{
	(void)state;
	breaks("ABC", 2, "A/B/C");
	breaks("ABC", 3, "A|/B|/C");
	breaks("aBC", 2, "a|/B/C");
	breaks("aBC", 3, "aB/C");
	breaks("aBC", 4, "aB|/C");
	breaks("aBC", 5, "aBC");
}

static void
a_pad_has_the_background_of_the_character_that_did_not_fit(void **state)
{
	struct cell cells[3], to[2] = { { 0 } };
	struct flow_row row;
	struct flow f;
	size_t at = 0;

	(void)state;
	put_ascii(cells, "a", plain);
	put_wide(cells + 1, 0x5b57, green);
	flow_init(&f);
	flow_add_row(&f, cells, 3, 3, false);
	assert_true(flow_next_row(&f, 2, &at, &row));
	assert_true(row.pad);
	assert_int_equal(flow_copy_row(&f, &row, to), 2);
	assert_int_equal(cell_kind(&to[1]), CELL_PAD);
	assert_int_equal(to[1].bg, green.bg);
	assert_int_equal(to[1].ch, 0);
	flow_finish(&f);
}

static void
a_pad_is_a_blank_unless_its_wide_character_follows(void **state)
{
	(void)state;
	breaks("ab|C", 3, "ab|/C");
	breaks("ab|C", 4, "abC");
	breaks("ab|c", 4, "ab.c");
	breaks("ab|c", 2, "ab/.c");
	/* At the end, the cursor waits at the margin. */
	breaks("ab|", 3, "ab|");
	breaks("ab|", 4, "ab");
	breaks("ab|", 2, "ab");
}

static void
blanks_at_the_beginning_count(void **state)
{
	struct flow f;

	(void)state;
	flow_of(&f, "ab");
	flow_go_on(&f, 3);
	assert_int_equal(f.text, 5);
	assert_int_equal(flow_count_rows(&f, 2), 3);
	assert_int_equal(flow_count_rows(&f, 5), 1);
	flow_finish(&f);
}

static void
an_erased_tail_is_kept_as_far_as_it_fits(void **state)
{
	(void)state;
	breaks("ab____", 6, "ab____");
	breaks("ab____", 4, "ab__");
	breaks("ab____", 2, "ab");
	breaks("abc___", 2, "ab/c_");
	breaks("______", 3, "___");
	/* Before the text, it is part of the line. */
	breaks("__a__b__", 3, "__a/__b");
	breaks("__a__b__", 4, "__a_/_b__");
}

/* The breaks of the line, by a rule that takes one character at a time. */
static void
break_naively(const char *line, unsigned cols, struct buf *out)
{
	unsigned x = 0;

	for (; *line != '\0'; line++) {
		unsigned width = *line >= 'A' && *line <= 'Z' ? 2 : 1;
		if (x + width > cols) {
			if (x < cols)
				buf_putc(out, '|');
			buf_putc(out, '/');
			x = 0;
		}
		buf_putc(out, *line);
		x += width;
	}
}

static void
any_text_breaks_as_by_a_naive_rule(void **state)
{
	struct rng rng = { 8 };

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		char line[60] = "";
		unsigned len = rng_between(&rng, 1, sizeof(line) - 1);
		for (unsigned k = 0; k < len; k++)
			line[k] = (char)((rng_below(&rng, 3) ? 'a' : 'A') +
			    rng_below(&rng, 26));
		for (unsigned cols = 2; cols <= COLS_MAX; cols++) {
			struct buf want;
			buf_init(&want, SIZE_MAX);
			break_naively(line, cols, &want);
			char *s = buf_take(&want);
			breaks(line, cols, s);
			free(s);
		}
	}
}

static void
a_continued_row_keeps_the_blanks_at_its_end(void **state)
{
	struct cell cells[CELLS_MAX];
	struct flow f;

	(void)state;
	flow_init(&f);
	flow_add_row(&f, cells, cells_of("ab", cells), 5, true);
	flow_add_row(&f, cells, cells_of("c", cells), 5, false);
	assert_int_equal(f.len, 6);
	assert_int_equal(f.text, 6);
	assert_int_equal(letter_of(&f.cells[4]), '.');
	assert_int_equal(letter_of(&f.cells[5]), 'c');
	flow_clear(&f);
	assert_int_equal(flow_count_rows(&f, 5), 1);
	flow_finish(&f);
}

/* Split a line at one width, and join its rows again. */
static void
take_apart(const struct flow *f, unsigned cols, struct flow *again)
{
	struct flow_row row;

	for (size_t at = 0; flow_next_row(f, cols, &at, &row);) {
		struct cell cells[COLS_MAX] = { { 0 } };
		unsigned used = flow_copy_row(f, &row, cells);
		flow_add_row(again, cells, used, cols, at < f->text);
	}
}

static void
a_line_split_at_any_width_can_be_joined_again(void **state)
{
	struct clusters clusters;
	struct cell cells[CELLS_MAX];
	struct rng rng = { 9 };

	(void)state;
	clusters_init(&clusters);
	for (unsigned i = 0; i < 1000; i++) {
		struct flow f, again;
		unsigned cols = rng_between(&rng, 2, COLS_MAX);

		flow_init(&f);
		flow_init(&again);
		unsigned n = rng_below(&rng, CELLS_MAX + 1);
		random_cells(&rng, cells, n, &clusters);
		flow_add_row(&f, cells, n, n, false);
		take_apart(&f, cols, &again);
		assert_int_equal(again.text, f.text);
		if (f.text > 0)
			assert_cells_same(again.cells, &clusters, f.cells,
			    &clusters, (unsigned)f.text);
		flow_finish(&f);
		flow_finish(&again);
		clusters_clear(&clusters);
	}
	clusters_finish(&clusters);
}

static void
packed_cells_are_the_same_line(void **state)
{
	struct clusters clusters;
	struct cell cells[CELLS_MAX];
	struct flow a, b;
	struct rng rng = { 10 };
	struct buf packed;

	(void)state;
	clusters_init(&clusters);
	flow_init(&a);
	flow_init(&b);
	buf_init(&packed, SIZE_MAX);
	random_cells(&rng, cells, CELLS_MAX, &clusters);
	flow_add_row(&a, cells, CELLS_MAX, CELLS_MAX, false);
	line_pack(&packed, cells, CELLS_MAX, &clusters);
	flow_add_packed(&b, packed.data, packed.len, &clusters);
	assert_int_equal(a.len, b.len);
	assert_int_equal(a.text, b.text);
	assert_cells_same(a.cells, &clusters, b.cells, &clusters,
	    (unsigned)a.len);
	flow_finish(&a);
	flow_finish(&b);
	buf_finish(&packed);
	clusters_finish(&clusters);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_breaks_at_every_width),
		cmocka_unit_test(an_empty_line_is_one_row),
		cmocka_unit_test(
		    a_wide_character_that_does_not_fit_leaves_a_pad),
		cmocka_unit_test(
		    a_pad_has_the_background_of_the_character_that_did_not_fit),
		cmocka_unit_test(
		    a_pad_is_a_blank_unless_its_wide_character_follows),
		cmocka_unit_test(blanks_at_the_beginning_count),
		cmocka_unit_test(an_erased_tail_is_kept_as_far_as_it_fits),
		cmocka_unit_test(any_text_breaks_as_by_a_naive_rule),
		cmocka_unit_test(a_continued_row_keeps_the_blanks_at_its_end),
		cmocka_unit_test(a_line_split_at_any_width_can_be_joined_again),
		cmocka_unit_test(packed_cells_are_the_same_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
