#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "hub/inbox.h"
#include "../rng.h"

#define UNIQUE "01M7R5HFAFCC84KNH09EH5X54A"

static void
a_name_keeps_its_readable_part_and_its_ending(void **state)
{
	static const struct {
		const char *wished, *name;
	} cases[] = {
		{ NULL, "file-9EH5X54A" },
		{ "", "file-9EH5X54A" },
		{ "notes.txt", "notes-9EH5X54A.txt" },
		{ "My Report (1).pdf", "My_Report_1-9EH5X54A.pdf" },
		{ "/etc/passwd", "passwd-9EH5X54A" },
		{ "C:\\x\\y.doc", "y-9EH5X54A.doc" },
		{ "..", "file-9EH5X54A" },
		{ ".bashrc", "file-9EH5X54A.bashrc" },
		{ "a.tar.gz", "a.tar-9EH5X54A.gz" },
		{ "-rf", "rf-9EH5X54A" },
		{ "a..b", "a-9EH5X54A.b" },
		{ "a---b", "a-b-9EH5X54A" },
		{ "\xc3\xa9", "file-9EH5X54A" },
		{ "x\xc3\xa9y.", "x_y-9EH5X54A" },
	};
	char name[INBOX_NAME_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		inbox_name(name, cases[i].wished, UNIQUE);
		assert_string_equal(name, cases[i].name);
	}
}

static void
every_name_is_one_plain_part_of_a_path(void **state)
{
	static const char
	    plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		      "0123456789._-";
	char wished[400], name[INBOX_NAME_SIZE];
	struct rng rng = { .state = 1 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t len = rng_below(&rng, sizeof(wished));

		for (size_t k = 0; k < len; k++)
			wished[k] = (char)(rng_below(&rng, 2) ?
				"./\\-_ ax"[rng_below(&rng, 8)] :
				(int)(1 + rng_below(&rng, 255)));
		wished[len] = '\0';
		inbox_name(name, wished, UNIQUE);
		assert_int_equal(strspn(name, plain), strlen(name));
		assert_null(strchr("._-", name[0]));
		assert_null(strstr(name, ".."));
		assert_non_null(strstr(name, "-9EH5X54A"));
		assert_true(strlen(name) < INBOX_NAME_SIZE - 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test(name)
		TEST(a_name_keeps_its_readable_part_and_its_ending),
		TEST(every_name_is_one_plain_part_of_a_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
