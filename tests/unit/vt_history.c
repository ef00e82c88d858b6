#include "unit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "heap.h"
#include "vt/extras.h"
#include "vt/history.h"
#include "vt/line.h"
#include "vt/vt.h"
#include "vt_cells.h"

#define COLS_MAX 2000
#define AMPLE (1u << 20)

static const struct cell plain = { 0 };

/* Push a row of text. */
static void
push(struct history *h, const char *s, unsigned cols, unsigned flags)
{
	struct cell cells[COLS_MAX] = { { 0 } };
	unsigned used = put_ascii(cells, s, plain);

	history_push(h, cells, used, cols, flags, NULL);
}

/* The text of a packed line; a cell without character is a space. */
static void
put_text(struct buf *out, const struct history_line *line)
{
	struct clusters clusters;
	struct line_reader r;
	struct cell c;

	assert_in_range(line->len, 0, HISTORY_LINE_MAX);
	clusters_init(&clusters);
	line_read(&r, line->p, line->len);
	while (line_next(&r, &clusters, &c))
		buf_putc(out, c.ch != 0 ? (char)c.ch : ' ');
	assert_false(r.broken);
	clusters_finish(&clusters);
}

/* All lines, each ended by '\n', with '+' before one that continues. */
static char *
all_of(const struct history *h)
{
	struct history_place place = { 0 };
	struct history_line line;
	struct buf out;

	buf_init(&out, SIZE_MAX);
	while (history_next(h, &place, &line)) {
		if (line.flags & ROW_CONTINUES)
			buf_putc(&out, '+');
		put_text(&out, &line);
		buf_putc(&out, '\n');
	}
	return buf_take(&out);
}

static void
holds(const struct history *h, const char *want)
{
	auto_free char *got = all_of(h);

	assert_string_equal(got, want);
}

static void
lines_are_in_order_oldest_first(void **state)
{
	struct history h;

	(void)state;
	history_init(&h, 10, AMPLE);
	holds(&h, "");
	push(&h, "one", 10, 0);
	push(&h, "", 10, 0);
	push(&h, "three", 10, 0);
	holds(&h, "one\n\nthree\n");
	assert_int_equal(h.lines, 3);
	history_finish(&h);
}

static void
the_oldest_line_is_dropped_first(void **state)
{
	struct history h;

	(void)state;
	history_init(&h, 3, AMPLE);
	for (char s[2] = "a"; s[0] <= 'z'; s[0]++)
		push(&h, s, 10, 0);
	holds(&h, "x\ny\nz\n");
	assert_int_equal(h.lines, 3);
	history_finish(&h);
}

static void
new_bounds_apply_at_once(void **state)
{
	struct history h;

	(void)state;
	history_init(&h, 10, AMPLE);
	for (char s[2] = "a"; s[0] <= 'z'; s[0]++)
		push(&h, s, 10, 0);
	history_limit(&h, 2, AMPLE);
	holds(&h, "y\nz\n");
	history_limit(&h, 0, 0);
	push(&h, "not kept", 10, 0);
	holds(&h, "");
	history_limit(&h, 3, AMPLE);
	for (char s[2] = "1"; s[0] <= '9'; s[0]++)
		push(&h, s, 10, 0);
	holds(&h, "7\n8\n9\n");
	history_finish(&h);
}

static void
a_row_that_continues_joins_its_line(void **state)
{
	struct history h;

	(void)state;
	history_init(&h, 10, AMPLE);
	push(&h, "hello", 5, 0);
	push(&h, "world", 5, ROW_CONTINUES);
	push(&h, "!", 5, ROW_CONTINUES);
	push(&h, "next", 5, 0);
	holds(&h, "helloworld!\nnext\n");
	assert_int_equal(h.lines, 2);
	history_finish(&h);
}

static void
blanks_between_joined_rows_are_kept(void **state)
{
	struct history h;

	(void)state;
	history_init(&h, 10, AMPLE);
	push(&h, "ab", 5, 0);
	push(&h, "", 5, ROW_CONTINUES);
	push(&h, "c", 5, ROW_CONTINUES);
	holds(&h, "ab        c\n");
	history_finish(&h);
}

