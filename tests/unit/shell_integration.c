#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "shell/integration.h"

#define DIR "/home/u/it's/shell"
#define KEY "00c0ffee"

static const char *
value(char *const *envp, const char *name)
{
	size_t len = strlen(name);

	for (; *envp != NULL; envp++)
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}

static struct integration
plan(const char *program, char *const *argv, char *const *envp)
{
	struct integration in;

	integration_plan(&in, argv, program, DIR, KEY, value, envp);
	return in;
}

static enum shell_kind
kind(const char *program, char *const *argv)
{
	char *const none[] = { NULL };
	struct integration in = plan(program, argv, none);
	enum shell_kind k = in.kind;

	assert_true((k == SHELL_NONE) == (in.text == NULL));
	assert_true((k == SHELL_NONE) == (in.file == NULL));
	integration_finish(&in);
	return k;
}

#define ARGV(...) ((char *const[]){ __VA_ARGS__, NULL })

static void
only_a_plain_interactive_shell_gets_integration(void **state)
{
	(void)state;
	assert_int_equal(kind("bash", ARGV("bash")), SHELL_BASH);
	assert_int_equal(kind("bash", ARGV("/bin/bash", "-il")), SHELL_BASH);
	assert_int_equal(kind("bash", ARGV("sh")), SHELL_SH);
	assert_int_equal(kind("dash", ARGV("/bin/sh", "-i")), SHELL_SH);
	assert_int_equal(kind("busybox", ARGV("busybox", "ash")), SHELL_SH);
	assert_int_equal(kind("busybox", ARGV("ash")), SHELL_SH);
	assert_int_equal(kind("busybox", ARGV("busybox", "vi")), SHELL_NONE);
	assert_int_equal(kind("busybox", ARGV("vi")), SHELL_NONE);
	assert_int_equal(kind("zsh", ARGV("zsh", "--login")), SHELL_ZSH);
	assert_int_equal(kind("fish", ARGV("fish")), SHELL_FISH);
	assert_int_equal(kind("bash", ARGV("bash", "--norc")), SHELL_NONE);
	assert_int_equal(kind("bash", ARGV("bash", "-c", "ls")), SHELL_NONE);
	assert_int_equal(kind("bash", ARGV("bash", "script")), SHELL_NONE);
	assert_int_equal(kind("bash", ARGV("bash", "-")), SHELL_NONE);
	assert_int_equal(kind("vim", ARGV("vim")), SHELL_NONE);
}

static void
each_shell_gets_the_path_of_its_script(void **state)
{
	char *const env[] = { "ENV=/e", "XDG_DATA_DIRS=/d", NULL };
	struct integration in = plan("bash", ARGV("bash"), env);

	(void)state;
	assert_string_equal(in.option, "--rcfile");
	assert_string_equal(in.value, DIR "/bashrc");
	assert_null(in.variable);
	integration_finish(&in);
	in = plan("bash", ARGV("bash", "-l"), env);
	assert_null(in.option);
	assert_string_equal(in.variable,
	    "PROMPT_COMMAND=. '/home/u/it'\\''s/shell/bashrc'\n");
	integration_finish(&in);
	in = plan("zsh", ARGV("zsh"), env);
	assert_string_equal(in.variable, "ZDOTDIR=" DIR);
	assert_string_equal(in.file, ".zshenv");
	integration_finish(&in);
	in = plan("fish", ARGV("fish"), env);
	assert_string_equal(in.variable, "XDG_DATA_DIRS=" DIR ":/d");
	integration_finish(&in);
	in = plan("dash", ARGV("sh"), env);
	assert_string_equal(in.variable, "ENV=" DIR "/shrc");
	integration_finish(&in);
}

static bool
has(const struct integration *in, const char *text)
{
	return strstr(in->text, text) != NULL;
}

