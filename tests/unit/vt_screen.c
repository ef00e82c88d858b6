#include "unit.h"

#include <stdlib.h>

#include "vt/screen.h"
#include "vt_cells.h"

#define COLS_MAX 24
#define ROWS_MAX 8

static const struct cell zero = { 0 };
static const struct cell green = { .bg = COLOUR_PALETTE | 2 };

/*
 * The twin: a plain array.  Both halves of a wide character have the same
 * number, so a half without the other is noticed.
 */
struct twin_cell {
	struct cell cell;
	unsigned pair; /* 0: not a half */
};

struct twin {
	struct twin_cell cells[ROWS_MAX][COLS_MAX];
	unsigned flags[ROWS_MAX];
	unsigned cols, rows;
	unsigned pairs;
};

/* Halves that stand alone become blank. */
static void
twin_mend(struct twin *t, unsigned y, struct cell blank)
{
	struct twin_cell *row = t->cells[y];

	for (unsigned x = 0; x < t->cols; x++) {
		bool left = x > 0 && row[x - 1].pair == row[x].pair;
		bool right = x + 1 < t->cols && row[x + 1].pair == row[x].pair;
		if (row[x].pair != 0 && !left && !right)
			row[x] = (struct twin_cell){ .cell = blank };
	}
}

static void
twin_erase(struct twin *t, unsigned y, unsigned from, unsigned to,
    struct cell blank, bool spare)
{
	for (unsigned x = from; x < to; x++)
		if (!spare || !(t->cells[y][x].cell.attr & ATTR_PROTECTED))
			t->cells[y][x] = (struct twin_cell){ .cell = blank };
	twin_mend(t, y, blank);
}

/* A pad is one only at the margin, and a blank when it is moved from there. */
static void
twin_forget_pad(struct twin *t, unsigned y, unsigned x)
{
	struct cell *c = &t->cells[y][x].cell;

	if (cell_kind(c) == CELL_PAD)
		*c = (struct cell){ .bg = c->bg };
}

static void
twin_insert(struct twin *t, unsigned y, unsigned x, unsigned end, unsigned n,
    struct cell blank)
{
	struct twin_cell *row = t->cells[y];

	twin_forget_pad(t, y, end - 1);
	for (; n > 0; n--) {
		for (unsigned i = end - 1; i > x; i--)
			row[i] = row[i - 1];
		row[x] = (struct twin_cell){ .cell = blank };
	}
	twin_mend(t, y, blank);
}

static void
twin_delete(struct twin *t, unsigned y, unsigned x, unsigned end, unsigned n,
    struct cell blank)
{
	struct twin_cell *row = t->cells[y];

	twin_forget_pad(t, y, end - 1);
	for (; n > 0; n--) {
		for (unsigned i = x; i + 1 < end; i++)
			row[i] = row[i + 1];
		row[end - 1] = (struct twin_cell){ .cell = blank };
	}
	twin_mend(t, y, blank);
}

static void
twin_scroll(struct twin *t, const struct screen *s, unsigned top,
    unsigned bottom, int by, struct cell blank)
{
	struct twin was = *t;
	bool whole = screen_full_width(s);

	for (int y = (int)top; y <= (int)bottom; y++) {
		int from = y + by;
		bool inside = from >= (int)top && from <= (int)bottom;
		for (unsigned x = s->left; x <= s->right; x++)
			t->cells[y][x] = inside ?
			    was.cells[from][x] :
			    (struct twin_cell){ .cell = blank };
		if (whole)
			t->flags[y] = inside ? was.flags[from] : 0;
	}
}

/* Cells that move between the side margins are cut at them first. */
static void
twin_cut(struct twin *t, const struct screen *s, unsigned top, unsigned bottom,
    struct cell blank)
{
	for (unsigned y = top; y <= bottom; y++) {
		struct twin_cell *row = t->cells[y];
		for (unsigned i = 0; i < 2; i++) {
			unsigned x = i == 0 ? s->left : s->right + 1u;
			if (x == 0 || x >= t->cols || row[x].pair == 0 ||
			    row[x].pair != row[x - 1].pair)
				continue;
			row[x - 1] = row[x] = (struct twin_cell){
				.cell = blank
			};
		}
	}
}

static void
is_whole(const struct screen *s, const struct row *row)
{
	for (unsigned x = 0; x < s->cols; x++) {
		enum cell_kind kind = cell_kind(&row->cells[x]);
		if (x >= row->used)
			assert_true(cell_is_zero(&row->cells[x]));
		if (kind == CELL_WIDE)
			assert_true(x + 1 < s->cols &&
			    cell_kind(&row->cells[x + 1]) == CELL_TAIL);
		if (kind == CELL_TAIL)
			assert_true(x > 0 &&
			    cell_kind(&row->cells[x - 1]) == CELL_WIDE);
	}
	assert_in_range(row->used, 0, s->cols);
}

