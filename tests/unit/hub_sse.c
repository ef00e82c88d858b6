#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "hub/sse.h"

static void
expect(const char *id, const char *text)
{
	struct buf b;

	buf_init(&b, 1000);
	sse_put(&b, "ended", id, "{\"a\":1}");
	(void)buf_putc(&b, '\0');
	assert_string_equal((const char *)b.data, text);
	buf_finish(&b);
}

static void
an_event_has_a_type_and_data(void **state)
{
	(void)state;
	expect(NULL, "event: ended\ndata: {\"a\":1}\n\n");
}

static void
an_id_may_be_empty(void **state)
{
	(void)state;
	expect("X-7", "id: X-7\nevent: ended\ndata: {\"a\":1}\n\n");
	expect("", "id: \nevent: ended\ndata: {\"a\":1}\n\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_has_a_type_and_data),
		cmocka_unit_test(an_id_may_be_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
