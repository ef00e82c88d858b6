#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "session/confinement.h"
#include "session/manifest.h"

#define A "01J000000000000000000000A0"
#define B "01J000000000000000000000B0"
#define C "01J000000000000000000000C0"

static struct confinement
reads(const char *p, size_t len)
{
	struct confinement c;

	confinement_read(&c, p, len);
	return c;
}

/* A command line; each word ends with a NUL. */
#define READS(words) reads(words, sizeof(words))

static void
the_words_of_a_confinement_are_read_back_unchanged(void **state)
{
	static const char *const may[] = { "drive:team/*", "observe:**" };
	static const char *const creators[] = { B, C };
	struct confinement c, again;
	struct manifest m;
	struct buf b;
	char **words;

	(void)state;
	manifest_init(&m);
	memcpy(m.id, A, sizeof(m.id));
	m.confined = true;
	manifest_set_list(&m.may, may, 2);
	manifest_set_list(&m.created_by, creators, 2);
	confinement_of(&c, &m, 7, UINT64_MAX);
	words = confinement_words(&c);
	buf_init(&b, CONFINEMENT_BYTES_MAX);
	for (char **w = words; *w != NULL; w++)
		buf_append(&b, *w, strlen(*w) + 1);
	buf_append(&b, "--", 3);
	confinement_read(&again, (char *)b.data, b.len);
	assert_memory_equal(&again, &c, sizeof(c));
	buf_finish(&b);
	free(words);
	manifest_finish(&m);
}

static void
the_largest_confinement_fits_its_limits(void **state)
{
	struct confinement c = { .id = A,
		.confined = true,
		.home_dev = UINT64_MAX,
		.home_ino = UINT64_MAX,
		.n_creators = CONFINEMENT_CREATORS_MAX,
		.n_grants = GRANTS_MAX };
	size_t n = 0, bytes = 0;
	char **words;

	(void)state;
	for (size_t i = 0; i < c.n_creators; i++)
		memcpy(c.creators[i], B, ID_SIZE);
	for (size_t i = 0; i < c.n_grants; i++) {
		c.grants[i].permission = OP_OBSERVE;
		memset(c.grants[i].glob, 'g', GRANT_GLOB_SIZE - 1);
	}
	words = confinement_words(&c);
	for (; words[n] != NULL; n++)
		bytes += strlen(words[n]) + 1;
	assert_int_equal(n, CONFINEMENT_WORDS_MAX);
	assert_true(bytes < CONFINEMENT_BYTES_MAX);
	free(words);
}

static void
a_keeper_without_confinement_words_confines_nothing(void **state)
{
	struct confinement c = READS("tend-keeper\0"
				     "80\0"
				     "24\0"
				     "--\0"
				     "confined");

	(void)state;
	assert_false(c.confined);
	assert_string_equal(c.id, "");
}

static void
a_damaged_command_line_confines_without_a_grant(void **state)
{
	const struct confinement lines[] = {
		READS("session=" A "\0may=admin:*\0--"),
		READS("session=x\0--"),
		READS("session=" A "\0home=1:\0--"),
		READS("session=" A "\0confined\0may=drive:*"),
		reads(NULL, 0),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_true(lines[i].confined);
		assert_int_equal(lines[i].n_grants, 0);
	}
}

static void
a_session_may_use_those_it_created_and_those_granted(void **state)
{
	struct confinement own = READS("session=" A "\0home=1:2\0confined\0"
				       "may=observe:team/*\0--");
	struct confinement child = READS(
	    "session=" C "\0home=1:2\0by=" B "\0by=" A "\0--");
	struct confinement other = READS("session=" C "\0home=1:2\0--");
	struct confinement far = READS("session=" C "\0home=1:3\0--");

	(void)state;
	assert_true(confinement_allows(&own, &child, "x", OP_OBSERVE));
	assert_true(confinement_allows(&own, &child, "x", OP_DRIVE));
	assert_true(confinement_allows(&own, &child, "x", OP_CONTROL));
	assert_false(confinement_allows(&own, &child, "x", OP_APPROVE));
	assert_false(confinement_allows(&own, &child, "x", OP_ADMIN));
	assert_false(confinement_allows(&own, &other, "x", OP_OBSERVE));
	assert_true(confinement_allows(&own, &other, "team/x", OP_OBSERVE));
	assert_false(confinement_allows(&own, &other, "team/x", OP_DRIVE));
	assert_false(confinement_allows(&own, &far, "team/x", OP_OBSERVE));
	assert_false(confinement_allows(&own, &own, "me", OP_DRIVE));
	own.confined = false;
	assert_true(confinement_allows(&own, &other, "x", OP_ADMIN));
}

static void
a_session_without_an_id_has_created_nothing(void **state)
{
	struct confinement own = READS("confined\0--");
	struct confinement other = READS("session=" C "\0--");

	(void)state;
	assert_false(confinement_allows(&own, &other, "x", OP_OBSERVE));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    the_words_of_a_confinement_are_read_back_unchanged),
		cmocka_unit_test(the_largest_confinement_fits_its_limits),
		cmocka_unit_test(
		    a_keeper_without_confinement_words_confines_nothing),
		cmocka_unit_test(
		    a_damaged_command_line_confines_without_a_grant),
		cmocka_unit_test(
		    a_session_may_use_those_it_created_and_those_granted),
		cmocka_unit_test(a_session_without_an_id_has_created_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
