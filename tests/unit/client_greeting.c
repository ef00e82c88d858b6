#include <string.h>

#include "unit.h"

#include "client/greeting.h"

static void
says(const char *name, bool view_only, unsigned cols, const char *want)
{
	char got[GREETING_MAX];

	greeting_text(&(struct greeting){ name, "C-]", "d", "?", view_only },
	    cols, got);
	assert_string_equal(got, want);
}

static void
the_greeting_shows_the_name_and_the_keys(void **state)
{
	(void)state;
	says("mk", false, 80, " mk · C-] d detaches · C-] ? help");
	says("mk", true, 80, " mk · view only · C-] d detaches · C-] ? help");
}

static void
the_greeting_shows_configured_keys(void **state)
{
	char got[GREETING_MAX];

	(void)state;
	greeting_text(&(struct greeting){ "mk", "C-a", "C-d", "F1", false }, 80,
	    got);
	assert_string_equal(got, " mk · C-a C-d detaches · C-a F1 help");
}

static void
in_a_narrow_terminal_the_last_parts_are_left_out(void **state)
{
	(void)state;
	says("mk", false, 40, " mk · C-] d detaches · C-] ? help");
	says("mk", true, 40, " mk · view only · C-] d detaches");
	says("mk", false, 20, " mk · C-] d detaches");
	says("mk", true, 20, " mk · view only");
	says("mk", true, 4, " mk");
}

static void
a_long_name_is_cut_between_characters(void **state)
{
	(void)state;
	says("a-very-long-name-of-a-session", false, 40,
	    " a-very-l… · C-] d detaches · C-] ? help");
	says("ääääääääääääääää", false, 40,
	    " ääääääää… · C-] d detaches · C-] ? help");
	says("mk", false, 2, " …");
	says("mk", false, 1, " ");
}

/* No terminal is too narrow, and no name too long for the buffer. */
static void
the_greeting_fits_any_terminal(void **state)
{
	char name[256], got[GREETING_MAX];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (unsigned cols = 1; cols < 100; cols++) {
		unsigned n = 0;

		greeting_text(&(struct greeting){ name, "C-]", "d", "?",
				  cols % 2 },
		    cols, got);
		for (const char *p = got; *p != '\0'; p++)
			n += ((unsigned char)*p & 0xc0) != 0x80;
		assert_true(n <= cols);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_greeting_shows_the_name_and_the_keys),
		cmocka_unit_test(the_greeting_shows_configured_keys),
		cmocka_unit_test(
		    in_a_narrow_terminal_the_last_parts_are_left_out),
		cmocka_unit_test(a_long_name_is_cut_between_characters),
		cmocka_unit_test(the_greeting_fits_any_terminal),
	};

	return cmocka_run_group_tests_name("client_greeting", tests, NULL,
	    NULL);
}
