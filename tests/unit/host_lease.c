#include "unit.h"

#include "host/serve/lease.h"

/* first come, first served. */
static void
the_first_client_to_type_gets_the_lease(void **state)
{
	struct lease l = { 0 };

	(void)state;
	assert_int_equal(lease_holder(&l, 0), 0);
	assert_int_equal(lease_take(&l, 1, 0, false, 0), LEASE_GAINED);
	assert_int_equal(lease_take(&l, 2, 0, false, 1), LEASE_DENIED);
	assert_int_equal(lease_take(&l, 1, 0, false, 2), LEASE_KEPT);
	assert_int_equal(lease_holder(&l, 3), 1);
}

static void
a_lease_can_be_stolen(void **state)
{
	struct lease l = { 0 };

	(void)state;
	lease_take(&l, 1, 0, false, 0);
	assert_int_equal(lease_take(&l, 2, 0, true, 1), LEASE_GAINED);
	assert_int_equal(lease_take(&l, 1, 0, false, 2), LEASE_DENIED);
	assert_int_equal(lease_holder(&l, 2), 2);
	assert_int_equal(lease_take(&l, 2, 0, true, 3), LEASE_KEPT);
}

static void
only_its_holder_can_give_a_lease_back(void **state)
{
	struct lease l = { 0 };

	(void)state;
	lease_take(&l, 1, 0, false, 0);
	assert_false(lease_release(&l, 2));
	assert_int_equal(lease_holder(&l, 1), 1);
	assert_true(lease_release(&l, 1));
	assert_false(lease_release(&l, 1));
	assert_int_equal(lease_take(&l, 2, 0, false, 1), LEASE_GAINED);
}

static void
idle_holders_lose_the_lease(void **state)
{
	struct lease l = { 0 };
	int64_t typed = 1000;

	(void)state;
	lease_take(&l, 1, 0, false, 0);
	lease_take(&l, 1, 0, false, typed);
	assert_int_equal(lease_holder(&l, typed + LEASE_IDLE_MS - 1), 1);
	assert_int_equal(lease_holder(&l, typed + LEASE_IDLE_MS), 0);
	assert_int_equal(lease_take(&l, 2, 0, false, typed + LEASE_IDLE_MS),
	    LEASE_GAINED);
	assert_int_equal(lease_take(&l, 1, 0, false, typed + LEASE_IDLE_MS),
	    LEASE_DENIED);
}

/*
 * A client that is away for a moment gets it back, and no other client does.
 */
static void
a_lease_is_reserved_for_a_lost_client(void **state)
{
	const uint64_t ann = 77, bob = 78;
	struct lease l = { 0 };
	int64_t lost = 1000, back = lost + LEASE_RETURN_MS - 1;

	(void)state;
	lease_take(&l, 1, ann, false, 0);
	assert_true(lease_lose(&l, 1, lost));
	assert_int_equal(lease_holder(&l, lost), 0);
	assert_int_equal(lease_take(&l, 2, bob, false, back), LEASE_DENIED);
	assert_int_equal(lease_take(&l, 3, 0, false, back), LEASE_DENIED);
	assert_true(lease_is_of(&l, ann, back));
	assert_false(lease_is_of(&l, bob, back));
	assert_int_equal(lease_take(&l, 4, ann, false, back), LEASE_GAINED);
	assert_int_equal(lease_holder(&l, back + LEASE_RETURN_MS), 4);
}

static void
a_reserved_lease_expires(void **state)
{
	const uint64_t ann = 77;
	struct lease l = { 0 };

	(void)state;
	lease_keep(&l, ann, 0);
	assert_int_equal(lease_take(&l, 1, 0, false, 0), LEASE_DENIED);
	assert_false(lease_is_of(&l, ann, LEASE_RETURN_MS));
	assert_int_equal(lease_take(&l, 1, 0, false, LEASE_RETURN_MS),
	    LEASE_GAINED);
	assert_int_equal(lease_take(&l, 2, ann, false, LEASE_RETURN_MS),
	    LEASE_DENIED);
}

/*
 * It is free after it was given back, after its timeout, or if the client is
 * unknown.
 */
static void
a_lease_is_reserved_only_for_its_holder(void **state)
{
	struct lease l = { 0 };

	(void)state;
	lease_take(&l, 1, 77, false, 0);
	lease_release(&l, 1);
	assert_false(lease_lose(&l, 1, 0));
	assert_int_equal(lease_take(&l, 2, 0, false, 0), LEASE_GAINED);
	assert_true(lease_lose(&l, 2, 0));
	assert_int_equal(lease_take(&l, 3, 77, false, 0), LEASE_GAINED);
	assert_true(lease_lose(&l, 3, LEASE_IDLE_MS));
	assert_int_equal(lease_take(&l, 4, 78, false, LEASE_IDLE_MS),
	    LEASE_GAINED);
}

static void
a_client_takes_the_lease_to_its_next_connection(void **state)
{
	struct lease l = { 0 };

	(void)state;
	lease_take(&l, 1, 77, false, 0);
	assert_int_equal(lease_take(&l, 2, 77, false, 1), LEASE_GAINED);
	assert_false(lease_lose(&l, 1, 2));
	assert_int_equal(lease_holder(&l, 3), 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_client_to_type_gets_the_lease),
		cmocka_unit_test(a_lease_can_be_stolen),
		cmocka_unit_test(only_its_holder_can_give_a_lease_back),
		cmocka_unit_test(idle_holders_lose_the_lease),
		cmocka_unit_test(a_lease_is_reserved_for_a_lost_client),
		cmocka_unit_test(a_reserved_lease_expires),
		cmocka_unit_test(a_lease_is_reserved_only_for_its_holder),
		cmocka_unit_test(
		    a_client_takes_the_lease_to_its_next_connection),
	};

	return cmocka_run_group_tests_name("host_lease", tests, NULL, NULL);
}
