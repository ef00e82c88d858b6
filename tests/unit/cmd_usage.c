/* The information that completion and the manual take from a synopsis. */

#include "unit.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/line/usage.h"

static void
assert_operand(const char *usage, unsigned i, const char *want)
{
	char word[USAGE_WORD_MAX];
	bool found = usage_operand(usage, i, 0, word);

	if (found != (want != NULL) || (found && strcmp(word, want) != 0))
		fail_msg("operand %u of '%s' is %s, not %s", i, usage,
		    found ? word : "none", want != NULL ? want : "none");
}

static void
words_that_are_not_options_are_operands(void **state)
{
	(void)state;
	assert_operand("SESSION [--grace DURATION] SIGNAL [--json]", 0,
	    "SESSION");
	assert_operand("SESSION [--grace DURATION] SIGNAL [--json]", 1,
	    "SIGNAL");
	assert_operand("SESSION [--grace DURATION] SIGNAL [--json]", 2, NULL);
	assert_operand("[-a] [--label KEY=VALUE]... [--json]", 0, NULL);
	assert_operand("[--json]", 0, NULL);
	assert_operand("", 0, NULL);
}

static void
brackets_and_line_breaks_are_ignored(void **state)
{
	const char *usage = "[-d] [-e KEY=VALUE]...\n"
			    "    [--] [COMMAND [ARGUMENT...]]";

	(void)state;
	assert_operand(usage, 0, "COMMAND");
	assert_operand(usage, 1, "ARGUMENT");
	assert_operand("[SESSION] [--json]", 0, "SESSION");
}

static void
the_last_operand_may_be_repeated(void **state)
{
	(void)state;
	assert_operand("SESSION [KEY=VALUE...]", 1, "KEY=VALUE");
	assert_operand("SESSION [KEY=VALUE...]", 9, "KEY=VALUE");
	assert_operand("SESSION...", 3, "SESSION");
}

static void
the_first_operand_of_several_counts(void **state)
{
	(void)state;
	assert_operand("[FILE|-]", 0, "FILE");
	assert_operand("[SESSION|--all] NAME", 0, "SESSION");
	assert_operand("[SESSION|--all] NAME", 1, "NAME");
	assert_operand("(--all|SESSION)", 0, "SESSION");
	assert_operand("[--all] [forget HOME]", 0, "forget");
	assert_operand("[--all] [forget HOME]", 1, "HOME");
}

static void
alternatives_are_counted_without_options(void **state)
{
	static const char usage[] = "start|stop|status [SESSION|ID] [--json]";
	char word[USAGE_WORD_MAX];

	(void)state;
	assert_true(usage_operand(usage, 0, 1, word));
	assert_string_equal(word, "stop");
	assert_true(usage_operand(usage, 0, 2, word));
	assert_string_equal(word, "status");
	assert_false(usage_operand(usage, 0, 3, word));
	assert_true(usage_operand(usage, 1, 1, word));
	assert_string_equal(word, "ID");
	assert_false(usage_operand(usage, 2, 0, word));
	assert_false(usage_operand("SESSION|--all", 0, 1, word));
	assert_false(usage_operand("[FILE|-]", 0, 1, word));
	assert_true(usage_operand("--all|A|B", 0, 1, word));
	assert_string_equal(word, "B");
}

static void
a_long_word_is_cut(void **state)
{
	char usage[100], word[USAGE_WORD_MAX];

	(void)state;
	memset(usage, 'A', sizeof(usage));
	usage[99] = '\0';
	assert_true(usage_operand(usage, 0, 0, word));
	assert_int_equal(strlen(word), USAGE_WORD_MAX - 1);
}

static void
only_words_in_capitals_are_placeholders(void **state)
{
	static const char *const places[] = { "SESSION", "KEY=VALUE",
		"COLSxROWS", "X" };
	static const char *const words[] = { "forget", "-d", "--all", "x", "",
		"text", "..." };

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		assert_true(usage_is_place(places[i], strlen(places[i])));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		assert_false(usage_is_place(words[i], strlen(words[i])));
}

static void
assert_put(const char *usage, const char *want)
{
	struct buf out;

	buf_init(&out, 4096);
	usage_put(&out, "x", usage);
	buf_putc(&out, '\0');
	assert_string_equal(out.data, want);
	buf_finish(&out);
}

static void
a_long_line_breaks_before_a_group(void **state)
{
#define TWENTY "[--aaaaaaaaaaa BBBBB]"
	(void)state;
	assert_put("A [-b C]", "usage: tend x A [-b C]\n");
	assert_put("A [-b\n    C]", "usage: tend x A [-b\n    C]\n");
	assert_put("A " TWENTY " " TWENTY " " TWENTY " [-b]... [-c] D",
	    "usage: tend x A " TWENTY " " TWENTY "\n"
	    "            " TWENTY " [-b]... [-c] D\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_that_are_not_options_are_operands),
		cmocka_unit_test(brackets_and_line_breaks_are_ignored),
		cmocka_unit_test(the_last_operand_may_be_repeated),
		cmocka_unit_test(the_first_operand_of_several_counts),
		cmocka_unit_test(alternatives_are_counted_without_options),
		cmocka_unit_test(a_long_word_is_cut),
		cmocka_unit_test(only_words_in_capitals_are_placeholders),
		cmocka_unit_test(a_long_line_breaks_before_a_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
