#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "heap.h"
#include "vt_make.h"

#define FRESH_MAX (64u << 10)

/* A terminal's cost by malloc's count; 0 under a sanitizer. */
static size_t
heap_since(size_t before)
{
	size_t now = heap_used();

	return now > before ? now - before : 0;
}

static void
a_fresh_terminal_without_history_is_small(void **state)
{
	size_t before = heap_used();
	struct vt *vt = make_vt_without_history(80, 24);

	(void)state;
	assert_in_range(vt_memory(vt), 80 * 24 * 16, FRESH_MAX);
	assert_in_range(heap_since(before), 0, FRESH_MAX);
	vt_destroy(vt);
}

static void
a_history_costs_nothing_until_it_is_used(void **state)
{
	struct vt *with = make_vt(80, 24),
		  *without = make_vt_without_history(80, 24);

	(void)state;
	assert_int_equal(vt_memory(with), vt_memory(without));
	vt_destroy(with);
	vt_destroy(without);
}

/* A line as long as lines get, in colours, plain or beyond ASCII. */
static void
feed_line(struct vt *vt, unsigned i, unsigned kind)
{
	struct buf line;

	buf_init(&line, SIZE_MAX);
	for (unsigned k = 0; k < 60; k++)
		if (kind == 0)
			buf_printf(&line, "%u and a good deal of text ", i + k);
		else if (kind == 1)
			buf_printf(&line, "\033[38;2;%u;%u;%um%u", k * 4,
			    i % 256, k, k % 10);
		else
			buf_puts(&line, "\u5b57\U0001f600e\u0301");
	buf_puts(&line, "\r\n");
	vt_feed(vt, line.data, line.len);
	buf_finish(&line);
}

static void
the_default_history_full_of_long_lines_is_bounded(void **state)
{
	static const char *const kinds[] = { "plain", "coloured", "wide" };

	(void)state;
	for (unsigned kind = 0; kind < 3; kind++) {
		size_t before = heap_used();
		struct vt *vt = make_vt(80, 24);
		size_t fresh = vt_memory(vt), heap = heap_since(before);
		for (unsigned i = 0; i < VT_HISTORY_LINES; i++)
			feed_line(vt, i, kind);
		size_t more = vt_memory(vt) - fresh;
		size_t more_heap = heap_since(before + heap);
		if (more > VT_HISTORY_BYTES || more_heap > VT_HISTORY_BYTES)
			fail_msg("%s: %zu bytes more, %zu by malloc",
			    kinds[kind], more, more_heap);
		assert_true(more > VT_HISTORY_BYTES / 2);
		vt_destroy(vt);
	}
}

static void
two_thousand_short_lines_are_all_there(void **state)
{
	struct vt *vt = make_vt(80, 1);
	struct vt_history_iter *it;
	struct vt_row row;
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i <= VT_HISTORY_LINES; i++) {
		char line[80];
		snprintf(line, sizeof(line),
		    "line %u of a log, as long as such lines are\r\n", i);
		feed(vt, line);
	}
	it = vt_history_begin(vt);
	while (vt_history_next(it, &row))
		n++;
	vt_history_end(it);
	assert_int_equal(n, VT_HISTORY_LINES);
	vt_destroy(vt);
}

/* All that a program can make a terminal remember. */
static void
feed_everything(struct vt *vt)
{
	char text[3000];

	snprintf(text, sizeof(text), "%02900d", 0);
	for (unsigned i = 0; i < 12; i++) {
		feed(vt, "\033]2;");
		feed(vt, text);
		feed(vt, "\a\033]1;");
		feed(vt, text);
		feed(vt, "\a\033[22t");
	}
	feed(vt, "\033]7;file:///");
	feed(vt, text);
	feed(vt, "\a\033]4;1;#123456\a\033[?1049h");
}

static void
vt_memory_agrees_with_malloc(void **state)
{
	size_t before = heap_used();
	struct vt *vt = make_vt(80, 24);

	(void)state;
	feed_everything(vt);
	for (unsigned i = 0; i < 500; i++)
		feed_line(vt, i, 2);
	size_t heap = heap_since(before), said = vt_memory(vt);
	/* Headers of malloc, and the memory it keeps ready. */
	if (heap > 0 && (said > heap + 8192 || heap > said + 8192))
		fail_msg("vt_memory %zu, malloc %zu", said, heap);
	assert_true(said > 2 * 80 * 24 * 16);
	vt_destroy(vt);
}

static void
a_destroyed_terminal_leaves_nothing(void **state)
{
	size_t before = heap_used();

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct vt *vt = make_vt(200, 60);
		feed_everything(vt);
		for (unsigned k = 0; k < 100; k++)
			feed_line(vt, k, k % 3);
		vt_resize(vt, 40, 10, NULL);
		vt_destroy(vt);
	}
	assert_in_range(heap_since(before), 0, 64 << 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fresh_terminal_without_history_is_small),
		cmocka_unit_test(a_history_costs_nothing_until_it_is_used),
		cmocka_unit_test(
		    the_default_history_full_of_long_lines_is_bounded),
		cmocka_unit_test(two_thousand_short_lines_are_all_there),
		cmocka_unit_test(vt_memory_agrees_with_malloc),
		cmocka_unit_test(a_destroyed_terminal_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
