#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "mcp/shown.h"
#include "op/hidden.h"

/* The text of the output, and its hidden parts; the caller frees both. */
static char *
show(const char *p, size_t len, json_t **hidden)
{
	struct buf text, json;
	struct json_out j;

	buf_init(&text, 16 << 20);
	buf_init(&json, 1 << 20);
	json_out_init(&j, &json);
	shown_text(p, len, &text, &j);
	*hidden = json_tree_read((char *)json.data, json.len, NULL);
	assert_true(json_is_array(*hidden));
	buf_finish(&json);
	return buf_take(&text);
}

static void
shows_as(const char *output, const char *want)
{
	auto_json json_t *hidden = NULL;
	auto_free char *got = show(output, strlen(output), &hidden);

	assert_string_equal(got, want);
	assert_int_equal(json_array_size(hidden), 0);
}

static int
number(const json_t *array, size_t i, const char *key)
{
	return (int)json_integer_value(
	    json_object_get(json_array_get(array, i), key));
}

static void
plain_text_needs_no_terminal(void **state)
{
	(void)state;
	assert_false(shown_is_needed("", 0));
	assert_false(shown_is_needed("a\tb\n漢 é", strlen("a\tb\n漢 é")));
	assert_true(shown_is_needed("a\rb", 3));
	assert_true(shown_is_needed("a\033[m", 4));
	assert_true(shown_is_needed("a\b", 2));
	assert_true(shown_is_needed("a\0b", 3));
	assert_true(shown_is_needed("a\177", 2));
	/* Only the given bytes count. */
	assert_false(shown_is_needed("a\r", 1));
}

static void
lines_are_joined_by_newlines(void **state)
{
	(void)state;
	shows_as("", "");
	shows_as("one\ntwo", "one\ntwo");
	shows_as("one\r\ntwo\r\n", "one\ntwo\n");
	shows_as("one\n\n\ntwo", "one\n\n\ntwo");
	/* Text below the cursor counts too. */
	shows_as("one\ntwo\033[H", "one\ntwo");
}

static void
sequences_and_erased_text_disappear(void **state)
{
	(void)state;
	shows_as("\033[1;31mred\033[m text", "red text");
	shows_as("10%\r50%\r100%", "100%");
	shows_as("a long line\r\033[Kshort", "short");
	shows_as("abc\b\bX", "aXc");
	shows_as("\033]0;title\007text", "text");
	shows_as("gone\033[2J\033[Hnew", "new");
}

static void
lines_beyond_the_screen_are_kept(void **state)
{
	auto_json json_t *hidden = NULL;
	auto_free char *got = NULL;
	char output[3000] = "";
	size_t n = 0, lines = 0;

	(void)state;
	for (int i = 0; i < 500; i++)
		n += (size_t)snprintf(output + n, sizeof(output) - n, "%d\n",
		    i);
	got = show(output, n, &hidden);
	for (const char *p = got; (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	assert_int_equal(lines, 500);
	assert_string_equal(got, output);
}

static void
a_line_wider_than_the_terminal_stays_one_line(void **state)
{
	char output[2 * SHOWN_COLS + 6];

	(void)state;
	memset(output, 'x', sizeof(output));
	output[sizeof(output) - 1] = '\0';
	shows_as(output, output);
	/* A wide character goes to the next row as a whole. */
	memcpy(output + SHOWN_COLS - 1, "漢", 3);
	shows_as(output, output);
}

static void
hidden_text_is_reported_with_its_line(void **state)
{
	static const char output[] = "one\n\ntwo \033[8msecret\033[m";
	auto_json json_t *hidden = NULL;
	auto_free char *got = show(output, sizeof(output) - 1, &hidden);

	(void)state;
	assert_string_equal(got, "one\n\ntwo secret");
	assert_int_equal(json_array_size(hidden), 1);
	assert_int_equal(number(hidden, 0, "row"), 2);
	assert_int_equal(number(hidden, 0, "col"), 4);
	assert_int_equal(number(hidden, 0, "width"), 6);
}

/* The row of an entry is its line, also after a line of several rows. */
static void
hidden_text_after_a_long_line_has_the_number_of_its_line(void **state)
{
	char output[SHOWN_COLS + 64];
	auto_json json_t *hidden = NULL;
	auto_free char *got = NULL;

	(void)state;
	memset(output, 'x', sizeof(output));
	strcpy(output + SHOWN_COLS + 10, "\n\033[8msecret");
	got = show(output, strlen(output), &hidden);
	assert_non_null(strstr(got, "x\nsecret"));
	assert_int_equal(json_array_size(hidden), 1);
	assert_int_equal(number(hidden, 0, "row"), 1);
}

static void
hidden_texts_are_reported_up_to_the_limit(void **state)
{
	char output[64 * (HIDDEN_MAX + 20)] = "";
	auto_json json_t *hidden = NULL;
	auto_free char *got = NULL;

	(void)state;
	for (int i = 0; i < HIDDEN_MAX + 20; i++)
		strcat(output, "a\033[8mb\033[m\n");
	got = show(output, strlen(output), &hidden);
	assert_int_equal(json_array_size(hidden), HIDDEN_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_needs_no_terminal),
		cmocka_unit_test(lines_are_joined_by_newlines),
		cmocka_unit_test(sequences_and_erased_text_disappear),
		cmocka_unit_test(lines_beyond_the_screen_are_kept),
		cmocka_unit_test(a_line_wider_than_the_terminal_stays_one_line),
		cmocka_unit_test(hidden_text_is_reported_with_its_line),
		cmocka_unit_test(
		    hidden_text_after_a_long_line_has_the_number_of_its_line),
		cmocka_unit_test(hidden_texts_are_reported_up_to_the_limit),
	};

	return cmocka_run_group_tests_name("mcp_shown", tests, NULL, NULL);
}
