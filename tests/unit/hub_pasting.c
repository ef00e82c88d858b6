#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "hub/pasting.h"

static void
text_is_known_by_its_type_and_its_content(void **state)
{
	static const struct {
		const char *type, *text;
		enum pasting how;
	} cases[] = {
		{ "text/plain", "a\tb\r\nc", PASTING_CONTENT },
		{ "Text/Markdown; charset=utf-8", "\xc3\xbc", PASTING_CONTENT },
		{ "application/json", "{}", PASTING_CONTENT },
		{ "application/ld+json;x=y", "{}", PASTING_CONTENT },
		{ "application/atom+xml", "<a/>", PASTING_CONTENT },
		{ "application/octet-stream", "a", PASTING_CONTENT },
		{ NULL, "a", PASTING_CONTENT },
		{ "", "a", PASTING_CONTENT },
		{ "text/", "a", PASTING_RELATIVE },
		{ "textual", "a", PASTING_RELATIVE },
		{ "application/jsonp", "a", PASTING_RELATIVE },
		{ "+json", "a", PASTING_RELATIVE },
		{ "application/pdf", "a", PASTING_RELATIVE },
		{ "text/plain", "", PASTING_RELATIVE },
		{ "text/plain", "a\x1b[201~", PASTING_RELATIVE },
		{ "text/plain", "a\x7f", PASTING_RELATIVE },
		{ "text/plain", "\xc2\x9b", PASTING_RELATIVE },
		{ "text/plain", "\xff", PASTING_RELATIVE },
		{ "text/plain", "\xc3", PASTING_RELATIVE },
		{ "image/png", "a", PASTING_ABSOLUTE },
		{ "IMAGE/svg+xml", "<svg/>", PASTING_ABSOLUTE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(pasting_of(cases[i].type, cases[i].text,
				     strlen(cases[i].text)),
		    cases[i].how);
	assert_int_equal(pasting_of("text/plain", "a\0b", 3), PASTING_RELATIVE);
	assert_int_equal(pasting_of("text/plain", NULL, 0), PASTING_RELATIVE);
}

static void
a_path_is_relative_only_below_the_directory(void **state)
{
	static const struct {
		const char *path, *directory, *pasted;
	} cases[] = {
		{ "/a/b/c", "/a", "b/c" },
		{ "/a/b/c", "/a/", "b/c" },
		{ "/a/b/c", "/", "a/b/c" },
		{ "/a/b/c", "/a/b/c", "/a/b/c" },
		{ "/ab/c", "/a", "/ab/c" },
		{ "/a/b", "/c", "/a/b" },
		{ "/a/b", "", "/a/b" },
		{ "/a/b", "a", "/a/b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(pasting_path(cases[i].path,
					cases[i].directory),
		    cases[i].pasted);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test(name)
		TEST(text_is_known_by_its_type_and_its_content),
		TEST(a_path_is_relative_only_below_the_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
