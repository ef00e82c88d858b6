#include "unit.h"

#include <string.h>

#include "mcp/lines.h"

static void
gives(struct lines *l, enum lines_next what, const char *text)
{
	const char *p = NULL;
	size_t len = 0;

	assert_int_equal(lines_next(l, &p, &len), what);
	if (what != LINES_LINE)
		return;
	assert_int_equal(len, strlen(text));
	assert_memory_equal(p, text, len);
}

static void
lines_come_out_whole_however_they_were_cut(void **state)
{
	static const char text[] = "one\n\ntwo three\nfour";

	(void)state;
	for (size_t cut = 1; cut < sizeof(text); cut++) {
		struct lines l;
		char got[64] = "";
		const char *p;
		size_t len;

		lines_init(&l, 100);
		for (size_t i = 0; i < sizeof(text) - 1; i += cut) {
			size_t n = sizeof(text) - 1 - i;

			lines_add(&l, text + i, n < cut ? n : cut);
			while (lines_next(&l, &p, &len) == LINES_LINE) {
				strncat(got, p, len);
				strcat(got, "|");
			}
		}
		assert_string_equal(got, "one||two three|");
		assert_int_equal(lines_rest(&l, &p, &len), LINES_LINE);
		assert_int_equal(len, 4);
		assert_memory_equal(p, "four", 4);
		assert_int_equal(lines_rest(&l, &p, &len), LINES_NONE);
		lines_finish(&l);
	}
}

static void
a_line_that_is_too_long_is_reported_once_and_not_kept(void **state)
{
	struct lines l;
	char part[100];

	(void)state;
	memset(part, 'x', sizeof(part));
	lines_init(&l, 10);
	for (int i = 0; i < 1000; i++) {
		lines_add(&l, part, sizeof(part));
		gives(&l, LINES_NONE, NULL);
		assert_true(l.buf.len <= 2 * sizeof(part));
	}
	lines_add(&l, "\nnext\n01234567890\n0123456789\n", 29);
	gives(&l, LINES_TOO_LONG, NULL);
	gives(&l, LINES_LINE, "next");
	gives(&l, LINES_TOO_LONG, NULL);
	gives(&l, LINES_LINE, "0123456789");
	gives(&l, LINES_NONE, NULL);
	lines_finish(&l);
}

static void
a_long_line_without_an_end_is_reported_at_the_end(void **state)
{
	struct lines l;
	const char *p;
	size_t len;

	(void)state;
	lines_init(&l, 3);
	lines_add(&l, "abcdef", 6);
	gives(&l, LINES_NONE, NULL);
	assert_int_equal(lines_rest(&l, &p, &len), LINES_TOO_LONG);
	assert_int_equal(lines_rest(&l, &p, &len), LINES_NONE);
	lines_finish(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_out_whole_however_they_were_cut),
		cmocka_unit_test(
		    a_line_that_is_too_long_is_reported_once_and_not_kept),
		cmocka_unit_test(
		    a_long_line_without_an_end_is_reported_at_the_end),
	};

	return cmocka_run_group_tests_name("mcp_lines", tests, NULL, NULL);
}
