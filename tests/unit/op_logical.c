#include "unit.h"

#include <string.h>

#include "op/logical.h"
#include "vt/vt.h"

#include "vt_make.h"

/* A terminal of this width and 4 rows, and the line of its first row. */
static struct vt *
line_of(unsigned cols, const char *bytes, struct logical *line)
{
	struct vt *vt = make_vt(cols, 4);

	feed(vt, bytes);
	logical_read(line, vt, 0);
	return vt;
}

static uint64_t
hash_of(unsigned cols, const char *bytes)
{
	struct logical line;

	vt_destroy(line_of(cols, bytes, &line));
	return line.hash;
}

static uint64_t
prefix_of(unsigned cols, const char *bytes, unsigned to)
{
	struct logical line;
	struct vt *vt = line_of(cols, bytes, &line);
	uint64_t hash = logical_prefix(&line, vt, to);

	vt_destroy(vt);
	return hash;
}

static unsigned
end_of(unsigned cols, const char *bytes)
{
	struct logical line;
	struct vt *vt = line_of(cols, bytes, &line);
	unsigned end = logical_end(&line, vt);

	vt_destroy(vt);
	return end;
}

/* `text` matches from the cell on with n bytes and ends before the cell `to` */
static void
matches(const char *bytes, unsigned from, const char *text, size_t n,
    unsigned to)
{
	struct logical line;
	struct vt *vt = line_of(10, bytes, &line);
	unsigned at = from;
	size_t got = logical_match(&line, vt, &at, text, strlen(text));

	if (got != n || at != to)
		fail_msg("'%s' in '%s': %zu bytes to %u, not %zu to %u", text,
		    bytes, got, at, n, to);
	vt_destroy(vt);
}

static void
rows_that_the_margin_broke_are_one_line(void **state)
{
	struct logical line;
	struct vt *vt = line_of(5, "abcdefgh\r\nxyz", &line);

	(void)state;
	assert_int_equal(line.row, 0);
	assert_int_equal(line.rows, 2);
	assert_false(line.cut);
	assert_int_equal(logical_read(&line, vt, 0), 2);
	assert_int_equal(logical_read(&line, vt, 2), 3);
	assert_int_equal(line.rows, 1);
	assert_int_equal(logical_read(&line, vt, 3), 4);
	assert_int_equal(logical_first_row(vt, 0), 0);
	assert_int_equal(logical_first_row(vt, 1), 0);
	assert_int_equal(logical_first_row(vt, 2), 2);
	vt_destroy(vt);
}

static void
a_line_without_its_beginning_is_cut(void **state)
{
	struct logical line;
	struct vt *vt = line_of(5, "abcdefgh\r\n1\r\n2\r\n3", &line);

	(void)state;
	assert_true(line.cut);
	assert_int_equal(line.rows, 1);
	assert_int_equal(logical_first_row(vt, 0), 0);
	vt_destroy(vt);
}

static void
the_hash_is_the_same_at_every_width(void **state)
{
	(void)state;
	assert_true(hash_of(5, "abcdefgh") == hash_of(20, "abcdefgh"));
	assert_true(hash_of(5, "abc  def") == hash_of(20, "abc  def"));
	/* A wide character leaves a pad at the margin. */
	assert_true(hash_of(5, "abcd漢字") == hash_of(20, "abcd漢字"));
	assert_true(hash_of(20, "abc") != hash_of(20, "abd"));
	assert_true(hash_of(20, "e\xcc\x81") != hash_of(20, "e\xcc\x80"));
}

static void
the_hash_ignores_blanks_at_the_ends_only(void **state)
{
	(void)state;
	assert_true(hash_of(20, "") == 0);
	assert_true(hash_of(20, "    ") == 0);
	assert_true(hash_of(20, "\033[44m   ") == 0);
	assert_true(hash_of(20, "  a b  ") == hash_of(20, "a b"));
	assert_true(hash_of(20, "a  b") != hash_of(20, "a b"));
	assert_true(hash_of(20, "a\033[2Cb") == hash_of(20, "a  b"));
	assert_true(hash_of(20, "\033[1ma\033[mb") == hash_of(20, "ab"));
}

