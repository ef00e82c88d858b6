#include "unit.h"

#include <string.h>

#include "vt/program_status.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool
parse(const char *body, struct program_status *out)
{
	return program_status_parse(body, strlen(body), out);
}

static void
a_report_of_each_kind_is_read(void **state)
{
	static const struct {
		const char *body;
		enum program_state state;
		enum program_kind kind;
		const char *app, *text;
	} cases[] = {
		{ "state=idle:app=claude-code", PROGRAM_IDLE, PROGRAM_NO_KIND,
		    "claude-code", "" },
		{ "state=working:app=codex", PROGRAM_WORKING, PROGRAM_NO_KIND,
		    "codex", "" },
		{ "state=blocked:app=claude-code:kind=permission:"
		  "msg=YXBwcm92ZSBwbGFu",
		    PROGRAM_BLOCKED, PROGRAM_PERMISSION, "claude-code",
		    "approve plan" },
		{ "state=blocked:kind=question:msg=YcK3Yg==", PROGRAM_BLOCKED,
		    PROGRAM_QUESTION, "", "a\u00b7b" },
		{ "state=blocked:kind=auth", PROGRAM_BLOCKED, PROGRAM_AUTH, "",
		    "" },
		{ "state=done:msg=", PROGRAM_DONE, PROGRAM_NO_KIND, "", "" },
		{ "state=error", PROGRAM_ERROR, PROGRAM_NO_KIND, "", "" },
		{ "state=clear:app=a:msg=eA==", PROGRAM_SILENT, PROGRAM_NO_KIND,
		    "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct program_status s;

		if (!parse(cases[i].body, &s))
			fail_msg("dropped: %s", cases[i].body);
		assert_int_equal(s.state, cases[i].state);
		assert_int_equal(s.kind, cases[i].kind);
		assert_string_equal(s.app, cases[i].app);
		assert_string_equal(s.text, cases[i].text);
	}
}

static void
an_error_drops_the_whole_report(void **state)
{
	static const char *const wrong[] = { "", "?", ":", "?:state=idle",
		"state", "state=", "state=none", "state=IDLE",
		"app=a:kind=permission", "State=idle", "state =idle",
		"state=idle:id=a", "id=:state=idle",
		"state=idle:msg=YQ=", "state=idle:msg=a",
		"state=idle:msg=/w==", "state=idle:msg=G1tt",
		"state=idle:msg=AA==", "state=idle:msg=wpw=",
		"state=idle:msg=4oA=",
		"state=idle:app=a23456789-123456789-123456789-123",
		"state=idle:a2345678901234567=1",
		"aaaaaaaaaaaaaaaaa:state=idle" };
	struct program_status s;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		if (parse(wrong[i], &s))
			fail_msg("taken: %s", wrong[i]);
}

static void
a_malformed_pair_is_skipped(void **state)
{
	static const char *const fine[] = {
		"state=idle:app=a:", ":state=idle::app=a",
		"x:state=idle:app=a:=:==:y=(z)", "state=idle:app=a:app=b/c",
		"state=idle:app=a:app=", "state=idle:app=a:A=b:state=done;",
		"state=idle:app=a:kind=b", "state=done:app=b:state=idle:app=a"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(fine); i++) {
		struct program_status s;

		if (!parse(fine[i], &s) || s.state != PROGRAM_IDLE ||
		    strcmp(s.app, "a") != 0)
			fail_msg("%s: %d %s", fine[i], (int)s.state, s.app);
	}
}

/* A body of len bytes that is read: an unknown key fills it up. */
static bool
takes_length(size_t len)
{
	char body[5000] = "state=idle:";
	struct program_status s;
	size_t at = strlen(body);

	memset(body + at, 'x', len - at);
	memcpy(body + at, "fill=", 5);
	return program_status_parse(body, len, &s);
}

static void
a_sequence_has_at_most_4096_bytes(void **state)
{
	(void)state;
	assert_true(takes_length(4096 - strlen("\033]7501;\033\\")));
	assert_false(takes_length(4096 - strlen("\033]7501;\033\\") + 1));
}

static void
two_statuses_are_the_same_when_nothing_differs(void **state)
{
	static const char *const bodies[] = { "state=blocked", "state=done",
		"state=blocked:app=a", "state=blocked:kind=auth",
		"state=blocked:msg=eA==", "state=clear" };

	(void)state;
	for (size_t i = 0; i < COUNT(bodies); i++)
		for (size_t k = 0; k < COUNT(bodies); k++) {
			struct program_status a, b;

			assert_true(parse(bodies[i], &a));
			assert_true(parse(bodies[k], &b));
			assert_int_equal(program_status_same(&a, &b), i == k);
		}
}

static void
an_absent_status_has_no_name(void **state)
{
	(void)state;
	assert_null(program_state_name(PROGRAM_SILENT));
	assert_null(program_kind_name(PROGRAM_NO_KIND));
	assert_string_equal(program_state_name(PROGRAM_BLOCKED), "blocked");
	assert_string_equal(program_kind_name(PROGRAM_AUTH), "auth");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_of_each_kind_is_read),
		cmocka_unit_test(an_error_drops_the_whole_report),
		cmocka_unit_test(a_malformed_pair_is_skipped),
		cmocka_unit_test(a_sequence_has_at_most_4096_bytes),
		cmocka_unit_test(
		    two_statuses_are_the_same_when_nothing_differs),
		cmocka_unit_test(an_absent_status_has_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
