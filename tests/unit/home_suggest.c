#include "unit.h"

#include <string.h>

#include "home/suggest.h"

static const char *
nearest(struct suggest *n, const char *word, const char *const *candidates)
{
	suggest_init(n, word);
	for (; *candidates != NULL; candidates++)
		suggest_look(n, *candidates);
	return n->best;
}

static const char *const commands[] = { "run", "ls", "attach", "snapshot",
	"render", "version", "destroy", NULL };

static void
one_mistake_is_near_to_a_short_word(void **state)
{
	struct suggest n;

	(void)state;
	assert_string_equal(nearest(&n, "sl", commands), "ls");
	assert_string_equal(nearest(&n, "rnu", commands), "run");
	assert_string_equal(nearest(&n, "runn", commands), "run");
	assert_string_equal(nearest(&n, "dstroy", commands), "destroy");
	assert_string_equal(nearest(&n, "Version", commands), "version");
	assert_string_equal(nearest(&n, "rneder", commands), "render");
}

static void
a_long_word_may_have_more_mistakes(void **state)
{
	struct suggest n;

	(void)state;
	assert_string_equal(nearest(&n, "snpashto", commands), "snapshot");
	assert_string_equal(nearest(&n, "snap", commands), "snapshot");
}

static void
a_distant_word_is_not_suggested(void **state)
{
	static const char *const far[] = { "x", "", "q", "cow", "frob", "purge",
		"frobnicate", "lstt", NULL };
	struct suggest n;

	(void)state;
	for (const char *const *word = far; *word != NULL; word++)
		assert_string_equal(nearest(&n, *word, commands), "");
}

static void
a_word_beyond_the_limit_gets_no_suggestion(void **state)
{
	char word[NEAR_WORD_MAX + 2];
	const char *const candidates[] = { word, NULL };
	struct suggest n;

	(void)state;
	memset(word, 'x', sizeof(word));
	word[NEAR_WORD_MAX + 1] = '\0';
	assert_string_equal(nearest(&n, word, candidates), "");
	word[NEAR_WORD_MAX] = '\0';
	assert_string_equal(nearest(&n, word, candidates), word);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_mistake_is_near_to_a_short_word),
		cmocka_unit_test(a_long_word_may_have_more_mistakes),
		cmocka_unit_test(a_distant_word_is_not_suggested),
		cmocka_unit_test(a_word_beyond_the_limit_gets_no_suggestion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