static void
the_end_is_behind_the_last_text(void **state)
{
	struct logical line;
	struct vt *vt = line_of(5, "abcde", &line);

	(void)state;
	assert_true(logical_is_full(&line, vt));
	vt_destroy(vt);
	vt = line_of(5, "abcd", &line);
	assert_false(logical_is_full(&line, vt));
	vt_destroy(vt);
	assert_int_equal(end_of(5, ""), 0);
	assert_int_equal(end_of(5, "   "), 0);
	assert_int_equal(end_of(5, "ab  "), 2);
	assert_int_equal(end_of(5, "abcde"), 5);
	assert_int_equal(end_of(5, "abcdefg "), 7);
	assert_int_equal(end_of(5, "a漢"), 3);
	assert_int_equal(end_of(5, "abcd漢"), 7);
}

static void
cells_without_text_are_blank(void **state)
{
	struct logical line;
	struct vt *vt = line_of(5, "a 漢", &line);

	(void)state;
	assert_false(logical_is_blank(&line, vt, 0));
	assert_true(logical_is_blank(&line, vt, 1));
	assert_false(logical_is_blank(&line, vt, 2));
	assert_false(logical_is_blank(&line, vt, 3));
	assert_true(logical_is_blank(&line, vt, 4));
	assert_true(logical_is_blank(&line, vt, 5));
	assert_true(logical_is_blank(&line, vt, UINT32_MAX));
	vt_destroy(vt);
}

static void
a_prefix_includes_its_blanks(void **state)
{
	(void)state;
	assert_true(prefix_of(9, "$ ls", 2) == prefix_of(9, "$ vi", 2));
	assert_true(prefix_of(9, "$ ls", 3) != prefix_of(9, "$ vi", 3));
	assert_true(prefix_of(9, "ab", 3) == prefix_of(9, "ab x", 3));
	assert_true(prefix_of(9, "ab", 2) != prefix_of(9, "ab", 3));
	assert_true(prefix_of(9, " ab", 3) != prefix_of(9, "ab", 3));
	assert_true(prefix_of(9, "a", 0) == prefix_of(9, "", 0));
	/* Beyond the line there are only blanks. */
	assert_true(prefix_of(3, "abcd", 50) == prefix_of(9, "abcd", 50));
}

static void
text_matches_up_to_the_first_difference(void **state)
{
	(void)state;
	matches("$ echo", 2, "echo", 4, 6);
	matches("$ echo", 2, "ed", 1, 3);
	matches("$ echo", 0, "x", 0, 0);
	matches("$ echo", 2, "", 0, 2);
	matches("ab", 0, "ab  c", 4, 4);
	matches("e\xcc\x81t", 0, "e\xcc\x81t", 4, 2);
	matches("e\xcc\x81t", 0, "et", 0, 0);
	matches("abcdefghijkl", 8, "ijkl", 4, 12);
	matches("abcdefghij", 8, "ijkl", 2, 10);
	matches("ab", 90, "a", 0, 90);
}

static void
a_match_ends_behind_a_wide_character(void **state)
{
	(void)state;
	matches("漢字", 0, "漢字", 6, 4);
	matches("漢字x", 0, "漢", 3, 2);
	matches("漢x", 0, "漢y", 3, 2);
	/* The second does not fit into the last column and leaves a pad. */
	matches("abcdefg漢字", 7, "漢字", 6, 12);
	matches("漢字漢字漢", 0, "漢字漢字漢", 15, 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_that_the_margin_broke_are_one_line),
		cmocka_unit_test(a_line_without_its_beginning_is_cut),
		cmocka_unit_test(the_hash_is_the_same_at_every_width),
		cmocka_unit_test(the_hash_ignores_blanks_at_the_ends_only),
		cmocka_unit_test(the_end_is_behind_the_last_text),
		cmocka_unit_test(cells_without_text_are_blank),
		cmocka_unit_test(a_prefix_includes_its_blanks),
		cmocka_unit_test(text_matches_up_to_the_first_difference),
		cmocka_unit_test(a_match_ends_behind_a_wide_character),
	};

	return cmocka_run_group_tests_name("op_logical", tests, NULL, NULL);
}
