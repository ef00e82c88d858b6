#include "unit.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/id.h"

#define SOME_MS 1469918176385 /* 01ARYZ6S41 in the ULID specification */

static void
id_create_makes_valid_ids_of_now(void **state)
{
	struct id_maker m = { 0 };
	char id[ID_SIZE];
	uint64_t before, after;

	(void)state;
	before = (uint64_t)time(NULL) * 1000;
	id_create(&m, id);
	after = (uint64_t)time(NULL) * 1000 + 999;
	assert_int_equal(strlen(id), ID_SIZE - 1);
	assert_true(id_is_valid(id));
	assert_in_range(id_time_ms(id), before, after);
}

static void
id_begins_with_its_time_as_the_specification_writes_it(void **state)
{
	struct id_maker m = { 0 };
	char id[ID_SIZE];

	(void)state;
	id_create_at(&m, SOME_MS, id);
	assert_memory_equal(id, "01ARYZ6S41", 10);
	assert_int_equal(id_time_ms(id), SOME_MS);
	id_create_at(&m, (1ull << 48) - 1, id);
	assert_memory_equal(id, "7ZZZZZZZZZ", 10);
	assert_int_equal(id_time_ms(id), (1ull << 48) - 1);
}

static void
ids_of_one_maker_only_grow_even_when_the_clock_goes_back(void **state)
{
	struct id_maker m = { 0 };
	char last[ID_SIZE], id[ID_SIZE];

	(void)state;
	id_create_at(&m, SOME_MS, last);
	for (uint64_t i = 0; i < 10000; i++) {
		id_create_at(&m, SOME_MS - i % 7 + i / 1000, id);
		if (strcmp(last, id) >= 0)
			print_error("%s is not after %s\n", id, last);
		assert_true(strcmp(last, id) < 0);
		assert_true(id_is_valid(id));
		memcpy(last, id, sizeof(last));
	}
}

static void
id_takes_the_next_millisecond_when_its_random_part_is_full(void **state)
{
	struct id_maker m = { .time_ms = SOME_MS };
	char last[ID_SIZE], id[ID_SIZE];

	(void)state;
	memset(m.chance, 0xFF, sizeof(m.chance));
	m.chance[9] = 0xFE;
	id_create_at(&m, SOME_MS, last);
	assert_string_equal(last, "01ARYZ6S41ZZZZZZZZZZZZZZZZ");
	id_create_at(&m, SOME_MS, id);
	assert_string_equal(id, "01ARYZ6S420000000000000000");
}

static void
ids_of_two_makers_differ(void **state)
{
	struct id_maker a = { 0 }, b = { 0 };
	char x[ID_SIZE], y[ID_SIZE];

	(void)state;
	id_create_at(&a, SOME_MS, x);
	id_create_at(&b, SOME_MS, y);
	assert_string_not_equal(x, y);
}

static void
id_parse_accepts_lower_case_and_similar_letters(void **state)
{
	char id[ID_SIZE];

	(void)state;
	assert_int_equal(id_parse("01aryz6s41tsv4rrffq69g5fav", id), 0);
	assert_string_equal(id, "01ARYZ6S41TSV4RRFFQ69G5FAV");
	assert_int_equal(id_parse("olARYZ6S4iTSV4RRFFQ69G5FAV", id), 0);
	assert_string_equal(id, "01ARYZ6S41TSV4RRFFQ69G5FAV");
	assert_int_equal(id_parse(id, id), 0);
	assert_string_equal(id, "01ARYZ6S41TSV4RRFFQ69G5FAV");
}

static void
id_parse_refuses_an_invalid_id(void **state)
{
	const char *const bad[] = {
		"",
		"01ARYZ6S41TSV4RRFFQ69G5FA",
		"01ARYZ6S41TSV4RRFFQ69G5FAVV",
		"01ARYZ6S41TSV4RRFFQ69G5FAU",
		"01ARYZ6S41TSV4RRFFQ69G5FA ",
		"01ARYZ6S41TSV4RRFFQ69G5F/.",
		"81ARYZ6S41TSV4RRFFQ69G5FAV",
	};
	char id[ID_SIZE] = "untouched";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_false(id_is_valid(bad[i]));
		assert_int_equal(id_parse(bad[i], id), -EINVAL);
		assert_string_equal(id, "untouched");
	}
	assert_false(id_is_valid("01aryz6s41tsv4rrffq69g5fav"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(id_create_makes_valid_ids_of_now),
		cmocka_unit_test(
		    id_begins_with_its_time_as_the_specification_writes_it),
		cmocka_unit_test(
		    ids_of_one_maker_only_grow_even_when_the_clock_goes_back),
		cmocka_unit_test(
		    id_takes_the_next_millisecond_when_its_random_part_is_full),
		cmocka_unit_test(ids_of_two_makers_differ),
		cmocka_unit_test(
		    id_parse_accepts_lower_case_and_similar_letters),
		cmocka_unit_test(id_parse_refuses_an_invalid_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
