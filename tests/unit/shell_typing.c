#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "shell/typing.h"

#define LINE_MOST 1000 /* busybox ash takes 1,023 bytes */

static char *
wrap(enum typing_dialect dialect, const char *command)
{
	struct buf b;

	buf_init(&b, 1u << 20);
	typing_wrap(&b, dialect, command, "0123456789abcdef");
	assert_false(b.full);
	return buf_take(&b);
}

static void
plain_text_is_unchanged_by_editors_and_shells(void **state)
{
	(void)state;
	assert_true(typing_is_plain("echo 'a' \"b\" | cat", false));
	assert_true(typing_is_plain("echo \xc3\xa4", false));
	assert_true(typing_is_plain("a\nb\tc", true));
	assert_false(typing_is_plain("a\nb", false));
	assert_false(typing_is_plain("a\tb", false));
	assert_false(typing_is_plain("echo hi!", true));
	assert_false(typing_is_plain("a\033b", true));
	assert_false(typing_is_plain("a\177", true));
}

/* For every command: no control character except Enter, nothing but ASCII. */
static void
a_wrapping_is_printable_and_its_lines_are_short(void **state)
{
	char command[20000];

	(void)state;
	for (size_t i = 0; i < sizeof(command) - 1; i++)
		command[i] = (char)(1 + i % 255);
	command[sizeof(command) - 1] = '\0';
	for (int d = TYPING_POSIX; d <= TYPING_ANY; d++) {
		auto_free char *text = wrap((enum typing_dialect)d, command);
		size_t line = 0;

		for (const char *p = text; *p != '\0'; p++) {
			assert_true((*p >= 0x20 && *p < 0x7f) || *p == '\r');
			assert_true(*p != '!');
			line = *p == '\r' ? 0 : line + 1;
			assert_true(line <= LINE_MOST);
		}
		assert_int_equal(text[strlen(text) - 1], '\r');
	}
}

/* However much of a line the command fills. */
static void
lines_are_short_for_commands_of_every_length(void **state)
{
	char command[1200] = { 0 };

	(void)state;
	for (size_t n = 0; n < sizeof(command) - 1; n++) {
		command[n] = n % 7 == 0 ? '$' : 'x';
		for (int d = TYPING_POSIX; d <= TYPING_ANY; d++) {
			auto_free char *text = wrap((enum typing_dialect)d,
			    command);

			for (const char *p = text; *p != '\0';
			     p += strcspn(p, "\r") + 1)
				assert_true(strcspn(p, "\r") <= LINE_MOST);
		}
	}
}

/* A leading blank keeps it out of a history that ignores such lines. */
static void
a_wrapping_is_one_logical_line(void **state)
{
	auto_free char *text = wrap(TYPING_POSIX, "one\ntwo\nthree");
	const char *enter = strchr(text, '\r');

	(void)state;
	assert_int_equal(text[0], ' ');
	assert_non_null(enter);
	assert_int_equal(enter[1], '\0');
}

/* No word may be an alias: each command name is quoted. */
static void
no_command_of_a_wrapping_is_a_bare_word(void **state)
{
	auto_free char *posix = wrap(TYPING_POSIX, "x");
	auto_free char *any = wrap(TYPING_ANY, "x");

	(void)state;
	assert_memory_equal(posix, " \\eval \"$(\\command \\printf %b '", 30);
	assert_memory_equal(any, " 'eval' \"$('eval' '__t=$?'", 25);
}

static void
a_script_has_the_command_as_one_word_of_fish(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1u << 20);
	typing_script(&b, "echo 'a\\b'", "0123456789abcdef");
	auto_free char *text = buf_take(&b);
	assert_non_null(strstr(text, "\neval 'echo \\'a\\\\b\\''\n"));
	assert_non_null(strstr(text, "__tend_end $status 0123456789abcdef\n"));
	assert_memory_equal(text, "__tend_keep_status $status (", 28);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_is_unchanged_by_editors_and_shells),
		cmocka_unit_test(
		    a_wrapping_is_printable_and_its_lines_are_short),
		cmocka_unit_test(lines_are_short_for_commands_of_every_length),
		cmocka_unit_test(a_wrapping_is_one_logical_line),
		cmocka_unit_test(no_command_of_a_wrapping_is_a_bare_word),
		cmocka_unit_test(a_script_has_the_command_as_one_word_of_fish),
	};

	return cmocka_run_group_tests_name("shell_typing", tests, NULL, NULL);
}
