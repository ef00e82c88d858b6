#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "paint/box.h"

#define W BOX_CELL_WIDTH
#define H BOX_CELL_HEIGHT
#define FIRST 0x2500
#define LAST 0x259F

/* The filled path of one character at 0, 0; the caller frees. */
static char *
fill_of(uint32_t cp)
{
	struct box b;
	char *path;

	box_init(&b);
	box_add(&b, cp, 0, 0);
	path = buf_take(&b.fill);
	box_finish(&b);
	return path;
}

struct rect {
	double x, y, w, h;
};

static unsigned
rects_of(const char *path, struct rect *out, unsigned max)
{
	unsigned n = 0;
	double back;
	int used;

	for (; *path != '\0' && n < max; path += used, n++)
		if (sscanf(path, "M%lf %lfh%lfv%lfh%lfz%n", &out[n].x,
			&out[n].y, &out[n].w, &out[n].h, &back, &used) != 5 ||
		    back != -out[n].w)
			fail_msg("not a rectangle: %s", path);
	return n;
}

/* True if a rectangle of the character covers the point. */
static bool
covers(uint32_t cp, double x, double y)
{
	auto_free char *path = fill_of(cp);
	struct rect r[16];
	unsigned n = rects_of(path, r, 16);

	for (unsigned i = 0; i < n; i++)
		if (x >= r[i].x && x <= r[i].x + r[i].w && y >= r[i].y &&
		    y <= r[i].y + r[i].h)
			return true;
	return false;
}

static double
area_of(uint32_t cp)
{
	auto_free char *path = fill_of(cp);
	struct rect r[16];
	unsigned n = rects_of(path, r, 16);
	double area = 0;

	for (unsigned i = 0; i < n; i++)
		area += r[i].w * r[i].h;
	return area;
}

/* Which edges the character reaches in the middle: left, up, right, down. */
static void
reaches(uint32_t cp, const char *want)
{
	char got[5] = "....";

	got[0] = covers(cp, 0, H / 2.0) ? 'l' : '.';
	got[1] = covers(cp, W / 2.0, 0) ? 'u' : '.';
	got[2] = covers(cp, W, H / 2.0) ? 'r' : '.';
	got[3] = covers(cp, W / 2.0, H) ? 'd' : '.';
	if (strcmp(got, want) != 0)
		fail_msg("U+%04X reaches %s, not %s", cp, got, want);
}

static void
every_character_has_one_kind_of_shape(void **state)
{
	(void)state;
	for (uint32_t cp = FIRST; cp <= LAST; cp++) {
		unsigned kinds = 0;
		struct box b;

		box_init(&b);
		box_add(&b, cp, 0, 0);
		kinds += b.fill.len > 0;
		kinds += b.line.len > 0;
		for (int i = 0; i < 3; i++)
			kinds += b.shade[i].len > 0;
		if (kinds != 1)
			fail_msg("U+%04X has %u kinds of shapes", cp, kinds);
		box_finish(&b);
	}
}

static void
shapes_stay_inside_their_cell(void **state)
{
	(void)state;
	for (uint32_t cp = FIRST; cp <= LAST; cp++) {
		auto_free char *path = fill_of(cp);
		struct rect r[16];
		unsigned n = rects_of(path, r, 16);

		for (unsigned i = 0; i < n; i++)
			if (r[i].x < 0 || r[i].y < 0 || r[i].w <= 0 ||
			    r[i].h <= 0 || r[i].x + r[i].w > W + 1e-6 ||
			    r[i].y + r[i].h > H + 1e-6)
				fail_msg("U+%04X: %s", cp, path);
	}
}

