#include "unit.h"

#include <string.h>

#include "cmd/line/cmd.h"
#include "cmd/line/opt.h"
#include "cmd/line/partial_line.h"
#include "cmd/line/table.h"

/* Read up to eight words; NULL ends them. */
static struct partial_line
read_words(const char *const *words)
{
	struct partial_line t;
	char *copy[8] = { NULL };
	int n = 0;

	for (; words[n] != NULL; n++)
		copy[n] = (char *)(uintptr_t)words[n];
	partial_line_read(&t, n, copy);
	return t;
}

#define READ(...) read_words((const char *const[]){ __VA_ARGS__, NULL })

static void
is_command(const struct partial_line *t, const char *name)
{
	assert_non_null(t->cmd);
	assert_string_equal(t->cmd->name, name);
}

static void
wants(const struct partial_line *t, const char *option, const char *word)
{
	assert_non_null(t->wants);
	assert_string_equal(t->wants->name, option);
	assert_string_equal(t->word, word);
}

static void
no_words_count_as_one_empty_word(void **state)
{
	struct partial_line t;

	(void)state;
	partial_line_read(&t, 0, NULL);
	assert_null(t.cmd);
	assert_false(t.has_word);
	assert_string_equal(t.word, "");
	assert_string_equal(t.before, "");
	assert_int_equal(t.program, -1);
	t = READ("");
	assert_string_equal(t.word, "");
	assert_false(t.has_word);
}

static void
the_last_word_is_never_the_command(void **state)
{
	struct partial_line t = READ("ls");

	(void)state;
	assert_null(t.cmd);
	assert_false(t.has_word);
	assert_string_equal(t.word, "ls");
	t = READ("ls", "");
	is_command(&t, "ls");
	t = READ("ps", "");
	is_command(&t, "ls");
	t = READ("frob", "x", "");
	assert_null(t.cmd);
	assert_true(t.has_word);
	assert_int_equal(t.operands, 1);
}

static void
a_command_follows_help(void **state)
{
	struct partial_line t = READ("help", "");

	(void)state;
	assert_true(t.asks_help);
	t = READ("--json", "help", "at");
	assert_true(t.asks_help);
	assert_string_equal(t.word, "at");
	t = READ("ls", "help");
	assert_false(t.asks_help);
}

static void
an_option_with_a_value_wants_the_last_word(void **state)
{
	struct partial_line t = READ("run", "--input", "sh");

	(void)state;
	wants(&t, "input", "sh");
	t = READ("run", "--input=sh");
	wants(&t, "input", "sh");
	assert_string_equal(t.before, "--input=sh");
	t = READ("run", "--input=");
	wants(&t, "input", "");
	t = READ("run", "-dn", "");
	wants(&t, "name", "");
	t = READ("--home", "/t");
	wants(&t, "home", "/t");
	/* The value looks like an option. */
	t = READ("run", "--name", "--in");
	wants(&t, "name", "--in");
}

static void
an_option_without_a_value_wants_nothing(void **state)
{
	struct partial_line t = READ("run", "--detach", "");

	(void)state;
	assert_null(t.wants);
	t = READ("run", "-nfoo", "");
	assert_null(t.wants);
	t = READ("run", "--name=foo", "");
	assert_null(t.wants);
	t = READ("run", "--frob", "");
	assert_null(t.wants);
	t = READ("run", "--nam", "");
	assert_null(t.wants);
	t = READ("run", "--detach=x");
	assert_null(t.wants);
	t = READ("run", "--name");
	assert_null(t.wants);
	assert_string_equal(t.word, "--name");
	t = READ("run", "KEY=value");
	assert_null(t.wants);
	assert_string_equal(t.word, "KEY=value");
}

static void
the_home_is_read_wherever_it_is(void **state)
{
	struct partial_line t = READ("--home", "/a", "ls", "");

	(void)state;
	assert_string_equal(t.home, "/a");
	t = READ("ls", "--home=/b", "");
	assert_string_equal(t.home, "/b");
	t = READ("--home=/a", "ls", "--home", "/c", "");
	assert_string_equal(t.home, "/c");
	t = READ("ls", "--", "--home=/b", "");
	assert_null(t.home);
	assert_int_equal(t.operands, 1);
	/* The last word is still being typed. */
	t = READ("ls", "--home=/b");
	assert_null(t.home);
}

static void
dashes_end_the_options(void **state)
{
	struct partial_line t = READ("attach", "--", "--x=");

	(void)state;
	assert_true(t.no_options);
	assert_string_equal(t.word, "--x=");
	t = READ("attach", "-", "");
	assert_false(t.no_options);
	assert_int_equal(t.operands, 1);
	/* Those before the command do not count for it. */
	t = READ("--", "attach", "--j");
	is_command(&t, "attach");
	assert_false(t.no_options);
}

static void
a_program_begins_at_its_first_word(void **state)
{
	struct partial_line t = READ("run", "-d", "vi", "-R", "fi");

	(void)state;
	is_command(&t, "run");
	assert_int_equal(t.program, 2);
	assert_true(t.no_options);
	assert_int_equal(t.operands, 2);
	t = READ("run", "--", "-x", "");
	assert_int_equal(t.program, 2);
	/* The program is the word being typed. */
	t = READ("run", "--name", "n", "v");
	assert_int_equal(t.program, 3);
	t = READ("attach", "x", "");
	assert_int_equal(t.program, -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_words_count_as_one_empty_word),
		cmocka_unit_test(the_last_word_is_never_the_command),
		cmocka_unit_test(a_command_follows_help),
		cmocka_unit_test(an_option_with_a_value_wants_the_last_word),
		cmocka_unit_test(an_option_without_a_value_wants_nothing),
		cmocka_unit_test(the_home_is_read_wherever_it_is),
		cmocka_unit_test(dashes_end_the_options),
		cmocka_unit_test(a_program_begins_at_its_first_word),
	};

	return cmocka_run_group_tests_name("cmd_partial_line", tests, NULL,
	    NULL);
}