static void
twin_agrees(const struct twin *t, const struct screen *s)
{
	for (unsigned y = 0; y < t->rows; y++) {
		const struct row *row = screen_row(s, y);
		struct cell want[COLS_MAX];

		is_whole(s, row);
		for (unsigned x = 0; x < t->cols; x++)
			want[x] = t->cells[y][x].cell;
		assert_cells_same(row->cells, NULL, want, NULL, t->cols);
		assert_int_equal(row->flags, t->flags[y]);
	}
}

/* Every row that differs from before is marked as changed. */
static void
changes_are_marked(const struct twin *was, const struct twin *t,
    const struct screen *s)
{
	for (unsigned y = 0; y < t->rows; y++)
		if (memcmp(was->cells[y], t->cells[y], sizeof(t->cells[y])))
			assert_true(screen_row_generation(s, y) == s->now);
}

/* Write a character as print.c does. */
static void
write_char(struct screen *s, struct twin *t, unsigned y, unsigned x,
    struct cell c, bool wide)
{
	struct row *row = screen_row(s, y);
	unsigned n = wide ? 2 : 1;

	screen_split(s, row, x, green);
	screen_split(s, row, x + n, green);
	if (row->used < x + n)
		row->used = (uint16_t)(x + n);
	screen_touch(s, row);
	if (wide)
		put_wide(row->cells + x, c.ch, c);
	else
		row->cells[x] = c;

	unsigned pair = wide ? ++t->pairs : 0;
	for (unsigned i = 0; i < n; i++)
		t->cells[y][x + i] = (struct twin_cell){ row->cells[x + i],
			pair };
	twin_mend(t, y, green);
}

static void
random_write(struct rng *rng, struct screen *s, struct twin *t)
{
	unsigned y = rng_below(rng, s->rows), x = rng_below(rng, s->cols);

	for (unsigned n = rng_between(rng, 1, 12); n > 0 && x < s->cols; n--) {
		bool wide = rng_below(rng, 2);
		struct cell c = { .ch = rng_between(rng, 'a', 'z') };
		if (rng_below(rng, 4) == 0)
			c.attr |= ATTR_PROTECTED;
		if (wide)
			c.ch += 0x5b57;
		if (x + wide >= s->cols) {
			write_char(s, t, y, x, with_kind(green, CELL_PAD),
			    false);
			return;
		}
		write_char(s, t, y, x, c, wide);
		x += 1 + wide;
	}
	screen_row(s, y)->flags = (uint16_t)rng_below(rng, 8);
	t->flags[y] = screen_row(s, y)->flags;
}

static void
random_erase(struct rng *rng, struct screen *s, struct twin *t,
    struct cell blank)
{
	unsigned y = rng_below(rng, s->rows);
	unsigned from = rng_below(rng, s->cols + 1u);
	unsigned to = rng_between(rng, from, s->cols);
	bool spare = rng_below(rng, 2);

	if (rng_below(rng, 8) == 0) {
		screen_clear_row(s, y, blank);
		twin_erase(t, y, 0, s->cols, blank, false);
		t->flags[y] = 0;
		return;
	}
	screen_erase(s, y, from, to, blank, spare);
	twin_erase(t, y, from, to, blank, spare);
}

static void
random_shift(struct rng *rng, struct screen *s, struct twin *t,
    struct cell blank)
{
	unsigned y = rng_below(rng, s->rows), x = rng_below(rng, s->cols);
	unsigned end = x <= s->right ? s->right + 1u : s->cols;
	unsigned n = rng_between(rng, 1, COLS_MAX);
	unsigned fits = n < end - x ? n : end - x;

	if (rng_below(rng, 2)) {
		screen_insert_cells(s, y, x, n, blank);
		twin_insert(t, y, x, end, fits, blank);
	} else {
		screen_delete_cells(s, y, x, n, blank);
		twin_delete(t, y, x, end, fits, blank);
	}
}

static void
random_scroll(struct rng *rng, struct screen *s, struct twin *t,
    struct cell blank)
{
	unsigned top = rng_below(rng, s->rows);
	unsigned bottom = rng_between(rng, top, s->rows - 1u);
	unsigned n = rng_between(rng, 1, ROWS_MAX);
	unsigned fits = n < bottom - top + 1 ? n : bottom - top + 1;
	bool up = rng_below(rng, 2);