static void
lines_meet_their_neighbours(void **state)
{
	static const struct {
		uint32_t from, to;
		const char *edges;
	} families[] = {
		{ 0x2500, 0x2501, "l.r." }, /* ─ */
		{ 0x2502, 0x2503, ".u.d" }, /* │ */
		{ 0x250C, 0x250F, "..rd" }, /* ┌ */
		{ 0x2510, 0x2513, "l..d" }, /* ┐ */
		{ 0x2514, 0x2517, ".ur." }, /* └ */
		{ 0x2518, 0x251B, "lu.." }, /* ┘ */
		{ 0x251C, 0x2523, ".urd" }, /* ├ */
		{ 0x2524, 0x252B, "lu.d" }, /* ┤ */
		{ 0x252C, 0x2533, "l.rd" }, /* ┬ */
		{ 0x2534, 0x253B, "lur." }, /* ┴ */
		{ 0x253C, 0x254B, "lurd" }, /* ┼ */
		{ 0x2574, 0x2574, "l..." }, /* ╴ */
		{ 0x2575, 0x2575, ".u.." }, /* ╵ */
		{ 0x2576, 0x2576, "..r." }, /* ╶ */
		{ 0x2577, 0x2577, "...d" }, /* ╷ */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		for (uint32_t cp = families[i].from; cp <= families[i].to; cp++)
			reaches(cp, families[i].edges);
}

static void
a_double_line_has_a_gap_in_the_middle(void **state)
{
	(void)state;
	reaches(0x2550, "...."); /* ═ */
	assert_true(covers(0x2550, 0, H / 2.0 - 2));
	assert_true(covers(0x2550, W, H / 2.0 + 2));
	/* ╬ leaves its centre free, and ╔ turns around it. */
	assert_false(covers(0x256C, W / 2.0, H / 2.0));
	assert_false(covers(0x256C, W / 2.0, H / 2.0 - 2));
	assert_false(covers(0x2554, W / 2.0, H / 2.0));
	assert_true(covers(0x2554, W / 2.0 - 2, H / 2.0 - 2));
	assert_false(covers(0x2554, 0, H / 2.0 - 2));
}

static void
heavy_lines_are_thicker_than_light_ones(void **state)
{
	(void)state;
	assert_false(covers(0x2500, 1, H / 2.0 - 1));
	assert_true(covers(0x2501, 1, H / 2.0 - 1));
	/* Dashes cover a part of a whole line: three, four and two of them. */
	assert_true(area_of(0x2504) < area_of(0x2500));
	assert_true(fabs(area_of(0x2505) - 3 * area_of(0x2504)) < 1e-6);
	assert_true(fabs(area_of(0x2508) - area_of(0x254C)) < 1e-6);
}

static void
blocks_fill_their_part_of_the_cell(void **state)
{
	static const double quarters[] = { 1, 1, 1, 3, 2, 3, 3, 1, 2, 3 };

	(void)state;
	for (uint32_t cp = 0x2581; cp <= 0x2588; cp++)
		assert_true(
		    fabs(area_of(cp) - W * H * (cp - 0x2580) / 8.0) < 1e-4);
	for (uint32_t cp = 0x2588; cp <= 0x258F; cp++)
		assert_true(
		    fabs(area_of(cp) - W * H * (0x2590 - cp) / 8.0) < 1e-4);
	for (uint32_t cp = 0x2596; cp <= LAST; cp++)
		assert_true(fabs(area_of(cp) -
				W * H * quarters[cp - 0x2596] / 4) < 1e-4);
	assert_true(covers(0x2580, 1, 1) && !covers(0x2580, 1, H - 1));
	assert_true(covers(0x2590, W - 1, 1) && !covers(0x2590, 1, 1));
	/* ▘ ▝ ▖ ▗ */
	assert_true(covers(0x2598, 1, 1));
	assert_true(covers(0x259D, W - 1, 1));
	assert_true(covers(0x2596, 1, H - 1));
	assert_true(covers(0x2597, W - 1, H - 1));
}

static void
shades_arcs_and_diagonals_have_paths_of_their_own(void **state)
{
	auto_free char *line = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	for (int i = 0; i < 3; i++) {
		box_add(&b, 0x2591 + (uint32_t)i, 0, 0);
		assert_true(b.shade[i].len > 0);
		assert_true(i == 2 || b.shade[i + 1].len == 0);
	}
	box_add(&b, 0x2571, 0, 0);
	box_add(&b, 0x256F, W, 0);
	assert_int_equal(b.fill.len, 0);
	line = buf_take(&b.line);
	/* ╱ goes up to the right; ╯ from the upper edge to the left one. */
	assert_string_equal(line, "M0 17L9 0M13.5 0V4Q13.5 8.5 9 8.5");
	box_finish(&b);
}

static void
neighbouring_shapes_share_a_path(void **state)
{
	auto_free char *path = NULL;
	struct box b;

	(void)state;
	box_init(&b);
	box_add(&b, 0x2588, 0, 0);
	box_add(&b, 0x2588, 1999 * W, 999 * H);
	path = buf_take(&b.fill);
	assert_string_equal(path, "M0 0h9v17h-9zM17991 16983h9v17h-9z");
	box_finish(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_character_has_one_kind_of_shape),
		cmocka_unit_test(shapes_stay_inside_their_cell),
		cmocka_unit_test(lines_meet_their_neighbours),
		cmocka_unit_test(a_double_line_has_a_gap_in_the_middle),
		cmocka_unit_test(heavy_lines_are_thicker_than_light_ones),
		cmocka_unit_test(blocks_fill_their_part_of_the_cell),
		cmocka_unit_test(
		    shades_arcs_and_diagonals_have_paths_of_their_own),
		cmocka_unit_test(neighbouring_shapes_share_a_path),
	};

	return cmocka_run_group_tests_name("paint_box", tests, NULL, NULL);
}