static void
a_continuation_without_a_line_is_a_line(void **state)
{
	struct history h;

	(void)state;
	history_init(&h, 10, AMPLE);
	push(&h, "ab", 5, ROW_CONTINUES);
	holds(&h, "ab\n");
	history_clear(&h);
	push(&h, "cd", 5, ROW_CONTINUES);
	holds(&h, "cd\n");
	history_finish(&h);
}

static void
a_long_line_is_kept_in_marked_pieces(void **state)
{
	char row[101], *all;
	struct history h;
	size_t letters = 0, pieces = 0;

	(void)state;
	memset(row, 'x', 100);
	row[100] = '\0';
	history_init(&h, 1000, AMPLE);
	push(&h, row, 100, 0);
	for (unsigned i = 1; i < 50; i++)
		push(&h, row, 100, ROW_CONTINUES);
	all = all_of(&h);
	for (const char *s = all; *s != '\0'; s++) {
		letters += *s == 'x';
		pieces += *s == '+';
	}
	assert_int_equal(letters, 5000);
	assert_in_range(pieces, 4, 5);
	assert_int_not_equal(all[0], '+');
	free(all);
	history_finish(&h);
}

static void
a_row_that_is_too_long_packed_is_cut_between_characters(void **state)
{
	struct cell cells[1000];
	struct clusters clusters;
	struct history h;
	struct history_place place = { 0 };
	struct history_line line;
	unsigned n = 0;

	(void)state;
	clusters_init(&clusters);
	for (unsigned x = 0; x < 1000; x += 2)
		put_wide(cells + x, 0x20000 + x,
		    (struct cell){ .fg = COLOUR_RGB | x });
	history_init(&h, 1000, AMPLE);
	history_push(&h, cells, 1000, 1000, 0, &clusters);
	while (history_next(&h, &place, &line)) {
		struct line_reader r;
		struct cell c;
		assert_in_range(line.len, 1, HISTORY_LINE_MAX);
		assert_int_equal(line.flags, n > 0 ? ROW_CONTINUES : 0);
		line_read(&r, line.p, line.len);
		for (; line_next(&r, &clusters, &c); n++)
			assert_cells_same(&c, &clusters, &cells[n], &clusters,
			    1);
	}
	assert_int_equal(n, 1000);
	history_finish(&h);
	clusters_finish(&clusters);
}

static void
flags_stay_with_their_line(void **state)
{
	struct history h;
	struct history_line line;

	(void)state;
	history_init(&h, 10, AMPLE);
	push(&h, "$ ls", 4, ROW_PROMPT);
	push(&h, "-l", 4, ROW_CONTINUES);
	assert_true(history_last(&h, &line));
	assert_int_equal(line.flags, ROW_PROMPT);
	push(&h, "file", 4, ROW_OUTPUT);
	assert_true(history_last(&h, &line));
	assert_int_equal(line.flags, ROW_OUTPUT);
	history_finish(&h);
}

static void
pop_forgets_the_last_line(void **state)
{
	struct history h;
	struct history_line line;

	(void)state;
	history_init(&h, 10000, AMPLE);
	for (unsigned i = 0; i < 3000; i++) {
		char s[16];
		snprintf(s, sizeof(s), "line %u", i);
		push(&h, s, 20, 0);
	}
	for (unsigned i = 3000; i-- > 0;) {
		char want[16];
		struct buf got;
		snprintf(want, sizeof(want), "line %u", i);
		assert_true(history_last(&h, &line));
		buf_init(&got, 100);
		put_text(&got, &line);
		auto_free char *s = buf_take(&got);
		assert_string_equal(s, want);
		history_pop(&h);
		assert_int_equal(h.lines, i);
	}
	assert_false(history_last(&h, &line));
	assert_int_equal(h.bytes, 0);
	assert_int_equal(h.blocks, 0);
	push(&h, "again", 20, 0);
	holds(&h, "again\n");
	history_finish(&h);
}

