#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "cmd/line/fold.h"

static void
folds(unsigned cols, const char *text, const char *want)
{
	struct buf b;

	buf_init(&b, 4096);
	fold_text(text, cols, &b);
	buf_putc(&b, '\0');
	assert_string_equal((const char *)b.data, want);
	buf_finish(&b);
}

static void
a_paragraph_is_refilled(void **state)
{
	(void)state;
	folds(12, "one two three\nfour five\n", "one two\nthree four\nfive\n");
	folds(80, "one\ntwo\n\nthree\n", "one two\n\nthree\n");
	folds(80, "One.  Two\nthree:  four\n", "One. Two three: four\n");
	folds(12, "", "");
	folds(12, "\n\n", "\n\n");
	folds(12, "no newline", "no newline\n");
}

static void
lines_that_begin_elsewhere_stay_apart(void **state)
{
	(void)state;
	folds(20, "usage: a b c\n       d\n", "usage: a b c\n       d\n");
	folds(20, "one\n  two\n  three\n", "one\n  two three\n");
}

static void
a_description_goes_below_its_word(void **state)
{
	(void)state;
	folds(20, "  tend ls    what runs, and\n             when\n",
	    "  tend ls\n      what runs, and\n      when\n");
	folds(20, "  a long word    what\n            it is\n  b\n",
	    "  a long word\n      what it is\n  b\n");
	folds(20, "  a  one\n  b  two\n", "  a\n      one\n  b\n      two\n");
}

static void
a_word_that_is_too_long_has_its_own_line(void **state)
{
	(void)state;
	folds(5, "a bcdefghij k\n", "a\nbcdefghij\nk\n");
	folds(4, "äöüß äö\n", "äöüß\näö\n");
	folds(1, "  a b\n", "  a\n  b\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_paragraph_is_refilled),
		cmocka_unit_test(lines_that_begin_elsewhere_stay_apart),
		cmocka_unit_test(a_description_goes_below_its_word),
		cmocka_unit_test(a_word_that_is_too_long_has_its_own_line),
	};

	return cmocka_run_group_tests_name("cmd_fold", tests, NULL, NULL);
}
