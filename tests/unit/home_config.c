#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "home/config.h"
#include "op/type.h"

static void
on_warning(void *arg, const char *text)
{
	buf_printf(arg, "%s\n", text);
}

/* Read a file; returns the warnings. */
static char *
take(struct config *c, const char *file, const char *text)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	config_take(c, file, text, strlen(text), on_warning, &b);
	return buf_take(&b);
}

static void
the_first_file_wins_and_the_last_line_of_it(void **state)
{
	auto_free char *first = NULL, *second = NULL;
	struct config c;

	(void)state;
	config_init(&c);
	first = take(&c, "/own", "[run]\nresize = fixed\nresize = latest\n");
	second = take(&c, "/all", "[run]\nresize = largest\nmax-log = 1G\n");
	assert_string_equal(first, "");
	assert_string_equal(second, "");
	assert_string_equal(config_text(&c, CONFIG_RESIZE), "latest");
	assert_int_equal(c.values[CONFIG_RESIZE].line, 3);
	assert_string_equal(c.values[CONFIG_MAX_LOG].file, "/all");
	assert_int_equal(config_number(&c, CONFIG_MAX_LOG), 1 << 30);
	assert_int_equal(config_number(&c, CONFIG_MIN_FREE), 16 << 20);
	assert_null(config_text(&c, CONFIG_INPUT));
	config_finish(&c);
}

static void
an_invalid_line_is_reported_with_its_number(void **state)
{
	auto_free char *told = NULL;
	struct config c;

	(void)state;
	config_init(&c);
	told = take(&c, "/f",
	    "[run]\nrezise = latest\nresize = huge\nmax-log = 1\n"
	    "max-log = 1M\npids = many\n[attach]\nprefix = nokey\n"
	    "[other]\nx = 1\nnothing\n");
	assert_non_null(strstr(told,
	    "/f:2: unknown setting run.rezise (did you mean "
	    "run.resize?)\n"));
	assert_non_null(strstr(told,
	    "/f:3: run.resize: huge is not one of "
	    "smallest|latest|largest|fixed\n"));
	assert_non_null(strstr(told, "/f:4: run.max-log: 1 has no unit"));
	assert_non_null(strstr(told, "/f:5: run.max-log: 1M is too small\n"));
	assert_non_null(strstr(told, "/f:6: run.pids: many is not a number\n"));
	assert_non_null(strstr(told, "/f:8: attach.prefix: "));
	assert_non_null(
	    strstr(told, "/f:10: unknown setting other.x; see tend(1)\n"));
	assert_non_null(strstr(told, "/f:11: expected [section]"));
	for (size_t i = 0; i < CONFIG_COUNT; i++)
		assert_null(config_text(&c, (enum config_key)i));
	config_finish(&c);
}

static void
options_and_the_environment_win(void **state)
{
	auto_free char *told = NULL;
	struct config c;

	(void)state;
	config_init(&c);
	told = take(&c, "/f", "[attach]\nprefix = C-a\n");
	assert_string_equal(told, "");
	unsetenv("TEND_PREFIX");
	assert_string_equal(config_or(&c, CONFIG_PREFIX, NULL), "C-a");
	assert_string_equal(config_or(&c, CONFIG_PREFIX, "C-x"), "C-x");
	setenv("TEND_PREFIX", "C-b", 1);
	assert_null(config_or(&c, CONFIG_PREFIX, NULL));
	setenv("TEND_PREFIX", "", 1);
	assert_string_equal(config_or(&c, CONFIG_PREFIX, NULL), "C-a");
	config_finish(&c);
}

static void
every_default_is_a_valid_value(void **state)
{
	(void)state;
	for (size_t i = 0; i < CONFIG_COUNT; i++) {
		const struct config_setting *s = &config_settings[i];
		auto_free char *text = NULL, *told = NULL;
		struct config c;
		struct buf b;

		if (s->standard == NULL)
			continue;
		buf_init(&b, 4096);
		buf_printf(&b, "[%s]\n%s = %s\n", s->section, s->key,
		    s->standard);
		text = buf_take(&b);
		config_init(&c);
		told = take(&c, "/f", text);
		assert_string_equal(told, "");
		assert_string_equal(config_text(&c, (enum config_key)i),
		    s->standard);
		config_finish(&c);
	}
}

static void
limits_have_the_defaults_of_the_table(void **state)
{
	struct config c;

	(void)state;
	config_init(&c);
	assert_int_equal(config_number(&c, CONFIG_MAX_SESSIONS), 1000);
	assert_int_equal(config_number(&c, CONFIG_MAX_RATE), 50);
	assert_int_equal(config_number(&c, CONFIG_MIN_FREE), 16u << 20);
	assert_int_equal(config_number(&c, CONFIG_HOME_BUDGET), 5ull << 30);
	config_finish(&c);
}

/* A setting has the words of the argument that it is the default of. */
static void
policies_have_the_words_of_their_types(void **state)
{
	static const struct {
		enum config_key key;
		const char *type;
	} rows[] = {
		{ CONFIG_INPUT, "input_policy" },
		{ CONFIG_RESIZE, "size_policy" },
		{ CONFIG_LOG_INPUT, "log_input" },
		{ CONFIG_RESTART, "restart_policy" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		auto_free char *words = xstrdup(type_find(rows[i].type)->body);

		for (char *c = words; *c != '\0'; c++)
			if (*c == ' ')
				*c = '|';
		assert_string_equal(config_settings[rows[i].key].choices,
		    words);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_file_wins_and_the_last_line_of_it),
		cmocka_unit_test(an_invalid_line_is_reported_with_its_number),
		cmocka_unit_test(options_and_the_environment_win),
		cmocka_unit_test(every_default_is_a_valid_value),
		cmocka_unit_test(limits_have_the_defaults_of_the_table),
		cmocka_unit_test(policies_have_the_words_of_their_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
