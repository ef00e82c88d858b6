#include "unit.h"

#include <string.h>

#include "op/type.h"
#include "session/manifest.h"
#include "session/status.h"

/* The choice has exactly these words; op cannot include session/status.h. */
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
declared_words_are_those_of_a_session(void **state)
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
		cmocka_unit_test(declared_words_are_those_of_a_session),
	};

	return cmocka_run_group_tests_name("session_names", tests, NULL, NULL);
}
