#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "op/format.h"
#include "op/snapshot.h"
#include "vt/vt.h"

static void
a_format_is_found_by_its_name(void **state)
{
	(void)state;
	for (unsigned f = 0; f < SNAPSHOT_FORMATS; f++)
		assert_int_equal(format_find(
				     format_name((enum snapshot_format)f)),
		    f);
	assert_int_equal(format_find("png"), SNAPSHOT_FORMATS);
	assert_int_equal(format_find(""), SNAPSHOT_FORMATS);
}

/* The list has all names, each between quotes. */
static void
assert_list(const char *list, const char *between, const char *last,
    const char *quote)
{
	struct buf want;

	buf_init(&want, 1 << 10);
	for (unsigned f = 0; f < SNAPSHOT_FORMATS; f++) {
		if (f > 0)
			buf_puts(&want,
			    f == SNAPSHOT_FORMATS - 1 ? last : between);
		buf_printf(&want, "%s%s%s", quote,
		    format_name((enum snapshot_format)f), quote);
	}
	buf_putc(&want, '\0');
	assert_string_equal(list, want.data);
	buf_finish(&want);
}

static void
lists_name_every_format_in_the_same_order(void **state)
{
	(void)state;
	assert_int_equal(strncmp(FORMAT_LIST, "text, json, ", 12), 0);
	assert_list(FORMAT_WORDS, " ", " ", "");
	assert_list(FORMAT_CHOICES, "|", "|", "");
	assert_list(FORMAT_LIST, ", ", " or ", "");
	assert_list(FORMAT_CODES, ", ", " or ", "`");
}

/* A row without a painter would be a format without output. */
static void
every_format_but_text_and_json_is_painted(void **state)
{
	const struct vt_config config = { .cols = 10, .rows = 2 };
	struct vt *vt = vt_create(&config, NULL);
	struct buf out;

	(void)state;
	assert_non_null(vt);
	buf_init(&out, 1 << 20);
	for (unsigned f = 0; f < SNAPSHOT_FORMATS; f++) {
		bool lines = f == SNAPSHOT_TEXT || f == SNAPSHOT_JSON;
		int rc = snapshot_paint((enum snapshot_format)f, vt, false,
		    &out);

		assert_int_equal(rc < 0, lines);
	}
	buf_finish(&out);
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_format_is_found_by_its_name),
		cmocka_unit_test(lists_name_every_format_in_the_same_order),
		cmocka_unit_test(every_format_but_text_and_json_is_painted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