static void
packed_lines_are_taken_as_they_are(void **state)
{
	uint8_t bytes[HISTORY_LINE_MAX + 1];
	struct history h;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	history_init(&h, 10, AMPLE);
	assert_int_equal(history_push_packed(&h, (const uint8_t *)"ab", 2, 0),
	    0);
	assert_int_equal(history_push_packed(&h, (const uint8_t *)"cd", 2,
			     ROW_CONTINUES),
	    0);
	holds(&h, "ab\n+cd\n");
	assert_int_equal(history_push_packed(&h, bytes, sizeof(bytes), 0),
	    -EINVAL);
	assert_int_equal(history_push_packed(&h, bytes, sizeof(bytes) - 1, 0),
	    0);
	assert_int_equal(h.lines, 3);
	history_finish(&h);
}

static void
without_lines_or_memory_nothing_is_kept(void **state)
{
	static const struct {
		uint32_t lines;
		size_t bytes;
	} limits[] = { { 0, 0 }, { 0, AMPLE }, { 100, 0 }, { 100, 1000 } };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct history h;
		history_init(&h, limits[i].lines, limits[i].bytes);
		push(&h, "gone", 10, 0);
		push(&h, "too", 10, ROW_CONTINUES);
		history_push_packed(&h, (const uint8_t *)"gone", 4, 0);
		holds(&h, "");
		assert_int_equal(history_memory(&h), 0);
		history_finish(&h);
	}
}

/* The most expensive row: a style of its own for each cell. */
static void
push_random(struct history *h, struct rng *rng, unsigned cols, unsigned flags)
{
	struct cell cells[COLS_MAX] = { { 0 } };
	struct clusters clusters;
	unsigned used = rng_below(rng, cols + 1);

	clusters_init(&clusters);
	random_cells(rng, cells, used, &clusters);
	history_push(h, cells, used, cols, flags, &clusters);
	clusters_finish(&clusters);
}

/* The lines are the same, byte for byte. */
static void
same_lines(const struct history *a, const struct history *b)
{
	struct history_place at_a = { 0 }, at_b = { 0 };
	struct history_line x, y;

	while (history_next(a, &at_a, &x)) {
		assert_true(history_next(b, &at_b, &y));
		assert_int_equal(x.flags, y.flags);
		assert_int_equal(x.len, y.len);
		assert_memory_equal(x.p, y.p, x.len);
	}
	assert_false(history_next(b, &at_b, &y));
}

static void
a_row_packed_before_is_pushed_as_its_cells_are(void **state)
{
	struct rng rng = { 13 };
	struct clusters clusters;
	struct history a, b;
	struct buf packed;

	(void)state;
	clusters_init(&clusters);
	buf_init(&packed, SIZE_MAX);
	history_init(&a, 300, VT_HISTORY_BYTES);
	history_init(&b, 300, VT_HISTORY_BYTES);
	for (unsigned i = 0; i < 2000; i++) {
		struct cell cells[HISTORY_PIECE] = { { 0 } };
		unsigned used = rng_below(&rng, HISTORY_PIECE);
		unsigned flags = rng_below(&rng, 3) ? 0 : ROW_CONTINUES;

		random_cells(&rng, cells, used, &clusters);
		buf_clear(&packed);
		line_pack(&packed, cells, used, &clusters);
		if (packed.len > HISTORY_LINE_MAX)
			continue;
		history_push(&a, cells, used, HISTORY_PIECE, flags, &clusters);
		history_push_packed_row(&b, packed.data, packed.len,
		    HISTORY_PIECE - used, flags);
		if (i % 100 == 0)
			same_lines(&a, &b);
	}
	same_lines(&a, &b);
	assert_int_equal(a.lines, 300);
	history_finish(&a);
	history_finish(&b);
	buf_finish(&packed);
	clusters_finish(&clusters);
}

static void
the_memory_stays_below_the_limit(void **state)
{
	static const unsigned widths[] = { 2, 80, 200, COLS_MAX };
	static const size_t limits[] = { 32 << 10, 64 << 10, VT_HISTORY_BYTES };
	struct rng rng = { 11 };

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 3; k++) {
			struct history h;
			history_init(&h, 1000000, limits[k]);
			for (size_t fed = 0; fed < 4 * limits[k];
			     fed += 2 * widths[i]) {
				push_random(&h, &rng, widths[i],
				    rng_below(&rng, 3) ? 0 : ROW_CONTINUES);
				if (history_memory(&h) > limits[k])
					fail_msg("%zu bytes of %zu at %u",
					    history_memory(&h), limits[k],
					    widths[i]);
			}
			/* And not far below. */
			assert_true(
			    h.bytes + 2 * HISTORY_LINE_MAX > h.bytes_max);
			history_finish(&h);
		}
}

