#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "op/type.h"
#include "session/manifest.h"

#define EVERY(s) \
	enum status s = STATUS_STARTING; \
	s <= STATUS_DESTROYED; \
	s++

/* K-04: the rows of the truth table, and `starting`. */
static void
every_status_has_the_properties_of_k04(void **state)
{
	static const struct {
		enum status s;
		const char *name, *bits; /* active .. collectable */
	} rows[] = {
		{ STATUS_STARTING, "starting", "a-l-" },
		{ STATUS_RUNNING, "running", "a-l-" },
		{ STATUS_EXITING, "exiting", "a-l-" },
		{ STATUS_EXITED, "exited", "-t-g" },
		{ STATUS_FAILED, "failed", "-t-g" },
		{ STATUS_DESTROYING, "destroying", "a---" },
		{ STATUS_DESTROYED, "destroyed", "-t-g" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum status s = rows[i].s;
		char bits[] = {
			status_is_active(s) ? 'a' : '-',
			status_is_terminal(s) ? 't' : '-',
			status_has_live_host(s) ? 'l' : '-',
			status_is_collectable(s) ? 'g' : '-',
			'\0',
		};

		assert_string_equal(status_name(s), rows[i].name);
		assert_string_equal(bits, rows[i].bits);
	}
}

/* K-04's invariants, K-18: the states that each question covers. */
static void
the_invariants_hold_for_every_status(void **state)
{
	(void)state;
	for (EVERY(s)) {
		assert_int_not_equal(status_is_active(s),
		    status_is_terminal(s));
		assert_true(!status_is_collectable(s) || status_is_terminal(s));
		assert_true(!status_has_live_host(s) || status_is_active(s));
	}
	assert_true(status_is_active(STATUS_DESTROYING) &&
	    !status_has_live_host(STATUS_DESTROYING));
	assert_false(status_is_collectable(STATUS_DESTROYING));
}

static void
policies_are_read_by_their_names(void **state)
{
	enum input_policy input;
	enum size_policy size;
	enum log_input log;
	struct error err;

	(void)state;
	assert_int_equal(input_policy_parse("lease", &input, &err), 0);
	assert_int_equal(input, INPUT_POLICY_LEASE);
	assert_string_equal(input_policy_name(input), "lease");
	assert_int_equal(size_policy_parse("fixed", &size, &err), 0);
	assert_int_equal(size, SIZE_FIXED);
	assert_string_equal(size_policy_name(SIZE_SMALLEST), "smallest");
	assert_int_equal(log_input_parse("lengths", &log, &err), 0);
	assert_int_equal(log, LOG_INPUT_LENGTHS);
	assert_string_equal(log_input_name(LOG_INPUT_NONE), "none");
	assert_int_equal(size_policy_parse("big", &size, &err), -EINVAL);
	assert_string_equal(err.msg,
	    "the size policy must be smallest, latest, largest or fixed");
	assert_int_equal(input_policy_parse("", &input, &err), -EINVAL);
	assert_int_equal(log_input_parse("ALL", &log, &err), -EINVAL);
	assert_null(outcome_name(OUTCOME_NONE));
	assert_string_equal(outcome_name(OUTCOME_LOST), "lost");
}

/* The choice has exactly these words; src/op cannot include src/session. */
static void
expect_words(const char *choice, const char *const *names, size_t n)
{
	const struct type *t = type_find(choice);
	char word[TYPE_NAME_SIZE];
	size_t words = 0;
	const char *at;

	assert_non_null(t);
	at = t->body;
	while (type_next_word(t->body, &at, word, sizeof(word))) {
		bool found = false;

		words++;
		for (size_t i = 0; i < n; i++)
			found |= names[i] != NULL &&
			    strcmp(names[i], word) == 0;
		if (!found)
			fail_msg("%s: %s", choice, word);
	}
	assert_int_equal(words, n);
}

static void
the_declared_words_equal_the_names_in_the_code(void **state)
{
	const char *statuses[STATUS_COUNT], *outcomes[OUTCOME_COUNT - 1];

	(void)state;
	for (unsigned i = 0; i < STATUS_COUNT; i++)
		statuses[i] = status_name(i);
	for (unsigned i = 1; i < OUTCOME_COUNT; i++)
		outcomes[i - 1] = outcome_name(i);
	expect_words("status", statuses, STATUS_COUNT);
	expect_words("outcome", outcomes, OUTCOME_COUNT - 1);
	expect_words("input_policy", input_policy_names, INPUT_POLICY_COUNT);
	expect_words("size_policy", size_policy_names, SIZE_COUNT);
	expect_words("log_input", log_input_names, LOG_INPUT_COUNT);
	expect_words("restart_policy", restart_policy_names, RESTART_COUNT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    the_declared_words_equal_the_names_in_the_code),
		cmocka_unit_test(every_status_has_the_properties_of_k04),
		cmocka_unit_test(the_invariants_hold_for_every_status),
		cmocka_unit_test(policies_are_read_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
