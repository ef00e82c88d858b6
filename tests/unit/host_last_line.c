#include "unit.h"

#include <string.h>

#include "base/utf8.h"
#include "host/stream/last_line.h"
#include "vt/vt.h"

#define SIZE 32

static void
assert_line(const char *bytes, const char *want)
{
	const struct vt_config config = { .cols = 40, .rows = 6 };
	struct vt *vt = vt_create(&config, NULL);
	char seen[SIZE];

	vt_feed(vt, bytes, strlen(bytes));
	memset(seen, 'x', sizeof(seen));
	last_line_of(vt, seen, sizeof(seen));
	assert_string_equal(seen, want);
	vt_destroy(vt);
}

static void
the_last_line_is_the_lowest_row_with_a_word(void **state)
{
	(void)state;
	assert_line("one\r\ntwo\r\n", "two");
	assert_line("", "");
	assert_line("one\r\n$ \r\n>", "one");
	assert_line("\xe7\x95\x8c", "\xe7\x95\x8c");
	assert_line("top\033[6;1H---- ====", "top");
}

static void
the_last_line_omits_frames(void **state)
{
	(void)state;
	assert_line("\u256d\u2500\u2500\u256e\r\n"
		    "\u2502 > Try it    now \u2502\r\n"
		    "\u2570\u2500\u2500\u256f",
	    "> Try it now");
}

static void
the_last_line_is_cut_between_characters(void **state)
{
	char seen[SIZE];
	const struct vt_config config = { .cols = 40, .rows = 2 };
	struct vt *vt = vt_create(&config, NULL);

	(void)state;
	vt_feed(vt, "a", 1);
	for (int i = 0; i < 18; i++)
		vt_feed(vt, "\xe7\x95\x8c", 3);
	last_line_of(vt, seen, sizeof(seen));
	assert_int_equal(strlen(seen), 31);
	assert_true(utf8_valid(seen, strlen(seen)));
	last_line_of(vt, seen, sizeof(seen) - 1);
	assert_int_equal(strlen(seen), 28);
	assert_true(utf8_valid(seen, strlen(seen)));
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_line_is_the_lowest_row_with_a_word),
		cmocka_unit_test(the_last_line_omits_frames),
		cmocka_unit_test(the_last_line_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
