#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "mcp/speech.h"

static void
says(const char *text, const char *expected)
{
	struct buf b;
	char *got;

	buf_init(&b, 4096);
	speech_put(text, &b);
	got = buf_take(&b);
	assert_string_equal(got, expected);
	free(got);
}

static void
operations_are_named_as_tools(void **state)
{
	(void)state;
	says("session.wait: 'after' 9 is no event",
	    "session_wait: 'after' 9 is no event");
	says("session.send needs 'input'", "session_send needs 'input'");
	says("session.nonsense, session.", "session.nonsense, session.");
	says("cannot read /x/session.json", "cannot read /x/session.json");
}

static void
options_other_than_home_stay_unchanged(void **state)
{
	(void)state;
	says("give another home with --home or TEND_HOME",
	    "give another home with TEND_HOME in its environment");
	says("there is no session --help", "there is no session --help");
	says("--all of them", "--all of them");
	says("a--b, -- c and x --", "a--b, -- c and x --");
}

static void
commands_are_named_as_tools(void **state)
{
	(void)state;
	says("'tend ls -a' lists them", "session_list with 'all' lists them");
	says("'tend log a' and 'tend snapshot a' still show it",
	    "'session_output a' and 'session_snapshot a' still show it");
	says("'tend run COMMAND' starts one", "session_create starts one");
	says("tend rerun x; tend", "tend rerun x; tend");
	says("they intend ls", "they intend ls");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_are_named_as_tools),
		cmocka_unit_test(options_other_than_home_stay_unchanged),
		cmocka_unit_test(commands_are_named_as_tools),
	};

	return cmocka_run_group_tests_name("mcp_speech", tests, NULL, NULL);
}
