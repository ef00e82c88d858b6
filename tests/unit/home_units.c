#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "home/units.h"

static uint64_t
duration(const char *s)
{
	struct error err = { 0 };
	uint64_t ns = 0;

	if (units_duration(s, &ns, &err) < 0)
		fail_msg("%s: %s", s, err.msg);
	return ns;
}

static void
units_read_durations(void **state)
{
	(void)state;
	assert_int_equal(duration("500ms"), 500000000);
	assert_int_equal(duration("500"), 500000000);
	assert_int_equal(duration("0"), 0);
	assert_int_equal(duration("0s"), 0);
	assert_int_equal(duration("12.5s"), 12500000000);
	assert_int_equal(duration("1.5m"), 90000000000);
	assert_int_equal(duration("0.000000001h"), 3600);
	assert_int_equal(duration("2h"), 7200000000000);
	assert_int_equal(duration("30d"), 2592000000000000);
	assert_int_equal(duration("0.1234567891s"), 123456789);
}

static void
units_refuse_an_invalid_duration(void **state)
{
	static const char *const wrong[] = { "", "5.5", "s", "-5s", "5 s", "5S",
		".5s", "5.s", "5sec", "5s ", "1e3s", "0x5s", "5w",
		"99999999999999999999s", "9999999999999h", "300000000h" };
	struct error err;
	uint64_t ns = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (units_duration(wrong[i], &ns, &err) != -EINVAL)
			fail_msg("%s was taken as %lu ns", wrong[i],
			    (unsigned long)ns);
		assert_int_equal(ns, 7);
		assert_non_null(strstr(err.msg, "500ms, 5s, 2m, 1h or 7d"));
	}
}

static void
units_may_be_required(void **state)
{
	struct error err;
	uint64_t ns = 7;

	(void)state;
	assert_int_equal(units_duration_with_unit("5s", &ns, &err), 0);
	assert_int_equal(ns, 5000000000);
	assert_int_equal(units_duration_with_unit("7", &ns, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "has no unit: give one"));
	assert_int_equal(units_duration_with_unit("", &ns, &err), -EINVAL);
}

static uint64_t
size(const char *s)
{
	struct error err = { 0 };
	uint64_t n = 0;

	if (units_size(s, &n, &err) < 0)
		fail_msg("%s: %s", s, err.msg);
	return n;
}

static void
units_read_sizes(void **state)
{
	(void)state;
	assert_int_equal(size("0"), 0);
	assert_int_equal(size("4096"), 4096);
	assert_int_equal(size("4096B"), 4096);
	assert_int_equal(size("64K"), 64 << 10);
	assert_int_equal(size("64k"), 64 << 10);
	assert_int_equal(size("64KiB"), 64 << 10);
	assert_int_equal(size("256M"), 256 << 20);
	assert_int_equal(size("5G"), 5ULL << 30);
	assert_int_equal(size("1TB"), 1ULL << 40);
}

static void
an_amount_has_a_unit_or_is_zero(void **state)
{
	struct error err;
	uint64_t n = 7;

	(void)state;
	assert_int_equal(units_amount("1", &n, &err), -EINVAL);
	assert_string_equal(err.msg,
	    "1 has no unit: give one, as in 64K, 256M or 5G");
	assert_int_equal(n, 7);
	assert_int_equal(units_amount("0", &n, &err), 0);
	assert_int_equal(n, 0);
	assert_int_equal(units_amount("1M", &n, &err), 0);
	assert_int_equal(n, 1 << 20);
	assert_int_equal(units_amount("1B", &n, &err), 0);
	assert_int_equal(n, 1);
	assert_int_equal(units_amount("much", &n, &err), -EINVAL);
}

static void
units_refuse_an_invalid_size(void **state)
{
	static const char *const wrong[] = { "", "K", "-1", "1.5G", "5X", "5KK",
		"5 K", "0x10", "99999999999999999999", "9999999999T" };
	struct error err;
	uint64_t n = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (units_size(wrong[i], &n, &err) != -EINVAL)
			fail_msg("%s was taken as %lu", wrong[i],
			    (unsigned long)n);
		assert_int_equal(n, 7);
		assert_non_null(strstr(err.msg, "64K, 256M or 5G"));
	}
}

static void
units_limit_the_size_of_a_screen(void **state)
{
	static const char *const wrong[] = { "0x0", "80x0", "0x24", "1x1",
		"100000x100000", "2001x1", "1x2001", "2000x2000", "80", "80x",
		"x24", "80x24x", "80*24", "-80x24", " 80x24",
		"99999999999999999999999x1" };
	unsigned cols = 1, rows = 1;
	struct error err;

	(void)state;
	assert_int_equal(units_dims("80x24", &cols, &rows, &err), 0);
	assert_int_equal(cols, 80);
	assert_int_equal(rows, 24);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (units_dims(wrong[i], &cols, &rows, &err) != -EINVAL)
			fail_msg("%s was taken as %ux%u", wrong[i], cols, rows);
		assert_non_null(strstr(err.msg, "give COLSxROWS"));
	}
	assert_int_equal(cols, 80);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_read_durations),
		cmocka_unit_test(units_refuse_an_invalid_duration),
		cmocka_unit_test(units_may_be_required),
		cmocka_unit_test(units_read_sizes),
		cmocka_unit_test(an_amount_has_a_unit_or_is_zero),
		cmocka_unit_test(units_refuse_an_invalid_size),
		cmocka_unit_test(units_limit_the_size_of_a_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
