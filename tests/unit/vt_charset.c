#include "unit.h"

#include <stdlib.h>

#include "vt/charset.h"
#include "vt_make.h"

static void
at_first_all_sets_are_ascii(void **state)
{
	struct charsets c;

	(void)state;
	charsets_init(&c);
	assert_true(charsets_plain(&c));
	for (unsigned n = 0; n < 4; n++) {
		c.current = (uint8_t)n;
		assert_true(charsets_plain(&c));
		for (unsigned ch = 0x20; ch < 0x7f; ch++)
			assert_int_equal(charsets_map(&c, (uint8_t)ch), ch);
	}
}

static void
only_three_sets_are_known(void **state)
{
	struct charsets c;

	(void)state;
	charsets_init(&c);
	assert_true(charsets_name(&c, 0, '0'));
	for (unsigned final = 0; final < 256; final++) {
		bool known = final == 'A' || final == 'B' || final == '0';
		assert_int_equal(charsets_name(&c, 1, (uint8_t) final), known);
		if (!known)
			assert_int_not_equal(c.set[1], final);
	}
	assert_int_equal(c.set[0], '0');
	assert_int_equal(c.set[2], 'B');
}

static void
line_drawing_begins_at_the_grave_accent(void **state)
{
	static const struct {
		char ascii;
		uint32_t shown;
	} cases[] = { { '_', '_' }, { '`', 0x25c6 }, { 'a', 0x2592 },
		{ 'j', 0x2518 }, { 'k', 0x2510 }, { 'l', 0x250c },
		{ 'm', 0x2514 }, { 'n', 0x253c }, { 'q', 0x2500 },
		{ 't', 0x251c }, { 'u', 0x2524 }, { 'v', 0x2534 },
		{ 'w', 0x252c }, { 'x', 0x2502 }, { '~', 0xb7 }, { 'A', 'A' },
		{ '#', '#' } };
	struct charsets c;

	(void)state;
	charsets_init(&c);
	charsets_name(&c, 0, '0');
	assert_false(charsets_plain(&c));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(charsets_map(&c, (uint8_t)cases[i].ascii),
		    cases[i].shown);
}

static void
the_british_set_differs_only_in_the_pound_sign(void **state)
{
	struct charsets c;

	(void)state;
	charsets_init(&c);
	charsets_name(&c, 0, 'A');
	assert_false(charsets_plain(&c));
	for (unsigned ch = 0x20; ch < 0x7f; ch++)
		assert_int_equal(charsets_map(&c, (uint8_t)ch),
		    ch == '#' ? 0xa3 : ch);
}

static void
a_single_shift_is_for_one_character(void **state)
{
	struct charsets c;

	(void)state;
	charsets_init(&c);
	charsets_name(&c, 2, '0');
	c.single = 2;
	assert_false(charsets_plain(&c));
	assert_int_equal(charsets_map(&c, 'q'), 0x2500);
	assert_int_equal(charsets_map(&c, 'q'), 'q');
	assert_true(charsets_plain(&c));
}

static void
a_terminal_names_and_shifts_its_sets(void **state)
{
	struct vt *vt = make_vt(12, 1);

	(void)state;
	feed(vt, "q\033(0q\033(Bq");   /* G0 */
	feed(vt, "\033)0q\016q\017q"); /* G1, SO, SI */
	feed(vt, "\033*0q\033Nqq");    /* G2, SS2 */
	feed(vt, "\033+A#\033O##");    /* G3, SS3 */
	shows(vt, "q─qq─qq─q#£#");
	vt_destroy(vt);
}

static void
naming_an_unknown_set_changes_nothing(void **state)
{
	struct vt *vt = make_vt(4, 1);

	(void)state;
	feed(vt, "\033(0q\033(Kq");
	shows(vt, "──");
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_first_all_sets_are_ascii),
		cmocka_unit_test(only_three_sets_are_known),
		cmocka_unit_test(line_drawing_begins_at_the_grave_accent),
		cmocka_unit_test(
		    the_british_set_differs_only_in_the_pound_sign),
		cmocka_unit_test(a_single_shift_is_for_one_character),
		cmocka_unit_test(a_terminal_names_and_shifts_its_sets),
		cmocka_unit_test(naming_an_unknown_set_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
