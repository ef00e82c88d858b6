#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "hub/metrics.h"
#include "hub/request_counts.h"

static void
texts_are_escaped(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	metrics_put_family(&b, METRICS_COUNTER, "a_bytes", "bytes", "b\n\\");
	metrics_put_sample(&b, METRICS_COUNTER, "a_bytes", "l", "x\"y\n", 3);
	(void)buf_putc(&b, '\0');
	assert_string_equal((const char *)b.data,
	    "# TYPE a_bytes counter\n# UNIT a_bytes bytes\n"
	    "# HELP a_bytes b\\n\\\\\n"
	    "a_bytes_total{l=\"x\\\"y\\n\"} 3\n");
	buf_finish(&b);
}

static void
large_numbers_are_exact(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	metrics_put_sample(&b, METRICS_GAUGE, "a", NULL, NULL,
	    9007199254740991.0);
	(void)buf_putc(&b, '\0');
	assert_string_equal((const char *)b.data, "a 9007199254740991\n");
	buf_finish(&b);
}

static void
answers_are_counted_by_class(void **state)
{
	struct request_counts c = { .n_rows = 0 };

	(void)state;
	request_counts_add(&c, "a", 200);
	request_counts_add(&c, "a", 204);
	request_counts_add(&c, "a", 404);
	request_counts_add(&c, "b", 999);
	assert_int_equal(c.n_rows, 2);
	assert_int_equal(c.rows[0].n[1], 2);
	assert_int_equal(c.rows[0].n[3], 1);
	assert_int_equal(c.rows[1].n[4], 1);
}

static void
the_number_of_routes_is_bounded(void **state)
{
	static char names[2 * REQUEST_COUNTS_MAX][12];
	struct request_counts c = { .n_rows = 0 };
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < 2 * REQUEST_COUNTS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "%d", i);
		request_counts_add(&c, names[i], 200);
	}
	assert_int_equal(c.n_rows, REQUEST_COUNTS_MAX);
	for (size_t i = 0; i < c.n_rows; i++)
		sum += c.rows[i].n[1];
	assert_int_equal(sum, 2 * REQUEST_COUNTS_MAX);
	assert_string_equal(c.rows[REQUEST_COUNTS_MAX - 1].route, "other");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_escaped),
		cmocka_unit_test(large_numbers_are_exact),
		cmocka_unit_test(answers_are_counted_by_class),
		cmocka_unit_test(the_number_of_routes_is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