static void
replaced_variables_are_restored(void **state)
{
	char *const env[] = { "ENV=it's", "ZDOTDIR=/z", "XDG_DATA_DIRS=a\\b",
		NULL };
	char *const none[] = { NULL };
	struct integration in = plan("dash", ARGV("sh"), env);

	(void)state;
	assert_true(has(&in, "\nexport ENV='it'\\''s'\n"));
	integration_finish(&in);
	in = plan("dash", ARGV("sh"), none);
	assert_true(has(&in, "\nunset ENV\n"));
	integration_finish(&in);
	in = plan("zsh", ARGV("zsh"), env);
	assert_true(has(&in, "\nexport ZDOTDIR='/z'\n"));
	integration_finish(&in);
	in = plan("fish", ARGV("fish"), env);
	assert_true(has(&in, "\nset -gx XDG_DATA_DIRS 'a\\\\b'\n"));
	integration_finish(&in);
	in = plan("fish", ARGV("fish"), none);
	assert_true(has(&in, "\nset -e XDG_DATA_DIRS\n"));
	integration_finish(&in);
}

static void
no_placeholder_remains_in_a_script(void **state)
{
	static const struct {
		const char *program, *argv;
	} shells[] = { { "bash", "bash" }, { "zsh", "zsh" }, { "fish", "fish" },
		{ "dash", "dash" }, { "busybox", "ash" } };
	char *const none[] = { NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		char *const argv[] = { (char *)shells[i].argv, NULL };
		struct integration in = plan(shells[i].program, argv, none);

		assert_true(has(&in, "tend=" KEY));
		for (const char *p = in.text; (p = strchr(p, '@')); p++)
			assert_false(p[1] >= 'A' && p[1] <= 'Z');
		integration_finish(&in);
	}
}

static void
words_are_quoted_where_necessary(void **state)
{
	static const struct {
		const char *word, *quoted;
	} words[] = { { "plain-1.2/x", "plain-1.2/x" }, { "", "''" },
		{ "a b", "'a b'" }, { "it's", "'it'\\''s'" }, { "$x", "'$x'" },
		{ "~", "'~'" }, { "a=b", "'a=b'" },
		{ "back\\slash", "'back\\slash'" } };
	struct buf b;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		buf_init(&b, 100);
		shell_quote(&b, words[i].word);
		auto_free char *text = buf_take(&b);
		assert_string_equal(text, words[i].quoted);
	}
}

static void
shells_are_recognised_by_their_program(void **state)
{
	static char *const argv[] = { (char *)"ksh", NULL };

	(void)state;
	assert_true(shell_is_program("bash"));
	assert_true(shell_is_program("zsh5"));
	assert_true(shell_is_program("ksh"));
	assert_false(shell_is_program("bashful"));
	assert_false(shell_is_program("ssh"));
	/* Known, but it has no way to mark its prompts. */
	assert_int_equal(kind("ksh", argv), SHELL_NONE);
}

static void
a_shell_with_a_script_has_no_prompt(void **state)
{
#define WORDS(text) text, sizeof(text)
	static const struct {
		const char *words;
		size_t len;
		bool script;
	} cases[] = {
		{ WORDS("bash"), false },
		{ WORDS("-bash"), false },
		{ WORDS("bash\0-i"), false },
		{ WORDS("bash\0--rcfile\0/x/rc\0-i"), false },
		{ WORDS("bash\0--norc\0-o\0vi"), false },
		{ WORDS("sh\0-s\0word"), false },
		{ WORDS("fish\0-C\0set x 1"), false },
		{ WORDS("/bin/busybox\0sh"), false },
		{ WORDS("bash\0-c\0read x"), true },
		{ WORDS("bash\0-ec\0read x"), true },
		{ WORDS("fish\0--command=read x"), true },
		{ WORDS("sh\0script"), true },
		{ WORDS("sh\0-e\0script\0-i"), true },
		{ WORDS("sh\0--\0script"), true },
		{ WORDS("busybox\0ash\0script"), true },
		{ "", 0, false },
		{ "cut", 3, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (shell_runs_script(cases[i].words, cases[i].len) !=
		    cases[i].script)
			fail_msg("case %zu: %s", i, cases[i].words);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    only_a_plain_interactive_shell_gets_integration),
		cmocka_unit_test(each_shell_gets_the_path_of_its_script),
		cmocka_unit_test(replaced_variables_are_restored),
		cmocka_unit_test(no_placeholder_remains_in_a_script),
		cmocka_unit_test(words_are_quoted_where_necessary),
		cmocka_unit_test(shells_are_recognised_by_their_program),
		cmocka_unit_test(a_shell_with_a_script_has_no_prompt),
	};

	return cmocka_run_group_tests_name("shell_integration", tests, NULL,
	    NULL);
}