static void
the_reported_memory_is_the_memory_used(void **state)
{
	struct rng rng = { 12 };
	struct history h;
	size_t before = heap_used(), had;

	(void)state;
	history_init(&h, 1000000, VT_HISTORY_BYTES);
	for (unsigned i = 0; i < 5000; i++)
		push_random(&h, &rng, 80, 0);
	had = heap_used() - before;
	if (heap_used() > 0) /* small change is reused */
		assert_in_range(had, history_memory(&h) - 4096,
		    VT_HISTORY_BYTES);
	history_finish(&h);
	assert_in_range(heap_used(), 0, before + 4096);
}

/*
 * The twin: logical lines as strings.  It never drops any, so the history must
 * equal its end.
 */
#define TWIN_MAX 4000

struct twin {
	char *lines[TWIN_MAX];
	unsigned count;
	unsigned missing; /* cells that the last row fell short of */
};

static void
twin_push(struct twin *t, const char *s, unsigned cols, bool continues)
{
	struct buf line;

	buf_init(&line, SIZE_MAX);
	if (continues && t->count > 0) {
		char *old = t->lines[--t->count];
		buf_puts(&line, old);
		for (unsigned i = 0; i < t->missing; i++)
			buf_putc(&line, ' ');
		free(old);
	}
	buf_puts(&line, s);
	assert_true(t->count < TWIN_MAX);
	t->lines[t->count++] = buf_take(&line);
	t->missing = cols - (unsigned)strlen(s);
}

/* Drop the last n characters, and the line if it is not a mere piece. */
static void
twin_pop(struct twin *t, size_t n, bool continues)
{
	char *last = t->lines[t->count - 1];

	assert_in_range(n, 0, strlen(last));
	last[strlen(last) - n] = '\0';
	if (!continues)
		free(t->lines[--t->count]);
	t->missing = 0;
}

static void
twin_clear(struct twin *t)
{
	while (t->count > 0)
		free(t->lines[--t->count]);
	t->missing = 0;
}

/* The joined lines of the history are the last lines of the twin. */
static void
twin_agrees(const struct twin *t, const struct history *h)
{
	struct history_place place = { 0 };
	struct history_line line;
	struct buf text;
	unsigned logical = 0, whole = 0, at;
	bool more = history_next(h, &place, &line);

	while (more) {
		logical += whole == 0 || !(line.flags & ROW_CONTINUES);
		whole++;
		more = history_next(h, &place, &line);
	}
	assert_int_equal(whole, h->lines);
	assert_in_range(logical, 0, t->count);
	at = t->count - logical;
	place = (struct history_place){ 0 };
	more = history_next(h, &place, &line);
	for (unsigned i = 0; i < logical; i++) {
		bool cut = line.flags & ROW_CONTINUES; /* only the oldest */
		buf_init(&text, SIZE_MAX);
		do {
			put_text(&text, &line);
			more = history_next(h, &place, &line);
		} while (more && line.flags & ROW_CONTINUES);
		auto_free char *got = buf_take(&text);
		const char *want = t->lines[at + i];
		if (cut && strlen(got) < strlen(want))
			want += strlen(want) - strlen(got);
		assert_string_equal(got, want);
	}
}

static void
is_within_limits(const struct history *h)
{
	assert_in_range(h->lines, 0, h->lines_max);
	assert_in_range(h->bytes, 0, h->bytes_max);
	assert_in_range(history_memory(h), 0, h->limit);
}

static void
random_row(struct rng *rng, char *s, unsigned cols)
{
	unsigned used = rng_below(rng, 3) ? cols : rng_below(rng, cols + 1);

	for (unsigned x = 0; x < used; x++)
		s[x] = (char)rng_between(rng, 'a', 'z');
	s[used] = '\0';
}

