#include "unit.h"

#include <string.h>

#include "log/by.h"

static void
is_read_as(const char *text, const char *principal, const char *verified,
    const char *peer)
{
	struct by by;

	by_parse(text, strlen(text), &by);
	assert_string_equal(by.principal, principal);
	assert_string_equal(by.verified, verified);
	assert_string_equal(by.peer, peer);
}

static void
a_text_gives_principal_and_peer(void **state)
{
	(void)state;
	is_read_as("uid:1000", "", "", "uid:1000");
	is_read_as("session:01J000000000000000000000A0", "", "",
	    "session:01J000000000000000000000A0");
	is_read_as("user:ann via uid:1000", "user:ann", "", "uid:1000");
	is_read_as("user:ann (token) via uid:0", "user:ann", "token", "uid:0");
}

static void
any_other_text_is_a_principal_without_a_peer(void **state)
{
	(void)state;
	is_read_as("", "", "", "");
	is_read_as("viewers", "viewers", "", "");
	is_read_as("a via b", "a via b", "", "");
	is_read_as("user:ann () via uid:0", "user:ann ()", "", "uid:0");
}

static void
a_text_that_is_too_long_is_cut(void **state)
{
	char text[400];
	struct by by;

	(void)state;
	memset(text, 'x', sizeof(text));
	by_parse(text, sizeof(text), &by);
	assert_int_equal(strlen(by.principal), BY_PRINCIPAL_SIZE - 1);
	memcpy(text, "uid:", 4);
	by_parse(text, sizeof(text), &by);
	assert_int_equal(strlen(by.peer), BY_PEER_SIZE - 1);
}

static void
the_longest_identity_is_read_back_unchanged(void **state)
{
	struct by by = { .peer = "session:01J000000000000000000000A0" }, again;
	char text[BY_SIZE];

	(void)state;
	memset(by.principal, 'p', BY_PRINCIPAL_SIZE - 1);
	memset(by.verified, 'v', BY_VERIFIED_SIZE - 1);
	by_format(&by, text);
	by_parse(text, strlen(text), &again);
	assert_string_equal(again.principal, by.principal);
	assert_string_equal(again.verified, by.verified);
	assert_string_equal(again.peer, by.peer);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_gives_principal_and_peer),
		cmocka_unit_test(any_other_text_is_a_principal_without_a_peer),
		cmocka_unit_test(a_text_that_is_too_long_is_cut),
		cmocka_unit_test(the_longest_identity_is_read_back_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
