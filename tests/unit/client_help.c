/* The page of all keys. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "client/help.h"
#include "client/keys.h"
#include "client/scrollback_mode.h"
#include "vt/key.h"
#include "vt/text.h"
#include "vt/vt.h"

static bool
press(struct help *h, const char *name)
{
	struct key k;

	assert_int_equal(key_parse(name, &k, NULL), 0);
	return help_key(h, &k);
}

static const struct keys_bound usual;

/* All text that scrolling shows. */
static char *
read_all(unsigned cols, unsigned rows)
{
	struct help h = { 0 };
	struct buf text;

	buf_init(&text, SIZE_MAX);
	for (unsigned n = 0; n < 100; n++) {
		help_draw(&h, "C-]", "C-]", &usual, cols, rows);
		assert_true(strlen(h.bar) <= cols + 4); /* two are not ASCII */
		vt_text(h.vt, &text);
		if (!press(&h, "Down"))
			break;
	}
	help_finish(&h);
	return buf_take(&text);
}

static void
every_key_is_on_the_page_at_any_size(void **state)
{
	static const unsigned sizes[][2] = { { 80, 24 }, { 40, 10 }, { 40, 3 },
		{ 200, 60 } };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *text = read_all(sizes[i][0], sizes[i][1]);
		const char *keys, *does;

		for (unsigned c = 0; c < KEYS_UNKNOWN; c++)
			assert_non_null(strstr(text, keys_does(c)));
		for (size_t k = 0; scrollback_mode_help(k, &keys, &does); k++) {
			assert_non_null(strstr(text, keys));
			assert_non_null(strstr(text, does));
		}
		free(text);
	}
}

static void
any_key_closes_a_page_that_fits(void **state)
{
	struct help h = { 0 };

	(void)state;
	help_draw(&h, "C-]", "C-]", &usual, 80, 24);
	assert_false(press(&h, "Down"));
	help_draw(&h, "C-]", "C-]", &usual, 40, 10);
	assert_true(press(&h, "Down"));
	assert_false(press(&h, "q"));
	help_finish(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_on_the_page_at_any_size),
		cmocka_unit_test(any_key_closes_a_page_that_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
