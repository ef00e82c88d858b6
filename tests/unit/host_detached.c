#include "unit.h"

#include "host/serve/detached.h"

static void
a_detached_client_is_recognised_by_its_number(void **state)
{
	struct detached d = { 0 };

	(void)state;
	assert_null(detached_by(&d, 7));
	detached_add(&d, 7, "uid:1000");
	assert_string_equal(detached_by(&d, 7), "uid:1000");
	assert_null(detached_by(&d, 8));
	detached_finish(&d);
}

static void
a_client_without_a_number_is_not_remembered(void **state)
{
	struct detached d = { 0 };

	(void)state;
	detached_add(&d, 0, "uid:1000");
	assert_null(detached_by(&d, 0));
	assert_int_equal(d.n, 0);
	detached_finish(&d);
}

static void
at_the_limit_the_oldest_is_forgotten(void **state)
{
	struct detached d = { 0 };

	(void)state;
	for (uint64_t who = 1; who <= DETACHED_MAX + 1; who++)
		detached_add(&d, who, "uid:0");
	assert_null(detached_by(&d, 1));
	assert_string_equal(detached_by(&d, 2), "uid:0");
	assert_string_equal(detached_by(&d, DETACHED_MAX + 1), "uid:0");
	detached_finish(&d);
}

static void
a_client_that_returns_often_takes_one_place(void **state)
{
	struct detached d = { 0 };

	(void)state;
	for (int i = 0; i < 2 * DETACHED_MAX; i++)
		detached_add(&d, 7, "uid:0");
	assert_int_equal(d.n, 1);
	detached_finish(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_detached_client_is_recognised_by_its_number),
		cmocka_unit_test(a_client_without_a_number_is_not_remembered),
		cmocka_unit_test(at_the_limit_the_oldest_is_forgotten),
		cmocka_unit_test(a_client_that_returns_often_takes_one_place),
	};

	return cmocka_run_group_tests_name("host_detached", tests, NULL, NULL);
}