/* If there is room, a row is added and nothing is dropped. */
static void
random_push(struct rng *rng, struct history *h, struct twin *t)
{
	char row[300];
	unsigned cols = rng_below(rng, 4) ? 80 : rng_between(rng, 2, 299);
	bool continues = rng_below(rng, 2);
	size_t before = h->bytes;
	bool room = h->lines + 2 < h->lines_max &&
	    before + sizeof(row) + 20 < h->bytes_max;

	random_row(rng, row, cols);
	push(h, row, cols, continues ? ROW_CONTINUES : 0);
	twin_push(t, row, cols, continues);
	if (room)
		assert_true(h->bytes >= before + strlen(row));
}

/* Pop from both; the oldest line may continue a dropped one. */
static void
random_pop(struct history *h, struct twin *t)
{
	struct history_line line;
	struct buf text;

	if (!history_last(h, &line))
		return;
	buf_init(&text, SIZE_MAX);
	put_text(&text, &line);
	twin_pop(t, text.len, line.flags & ROW_CONTINUES && h->lines > 1);
	history_pop(h);
	buf_finish(&text);
	if (h->lines == 0)
		twin_clear(t);
}

static void
random_step(struct rng *rng, struct history *h, struct twin *t)
{
	if (rng_below(rng, 400) == 0) {
		history_clear(h);
		twin_clear(t);
	} else if (rng_below(rng, 6) == 0) {
		random_pop(h, t);
	} else {
		random_push(rng, h, t);
	}
}

static void
against_the_twin(uint32_t lines_max, size_t bytes_max, uint64_t seed)
{
	struct rng rng = { seed };
	struct twin *t = xcalloc(1, sizeof(*t));
	struct history h;

	history_init(&h, lines_max, bytes_max);
	for (unsigned i = 0; i < 3000; i++) {
		random_step(&rng, &h, t);
		is_within_limits(&h);
		if (i % 16 == 0)
			twin_agrees(t, &h);
	}
	twin_agrees(t, &h);
	history_finish(&h);
	twin_clear(t);
	free(t);
}

static void
random_use_keeps_the_last_lines_of_a_naive_twin(void **state)
{
	(void)state;
	against_the_twin(100000, AMPLE, 13);
	against_the_twin(100000, 32 << 10, 14);
	against_the_twin(20, AMPLE, 15);
	against_the_twin(1, AMPLE, 16);
	against_the_twin(60, 40 << 10, 17);
}

static void
the_extras_of_all_lines_are_marked(void **state)
{
	struct history h;
	struct extras x;
	bool full;

	(void)state;
	extras_init(&x);
	history_init(&h, 100, AMPLE);
	for (uint32_t i = 1; i <= 9; i++) {
		struct cell c = { .ch = 'a', .attr = i << ATTR_EXTRA_SHIFT };
		extras_intern(&x, COLOUR_RGB | i, NULL, "", &full);
		if (i % 3 == 0)
			history_push(&h, &c, 1, 1, 0, NULL);
	}
	history_mark_extras(&h, &x);
	extras_sweep(&x);
	for (uint16_t id = 1; id <= 9; id++)
		assert_int_equal(extras_get(&x, id) != NULL, id % 3 == 0);
	history_finish(&h);
	extras_finish(&x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_in_order_oldest_first),
		cmocka_unit_test(the_oldest_line_is_dropped_first),
		cmocka_unit_test(new_bounds_apply_at_once),
		cmocka_unit_test(a_row_that_continues_joins_its_line),
		cmocka_unit_test(blanks_between_joined_rows_are_kept),
		cmocka_unit_test(a_continuation_without_a_line_is_a_line),
		cmocka_unit_test(a_long_line_is_kept_in_marked_pieces),
		cmocka_unit_test(
		    a_row_that_is_too_long_packed_is_cut_between_characters),
		cmocka_unit_test(flags_stay_with_their_line),
		cmocka_unit_test(pop_forgets_the_last_line),
		cmocka_unit_test(packed_lines_are_taken_as_they_are),
		cmocka_unit_test(without_lines_or_memory_nothing_is_kept),
		cmocka_unit_test(
		    a_row_packed_before_is_pushed_as_its_cells_are),
		cmocka_unit_test(the_memory_stays_below_the_limit),
		cmocka_unit_test(the_reported_memory_is_the_memory_used),
		cmocka_unit_test(
		    random_use_keeps_the_last_lines_of_a_naive_twin),
		cmocka_unit_test(the_extras_of_all_lines_are_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
