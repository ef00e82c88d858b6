#include "unit.h"

#include <string.h>

#include "host/core/changes.h"
#include "vt/vt.h"

static struct vt *
make(unsigned rows)
{
	const struct vt_config config = { .cols = 20, .rows = (uint16_t)rows };

	return vt_create(&config, NULL);
}

static void
show(struct changes *c, struct vt *vt, const char *bytes, uint64_t seq)
{
	vt_feed(vt, bytes, strlen(bytes));
	changes_note(c, vt, seq);
}

/* The rows that changed after the event, as in "0.2.". */
static void
expect(const struct changes *c, const struct vt *vt, uint64_t since,
    const char *rows)
{
	char seen[16];
	unsigned y;

	for (y = 0; y < vt_rows(vt); y++)
		seen[y] = changes_row(c, vt, y, since) ? (char)('0' + y) : '.';
	seen[y] = '\0';
	assert_string_equal(seen, rows);
}

static void
each_row_has_the_seq_of_its_last_change(void **state)
{
	struct changes c = { 0 };
	struct vt *vt = make(4);

	(void)state;
	changes_all(&c, vt, 3);
	expect(&c, vt, 2, "0123");
	expect(&c, vt, 3, "....");
	show(&c, vt, "one\r\ntwo", 5);
	expect(&c, vt, 4, "01..");
	show(&c, vt, "\033[4;1Hfour", 9);
	expect(&c, vt, 4, "01.3");
	expect(&c, vt, 5, "...3");
	expect(&c, vt, 9, "....");
	assert_int_equal(c.seq, 9);
	changes_finish(&c);
	vt_destroy(vt);
}

static void
output_that_shows_nothing_is_no_change(void **state)
{
	struct changes c = { 0 };
	struct vt *vt = make(4);

	(void)state;
	changes_all(&c, vt, 1);
	show(&c, vt, "x", 2);
	show(&c, vt, "\a", 3);
	assert_int_equal(c.seq, 2);
	show(&c, vt, "\033[2;2H", 4);
	assert_int_equal(c.seq, 4);
	expect(&c, vt, 2, "....");
	changes_finish(&c);
	vt_destroy(vt);
}

static void
an_update_counts_when_it_ends(void **state)
{
	struct changes c = { 0 };
	struct vt *vt = make(4);

	(void)state;
	changes_all(&c, vt, 1);
	show(&c, vt, "\033[?2026hnew", 2);
	assert_int_equal(c.seq, 1);
	expect(&c, vt, 1, "0...");
	show(&c, vt, "\033[?2026l", 3);
	assert_int_equal(c.seq, 3);
	expect(&c, vt, 2, "0...");
	expect(&c, vt, 3, "....");
	changes_finish(&c);
	vt_destroy(vt);
}

static void
a_resize_changes_all_rows(void **state)
{
	struct changes c = { 0 };
	struct vt *vt = make(4);

	(void)state;
	changes_all(&c, vt, 1);
	vt_resize(vt, 20, 6, NULL);
	expect(&c, vt, 1, "012345");
	changes_note(&c, vt, 2);
	expect(&c, vt, 1, "012345");
	expect(&c, vt, 2, "......");
	changes_note(&c, NULL, 7);
	assert_int_equal(c.seq, 7);
	changes_finish(&c);
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_has_the_seq_of_its_last_change),
		cmocka_unit_test(output_that_shows_nothing_is_no_change),
		cmocka_unit_test(an_update_counts_when_it_ends),
		cmocka_unit_test(a_resize_changes_all_rows),
	};

	return cmocka_run_group_tests_name("host_changes", tests, NULL, NULL);
}