	if (rng_below(rng, 3) == 0) {
		top = 0;
		bottom = s->rows - 1u;
		fits = n < s->rows ? n : s->rows;
	}
	twin_cut(t, s, top, bottom, blank);
	twin_scroll(t, s, top, bottom, up ? (int)fits : -(int)fits, blank);
	if (up)
		screen_scroll_up(s, top, bottom, n, blank);
	else
		screen_scroll_down(s, top, bottom, n, blank);
}

static void
random_margins(struct rng *rng, struct screen *s)
{
	screen_reset_margins(s);
	if (rng_below(rng, 2))
		return;
	s->left = (uint16_t)rng_below(rng, s->cols);
	s->right = (uint16_t)rng_between(rng, s->left, s->cols - 1u);
}

static void
random_step(struct rng *rng, struct screen *s, struct twin *t)
{
	struct cell blank = rng_below(rng, 3) ? zero : green;

	s->now++;
	switch (rng_below(rng, 8)) {
	case 0:
		random_margins(rng, s);
		break;
	case 1:
	case 2:
		random_scroll(rng, s, t, blank);
		break;
	case 3:
		random_erase(rng, s, t, blank);
		break;
	case 4:
	case 5:
		random_shift(rng, s, t, blank);
		break;
	default:
		random_write(rng, s, t);
	}
}

static void
against_the_twin(unsigned cols, unsigned rows, uint64_t seed)
{
	struct rng rng = { seed };
	struct twin t = { .cols = cols, .rows = rows };
	struct screen s;

	screen_init(&s, cols, rows);
	for (unsigned i = 0; i < 20000; i++) {
		struct twin was = t;
		random_step(&rng, &s, &t);
		twin_agrees(&t, &s);
		changes_are_marked(&was, &t, &s);
	}
	screen_finish(&s);
}

static void
random_edits_give_the_cells_of_a_naive_twin(void **state)
{
	(void)state;
	against_the_twin(COLS_MAX, ROWS_MAX, 18);
	against_the_twin(7, 3, 19);
	against_the_twin(2, 1, 20);
	against_the_twin(3, ROWS_MAX, 21);
}

static void
a_fresh_screen_is_blank_and_has_all_of_itself_between_margins(void **state)
{
	struct screen s = { 0 };

	(void)state;
	assert_false(screen_exists(&s));
	screen_init(&s, 80, 24);
	assert_true(screen_exists(&s));
	assert_true(screen_full_width(&s));
	assert_int_equal(s.bottom, 23);
	for (unsigned y = 0; y < 24; y++) {
		assert_int_equal(screen_row(&s, y)->used, 0);
		is_whole(&s, screen_row(&s, y));
	}
	assert_in_range(screen_memory(&s), 80 * 24 * sizeof(struct cell),
	    80 * 24 * sizeof(struct cell) + 24 * 64);
	screen_finish(&s);
	assert_false(screen_exists(&s));
}

static void
scrolling_the_whole_screen_moves_no_cells(void **state)
{
	struct screen s;
	struct twin t = { .cols = 10, .rows = 4 };

	(void)state;
	screen_init(&s, 10, 4);
	write_char(&s, &t, 1, 0, (struct cell){ .ch = 'a' }, false);
	const struct cell *where = screen_row(&s, 1)->cells;
	screen_scroll_up(&s, 0, 3, 1, zero);
	assert_ptr_equal(screen_row(&s, 0)->cells, where);
	assert_int_equal(where[0].ch, 'a');
	screen_scroll_down(&s, 0, 3, 3, zero);
	assert_ptr_equal(screen_row(&s, 3)->cells, where);
	screen_finish(&s);
}

static void
trim_counts_cells_that_are_not_zero(void **state)
{
	struct screen s;

	(void)state;
	screen_init(&s, 10, 1);
	struct row *row = screen_row(&s, 0);
	row->cells[2].ch = 'a';
	row->cells[5] = green;
	row->used = 10;
	screen_trim(row);
	assert_int_equal(row->used, 6);
	row->cells[5] = zero;
	screen_trim(row);
	assert_int_equal(row->used, 3);
	row->cells[2] = zero;
	screen_trim(row);
	assert_int_equal(row->used, 0);
	screen_finish(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_fresh_screen_is_blank_and_has_all_of_itself_between_margins),
		cmocka_unit_test(scrolling_the_whole_screen_moves_no_cells),
		cmocka_unit_test(trim_counts_cells_that_are_not_zero),
		cmocka_unit_test(random_edits_give_the_cells_of_a_naive_twin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
