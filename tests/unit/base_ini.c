#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/ini.h"

static void
on_value(void *arg, unsigned line, const char *section, const char *key,
    const char *value)
{
	buf_printf(arg, "%u [%s] %s=<%s>\n", line, section, key, value);
}

static void
on_complaint(void *arg, unsigned line, const char *why)
{
	buf_printf(arg, "%u: %s\n", line, why);
}

static char *
read_text(const char *text, size_t len)
{
	static const struct ini_ops ops = { on_value, on_complaint };
	struct buf b;

	buf_init(&b, 1 << 20);
	ini_parse(text, len, &ops, &b);
	return buf_take(&b);
}

static void
gives(const char *text, const char *want)
{
	auto_free char *seen = read_text(text, strlen(text));

	assert_string_equal(seen, want);
}

static void
ini_reads_sections_and_values(void **state)
{
	(void)state;
	gives("", "");
	gives("a=1\n\n [ one ]\r\n# x = 1\n; x = 1\n\tkey =  two words \n"
	      "[two]\nquoted = \" x \"\nempty =\nlast = a=b",
	    "1 [] a=<1>\n6 [one] key=<two words>\n8 [two] quoted=< x >\n"
	    "9 [two] empty=<>\n10 [two] last=<a=b>\n");
}

static void
ini_reports_an_invalid_line_and_reads_the_others(void **state)
{
	(void)state;
	gives("[open\nnonsense\n= x\na = \033[31m\nb = 1\n",
	    "1: the section has no closing ]\n"
	    "2: expected [section] or key = value\n"
	    "3: expected [section] or key = value\n"
	    "4: the line has a control character\n"
	    "5 [] b=<1>\n");
}

static void
ini_takes_a_line_up_to_its_limit(void **state)
{
	char text[INI_LINE_MAX + 8];
	auto_free char *fits = NULL, *more = NULL, *nul = NULL;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[1] = '=';
	fits = read_text(text, INI_LINE_MAX);
	assert_non_null(strstr(fits, "1 [] x=<xxx"));
	more = read_text(text, INI_LINE_MAX + 1);
	assert_string_equal(more, "1: the line is too long\n");
	nul = read_text("a=\0b\nc=d", 8);
	assert_string_equal(nul,
	    "1: the line has a control character\n2 [] c=<d>\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ini_reads_sections_and_values),
		cmocka_unit_test(
		    ini_reports_an_invalid_line_and_reads_the_others),
		cmocka_unit_test(ini_takes_a_line_up_to_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
