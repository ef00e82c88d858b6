#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "shell/mark.h"

/* All marks of a text, read in pieces of n bytes; text between them is 'x'. */
static void
scan(const char *text, size_t n, char *out)
{
	struct mark_scan s = { 0 };
	size_t len = strlen(text), at = 0, read;
	struct mark m;

	while (at < len) {
		size_t piece = len - at < n ? len - at : n;

		if (mark_next(&s, (const uint8_t *)text + at, piece, &read, &m))
			out += sprintf(out, "%c%d%s/%zu ", m.kind, m.status,
			    m.key, m.len);
		at += read;
	}
	*out = '\0';
}

static void
marks_are_found_whatever_the_pieces(void **state)
{
	static const char
	    text[] = "a\033]133;A\007$ \033]133;B;tend=k1\033\\ls\r\n"
		     "\033]133;C;aid=9;tend=00ff\007x\033[m\033"
		     "\033]133;D;0\007\033]133;D;127;tend=k\007"
		     "\033]133;P;k=s\007\033]133;D\007";
	static const char wanted[] = "A-1/8 B-1k1/17 C-100ff/24 D0/10 D127k/19 "
				     "P-1/12 D-1/8 ";
	char found[256];

	(void)state;
	for (size_t n = 1; n <= sizeof(text); n++) {
		scan(text, n, found);
		assert_string_equal(found, wanted);
	}
}

static void
other_sequences_are_not_marks(void **state)
{
	static const char *const texts[] = {
		"\033]133\007",
		"\033]133;\007",
		"\033]133;E\007",
		"\033]133;Ax\007",
		"\033]1337;A\007",
		"\033]0;133;A\007",
		"\033]133;A\n\007",
		"\033]133;A\033[m\007",
		"]133;A\007",
	};
	char found[256];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		scan(texts[i], 3, found);
		assert_string_equal(found, "");
	}
}

static void
an_overlong_mark_is_ignored_and_the_next_is_found(void **state)
{
	char text[MARK_MAX + 64] = "\033]133;A;tend=", found[256];
	size_t len = strlen(text);

	(void)state;
	memset(text + len, 'k', MARK_MAX);
	strcpy(text + len + MARK_MAX, "\007\033]133;B\007");
	scan(text, 1000, found);
	assert_string_equal(found, "B-1/8 ");
}

static void
a_key_or_status_out_of_bounds_is_not_read(void **state)
{
	char found[256];

	(void)state;
	scan("\033]133;D;1234;tend=0123456789012345678901234567890123\007", 99,
	    found);
	assert_string_equal(found, "D-1/53 ");
	scan("\033]133;D;-1;tend=\007", 99, found);
	assert_string_equal(found, "D-1/17 ");
}

/* The mark of a text. */
static struct mark
only(const char *text)
{
	struct mark_scan s = { 0 };
	struct mark m = { 0 };
	size_t read;

	assert_true(
	    mark_next(&s, (const uint8_t *)text, strlen(text), &read, &m));
	return m;
}

static void
a_prompt_may_report_the_status(void **state)
{
	(void)state;
	assert_int_equal(only("\033]133;A;err=137;tend=k\007").status, 137);
	assert_int_equal(only("\033]133;A;err=$?;tend=k\007").status, -1);
	assert_int_equal(only("\033]133;A;7;tend=k\007").status, -1);
	assert_string_equal(only("\033]133;A;err=0;tend=k\007").key, "k");
}

static void
a_mark_may_flag_output_as_rough(void **state)
{
	(void)state;
	assert_true(only("\033]133;D;0;rough;tend=k\007").rough);
	assert_int_equal(only("\033]133;D;3;rough;tend=k\007").status, 3);
	assert_true(only("\033]133;C;opts=imxs;tend=k\007").rough);
	assert_true(only("\033]133;D;0;opts=v;tend=k\007").rough);
	assert_false(only("\033]133;D;0;opts=himBHs;tend=k\007").rough);
	assert_false(only("\033]133;D;0;opts=;tend=k\007").rough);
	assert_false(only("\033]133;D;0;tend=rough\007").rough);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_found_whatever_the_pieces),
		cmocka_unit_test(other_sequences_are_not_marks),
		cmocka_unit_test(
		    an_overlong_mark_is_ignored_and_the_next_is_found),
		cmocka_unit_test(a_key_or_status_out_of_bounds_is_not_read),
		cmocka_unit_test(a_prompt_may_report_the_status),
		cmocka_unit_test(a_mark_may_flag_output_as_rough),
	};

	return cmocka_run_group_tests_name("shell_mark", tests, NULL, NULL);
}
