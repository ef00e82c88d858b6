#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"

static void
json_out_puts_commas_where_they_belong(void **state)
{
	struct json_out j;
	struct buf buf;

	(void)state;
	buf_init(&buf, 1000);
	json_out_init(&j, &buf);
	json_out_open(&j, '{');
	json_out_key(&j, "a");
	json_out_number(&j, UINT64_MAX);
	json_out_key(&j, "b");
	json_out_open(&j, '[');
	json_out_bool(&j, true);
	json_out_open(&j, '[');
	json_out_close(&j, ']');
	json_out_open(&j, '{');
	json_out_close(&j, '}');
	json_out_text(&j, "x");
	json_out_close(&j, ']');
	json_out_key(&j, "c");
	json_out_bool(&j, false);
	json_out_close(&j, '}');
	auto_free char *text = buf_take(&buf);
	assert_string_equal(text,
	    "{\"a\":18446744073709551615,"
	    "\"b\":[true,[],{},\"x\"],\"c\":false}");
}

static void
writes(const char *p, size_t len, const char *want)
{
	struct json_out j;
	struct buf buf;

	buf_init(&buf, 1000);
	json_out_init(&j, &buf);
	json_out_string(&j, p, len);
	auto_free char *text = buf_take(&buf);
	assert_string_equal(text, want);
}

static void
json_out_escapes_characters_special_to_json_or_terminals(void **state)
{
	(void)state;
	writes("a\"b\\c/", 6, "\"a\\\"b\\\\c/\"");
	writes("\n\t\0\033\x7f", 5, "\"\\n\\u0009\\u0000\\u001b\\u007f\"");
	writes("\xc2\x9b", 2, "\"\\u009b\"");
	writes("\xe2\x80\xa8", 3, "\"\\u2028\"");
	writes("\xf0\x9f\x98\x80", 4, "\"\xf0\x9f\x98\x80\"");
	writes("", 0, "\"\"");
}

static void
json_out_replaces_invalid_utf8(void **state)
{
	(void)state;
	writes("a\xff\"", 3, "\"a\xef\xbf\xbd\\\"\"");
	writes("\xe2\x82z", 3, "\"\xef\xbf\xbdz\"");
	writes("\xe2\x82", 2, "\"\xef\xbf\xbd\"");
}

static void
json_out_lets_the_buffer_report_that_it_is_full(void **state)
{
	struct json_out j;
	struct buf buf;

	(void)state;
	buf_init(&buf, 5);
	json_out_init(&j, &buf);
	json_out_text(&j, "too long for it");
	assert_true(buf.full);
	assert_true(buf.len <= 5);
	buf_finish(&buf);
}

static void
json_out_writes_negative_numbers_and_null(void **state)
{
	struct json_out j;
	struct buf buf;

	(void)state;
	buf_init(&buf, 100);
	json_out_init(&j, &buf);
	json_out_open(&j, '[');
	json_out_int(&j, INT64_MIN);
	json_out_null(&j);
	json_out_int(&j, 1);
	json_out_close(&j, ']');
	buf_putc(&buf, '\0');
	assert_string_equal(buf.data, "[-9223372036854775808,null,1]");
	buf_finish(&buf);
}

static void
json_out_escapes_inside_given_json(void **state)
{
	struct json_out j;
	struct buf buf;

	(void)state;
	buf_init(&buf, 200);
	json_out_init(&j, &buf);
	json_out_open(&j, '[');
	json_out_json(&j,
	    "{\"a\\n\":\"\xC2\x9B"
	    "31m\xE2\x80\xAE\x7F\xC3\xA9\"}");
	json_out_json(&j, "\xE2\x80\xA8");
	json_out_json(&j, "");
	json_out_close(&j, ']');
	buf_putc(&buf, '\0');
	assert_string_equal(buf.data,
	    "[{\"a\\n\":\"\\u009b31m\\u202e\\u007f\xC3\xA9\"},\\u2028,]");
	buf_finish(&buf);
}

static void
json_put_writes_a_key_and_its_value(void **state)
{
	struct json_out j;
	struct buf buf;

	(void)state;
	buf_init(&buf, 200);
	json_out_init(&j, &buf);
	json_out_open(&j, '{');
	json_put_text(&j, "a", "x");
	json_put_open(&j, "b", '{');
	json_put_string(&j, "c", "yz", 1);
	json_put_number(&j, "d", UINT64_MAX);
	json_out_close(&j, '}');
	json_put_int(&j, "e", -1);
	json_put_maybe(&j, "f", true, INT64_MIN);
	json_put_bool(&j, "g", true);
	json_out_close(&j, '}');
	auto_free char *text = buf_take(&buf);
	assert_string_equal(text,
	    "{\"a\":\"x\",\"b\":{\"c\":\"y\",\"d\":18446744073709551615},"
	    "\"e\":-1,\"f\":-9223372036854775808,\"g\":true}");
}

static void
json_put_writes_null_for_a_missing_value(void **state)
{
	struct json_out j;
	struct buf buf;

	(void)state;
	buf_init(&buf, 100);
	json_out_init(&j, &buf);
	json_out_open(&j, '{');
	json_put_text(&j, "a", NULL);
	json_put_maybe(&j, "b", false, 7);
	json_put_text(&j, "c", "");
	json_out_close(&j, '}');
	auto_free char *text = buf_take(&buf);
	assert_string_equal(text, "{\"a\":null,\"b\":null,\"c\":\"\"}");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_out_puts_commas_where_they_belong),
		cmocka_unit_test(
		    json_out_escapes_characters_special_to_json_or_terminals),
		cmocka_unit_test(json_out_replaces_invalid_utf8),
		cmocka_unit_test(json_out_writes_negative_numbers_and_null),
		cmocka_unit_test(json_out_escapes_inside_given_json),
		cmocka_unit_test(json_put_writes_a_key_and_its_value),
		cmocka_unit_test(json_put_writes_null_for_a_missing_value),
		cmocka_unit_test(
		    json_out_lets_the_buffer_report_that_it_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
