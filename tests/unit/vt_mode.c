#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "vt/mode.h"
#include "vt_make.h"

/* Setting one of these changes others; other tests cover them. */
static bool
is_alt(const struct mode *m)
{
	return m->private &&
	    (m->number == 47 || m->number == 1047 || m->number == 1049);
}

static bool
is_saved_by_xtsave(const struct mode *m)
{
	return m->private && !is_alt(m) && m->number != 1048 &&
	    m->number != 2026;
}

static void
say(struct vt *vt, const struct mode *m, const char *after)
{
	char s[32];

	snprintf(s, sizeof(s), "\033[%s%u%s", m->private ? "?" : "", m->number,
	    after);
	feed(vt, s);
}

/* DECRQM's answer: 1 set, 2 reset, 0 unknown. */
static void
is_reported(struct vt *vt, struct replies *replies, const struct mode *m,
    int want)
{
	char s[32];

	say(vt, m, "$p");
	snprintf(s, sizeof(s), "\033[%s%u;%d$y", m->private ? "?" : "",
	    m->number, want);
	replied(replies, s);
}

static void
are_all_initial(struct vt *vt, struct replies *replies)
{
	for (unsigned id = 0; id < MODE_COUNT; id++)
		is_reported(vt, replies, &mode_table[id],
		    mode_table[id].initially ? 1 : 2);
}

static void
every_mode_number_is_unique(void **state)
{
	(void)state;
	for (unsigned a = 0; a < MODE_COUNT; a++) {
		const struct mode *m = &mode_table[a];
		assert_int_equal(mode_find(m->private, m->number), a);
		for (unsigned b = 0; b < a; b++)
			assert_false(m->number == mode_table[b].number &&
			    m->private == mode_table[b].private);
	}
}

static void
unknown_mode_numbers_are_not_found(void **state)
{
	(void)state;
	assert_int_equal(mode_find(true, 0), MODE_COUNT);
	assert_int_equal(mode_find(false, 25), MODE_COUNT);
	assert_int_equal(mode_find(true, 20), MODE_COUNT);
	assert_int_equal(mode_find(true, 65535), MODE_COUNT);
}

static void
a_fresh_terminal_wraps_shows_the_cursor_and_knows_graphemes(void **state)
{
	(void)state;
	assert_true(mode_initial() ==
	    (1ull << MODE_DECAWM | 1ull << MODE_DECTCEM |
		1ull << MODE_GRAPHEMES | 1ull << MODE_SRM));
}

static void
decrqm_reports_the_initial_modes(void **state)
{
	struct replies replies;
	struct vt *vt = make_vt_that_replies(20, 4, &replies);

	(void)state;
	are_all_initial(vt, &replies);
	feed(vt, "\033[?4242$p\033[4242$p\033[?$p");
	replied(&replies, "\033[?4242;0$y\033[4242;0$y\033[?0;0$y");
	vt_destroy(vt);
}

static void
decrqm_reports_the_state_that_was_set(void **state)
{
	struct replies replies;
	struct vt *vt = make_vt_that_replies(20, 4, &replies);

	(void)state;
	for (unsigned id = 0; id < MODE_COUNT; id++) {
		const struct mode *m = &mode_table[id];
		for (unsigned i = 0; i < 2; i++) {
			say(vt, m, "h");
			is_reported(vt, &replies, m, 1);
			say(vt, m, "l");
			is_reported(vt, &replies, m, 2);
		}
		say(vt, m, m->initially ? "h" : "l");
	}
	are_all_initial(vt, &replies);
	vt_destroy(vt);
}

static void
a_reset_restores_every_initial_mode(void **state)
{
	struct replies replies;
	struct vt *vt = make_vt_that_replies(20, 4, &replies);

	(void)state;
	for (unsigned id = 0; id < MODE_COUNT; id++)
		say(vt, &mode_table[id], mode_table[id].initially ? "l" : "h");
	feed(vt, "\033c");
	are_all_initial(vt, &replies);
	vt_destroy(vt);
}

static void
xtsave_and_xtrestore_bring_a_mode_back(void **state)
{
	struct replies replies;
	struct vt *vt = make_vt_that_replies(20, 4, &replies);

	(void)state;
	for (unsigned id = 0; id < MODE_COUNT; id++) {
		const struct mode *m = &mode_table[id];
		if (!is_saved_by_xtsave(m))
			continue;
		for (int set = 1; set <= 2; set++) {
			say(vt, m, set == 1 ? "h" : "l");
			say(vt, m, "s");
			say(vt, m, set == 1 ? "l" : "h");
			say(vt, m, "r");
			is_reported(vt, &replies, m, set);
		}
		say(vt, m, m->initially ? "h" : "l");
	}
	vt_destroy(vt);
}

static void
three_modes_report_the_screen_in_use(void **state)
{
	struct replies replies;
	struct vt *vt = make_vt_that_replies(20, 4, &replies);

	(void)state;
	for (unsigned a = 0; a < MODE_COUNT; a++) {
		if (!is_alt(&mode_table[a]))
			continue;
		for (int set = 1; set <= 2; set++) {
			say(vt, &mode_table[a], set == 1 ? "h" : "l");
			assert_int_equal(vt_alt_screen(vt), set == 1);
			for (unsigned b = 0; b < MODE_COUNT; b++)
				if (is_alt(&mode_table[b]))
					is_reported(vt, &replies,
					    &mode_table[b], set);
		}
	}
	vt_destroy(vt);
}

/* The mode set last is on, and it alone. */
static void
exclude_one_another(const unsigned *numbers, size_t n)
{
	struct replies replies;
	struct vt *vt = make_vt_that_replies(20, 4, &replies);

	for (size_t a = 0; a < n; a++) {
		say(vt, &mode_table[mode_find(true, numbers[a])], "h");
		for (size_t b = 0; b < n; b++)
			is_reported(vt, &replies,
			    &mode_table[mode_find(true, numbers[b])],
			    a == b ? 1 : 2);
	}
	vt_destroy(vt);
}

static void
mouse_modes_exclude_one_another(void **state)
{
	(void)state;
	exclude_one_another((const unsigned[]){ 9, 1000, 1002, 1003 }, 4);
}

static void
mouse_formats_exclude_one_another(void **state)
{
	(void)state;
	exclude_one_another((const unsigned[]){ 1005, 1006, 1015, 1016 }, 4);
}

static void
one_sequence_sets_many_modes(void **state)
{
	struct replies replies;
	struct vt *vt = make_vt_that_replies(20, 4, &replies);

	(void)state;
	feed(vt, "\033[?1;4242;2004;5h\033[4;20h");
	feed(vt, "\033[?1$p\033[?2004$p\033[?5$p\033[4$p\033[20$p");
	replied(&replies,
	    "\033[?1;1$y\033[?2004;1$y\033[?5;1$y"
	    "\033[4;1$y\033[20;1$y");
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mode_number_is_unique),
		cmocka_unit_test(unknown_mode_numbers_are_not_found),
		cmocka_unit_test(
		    a_fresh_terminal_wraps_shows_the_cursor_and_knows_graphemes),
		cmocka_unit_test(decrqm_reports_the_initial_modes),
		cmocka_unit_test(decrqm_reports_the_state_that_was_set),
		cmocka_unit_test(a_reset_restores_every_initial_mode),
		cmocka_unit_test(xtsave_and_xtrestore_bring_a_mode_back),
		cmocka_unit_test(three_modes_report_the_screen_in_use),
		cmocka_unit_test(mouse_modes_exclude_one_another),
		cmocka_unit_test(mouse_formats_exclude_one_another),
		cmocka_unit_test(one_sequence_sets_many_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
