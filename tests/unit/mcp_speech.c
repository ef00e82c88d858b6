#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "mcp/speech.h"
#include "mcp/tool.h"

static void
says(const char *tool, const char *text, const char *expected)
{
	struct buf b;
	char *got;

	buf_init(&b, 4096);
	speech_put(tool_find(tool), text, &b);
	got = buf_take(&b);
	assert_string_equal(got, expected);
	free(got);
}

static void
operations_are_tools(void **state)
{
	(void)state;
	says("session_wait", "session.wait: 'after' 9 is no event",
	    "session_wait: 'after' 9 is no event");
	says("session_send", "session.send needs 'input'",
	    "session_send needs 'input'");
	says("session_send", "session.nonsense, session.",
	    "session.nonsense, session.");
	says("session_send", "cannot read /x/session.json",
	    "cannot read /x/session.json");
}

static void
options_are_arguments(void **state)
{
	(void)state;
	says("session_batch", "--keep-going and --steps",
	    "'keep_going' and 'steps'");
	says("session_create", "--label a=b: --size 1x1",
	    "'labels' a=b: 'cols' and 'rows' 1x1");
	says("session_stop", "--grace 2d: a day", "'grace' 2d: a day");
	says("session_create", "give another home with --home or TEND_HOME",
	    "give another home with TEND_HOME in its environment");
	says("session_get", "there is no session --help",
	    "there is no session --help");
	says("session_create", "a--b, -- c and x --", "a--b, -- c and x --");
}

static void
commands_are_tools(void **state)
{
	(void)state;
	says("session_get", "'tend ls -a' lists them",
	    "session_list with 'all' lists them");
	says("session_get", "'tend log a' and 'tend snapshot a' still show it",
	    "'session_output a' and 'session_snapshot a' still show it");
	says("session_get", "'tend run COMMAND' starts one",
	    "session_create starts one");
	says("session_get", "tend rerun x; tend", "tend rerun x; tend");
	says("session_get", "they intend ls", "they intend ls");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_are_tools),
		cmocka_unit_test(options_are_arguments),
		cmocka_unit_test(commands_are_tools),
	};

	return cmocka_run_group_tests_name("mcp_speech", tests, NULL, NULL);
}
