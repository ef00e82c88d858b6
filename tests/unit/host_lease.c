#include "unit.h"

#include "host/lease.h"

/* first come, first served. */
static void
the_first_who_types_has_it(void **state)
{
	struct lease l = { 0 };

	(void)state;
	assert_int_equal(lease_holder(&l, 0), 0);
	assert_int_equal(lease_take(&l, 1, false, 0), LEASE_GAINED);
	assert_int_equal(lease_take(&l, 2, false, 1), LEASE_DENIED);
	assert_int_equal(lease_take(&l, 1, false, 2), LEASE_KEPT);
	assert_int_equal(lease_holder(&l, 3), 1);
}

static void
it_can_be_stolen(void **state)
{
	struct lease l = { 0 };

	(void)state;
	lease_take(&l, 1, false, 0);
	assert_int_equal(lease_take(&l, 2, true, 1), LEASE_GAINED);
	assert_int_equal(lease_take(&l, 1, false, 2), LEASE_DENIED);
	assert_int_equal(lease_holder(&l, 2), 2);
	assert_int_equal(lease_take(&l, 2, true, 3), LEASE_KEPT);
}

static void
only_its_holder_gives_it_back(void **state)
{
	struct lease l = { 0 };

	(void)state;
	lease_take(&l, 1, false, 0);
	assert_false(lease_release(&l, 2));
	assert_int_equal(lease_holder(&l, 1), 1);
	assert_true(lease_release(&l, 1));
	assert_false(lease_release(&l, 1));
	assert_int_equal(lease_take(&l, 2, false, 1), LEASE_GAINED);
}

static void
idle_holders_lose_it(void **state)
{
	struct lease l = { 0 };
	int64_t typed = 1000;

	(void)state;
	lease_take(&l, 1, false, 0);
	lease_take(&l, 1, false, typed);
	assert_int_equal(lease_holder(&l, typed + LEASE_IDLE_MS - 1), 1);
	assert_int_equal(lease_holder(&l, typed + LEASE_IDLE_MS), 0);
	assert_int_equal(lease_take(&l, 2, false, typed + LEASE_IDLE_MS),
	    LEASE_GAINED);
	assert_int_equal(lease_take(&l, 1, false, typed + LEASE_IDLE_MS),
	    LEASE_DENIED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_who_types_has_it),
		cmocka_unit_test(it_can_be_stolen),
		cmocka_unit_test(only_its_holder_gives_it_back),
		cmocka_unit_test(idle_holders_lose_it),
	};

	return cmocka_run_group_tests_name("host_lease", tests, NULL, NULL);
}
