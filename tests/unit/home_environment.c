#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "home/environment.h"

/* The value of a key in the environment; NULL: none. */
static const char *
look_up(char *const *env, const char *key)
{
	size_t len = strlen(key);
	const char *found = NULL;

	for (; *env != NULL; env++)
		if (strncmp(*env, key, len) == 0 && (*env)[len] == '=') {
			assert_null(found);
			found = *env + len + 1;
		}
	return found;
}

static void
environment_is_the_callers_except_for_the_terminal(void **state)
{
	char path[] = "PATH=/bin", term[] = "TERM=dumb", tmux[] = "TMUX=/x,1,0";
	char lines[] = "LINES=50", linesx[] = "LINES_X=1";
	char *from[] = { path, term, tmux, lines, linesx, NULL };
	struct error err;
	char **env = environment_create(from, NULL, &err);

	(void)state;
	assert_non_null(env);
	assert_string_equal(look_up(env, "PATH"), "/bin");
	assert_string_equal(look_up(env, "TERM"), "xterm-256color");
	assert_string_equal(look_up(env, "COLORTERM"), "truecolor");
	assert_string_equal(look_up(env, "TERM_PROGRAM"), "tend");
	assert_string_equal(look_up(env, "LINES_X"), "1");
	assert_null(look_up(env, "TMUX"));
	assert_null(look_up(env, "LINES"));
	mem_free_list(env);
}

static void
environment_takes_settings_last(void **state)
{
	const char *const settings[] = { "TERM=vt100", "A=", "B=1=2", "B=3",
		"TMUX=mine", NULL };
	char *from[] = { NULL };
	struct error err;
	char **env = environment_create(from, settings, &err);

	(void)state;
	assert_non_null(env);
	assert_string_equal(look_up(env, "TERM"), "vt100");
	assert_string_equal(look_up(env, "A"), "");
	assert_string_equal(look_up(env, "B"), "3");
	assert_string_equal(look_up(env, "TMUX"), "mine");
	mem_free_list(env);
}

static void
environment_refuses_an_invalid_setting(void **state)
{
	static const char *const wrong[] = { "", "A", "=1", "=" };
	char *from[] = { NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const char *const settings[] = { wrong[i], NULL };
		struct error err;

		assert_null(environment_create(from, settings, &err));
		assert_non_null(strstr(err.msg, "give KEY=VALUE"));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    environment_is_the_callers_except_for_the_terminal),
		cmocka_unit_test(environment_takes_settings_last),
		cmocka_unit_test(environment_refuses_an_invalid_setting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
