#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_field.h"
#include "base/json_out.h"
#include "base/json_tree.h"

static const char *const colours[] = { NULL, "red", "green" };

struct thing {
	uint8_t u8;
	uint16_t u16;
	uint64_t u64;
	int32_t i32;
	int64_t i64;
	bool yes, no;
	enum { NO_COLOUR, RED, GREEN } colour;
	char text[8], cut[8];
	char *string;
};

static const struct json_field fields[] = {
	JSON_FIELD(struct thing, u8, "u8", UINT, 200),
	JSON_FIELD(struct thing, u16, "u16", UINT, UINT16_MAX),
	JSON_FIELD(struct thing, u64, "u64", UINT, INT64_MAX),
	JSON_FIELD(struct thing, i32, "i32", INT, 0),
	JSON_FIELD(struct thing, i64, "i64", INT, 0),
	JSON_FIELD(struct thing, yes, "yes", BOOL, 0),
	JSON_FIELD(struct thing, no, "no", NOT, 0),
	JSON_FIELD_NAMES(struct thing, colour, "colour", colours),
	JSON_FIELD(struct thing, text, "text", TEXT, 0),
	JSON_FIELD(struct thing, cut, "cut", CUT, 0),
	JSON_FIELD(struct thing, string, "string", STRING, 10),
	{ 0 },
};

static int
reads(const char *json, struct thing *t, struct error *err)
{
	auto_json json_t *o = json_tree_object(json, strlen(json), NULL);

	assert_non_null(o);
	return json_fields_read(fields, o, t, err);
}

static void
refuses(const char *json, const char *why)
{
	struct error err = { 0 };
	struct thing t = { 0 };

	assert_int_equal(reads(json, &t, &err), -EINVAL);
	if (strstr(err.msg, why) == NULL)
		fail_msg("%s: \"%s\" does not say \"%s\"", json, err.msg, why);
	assert_null(t.string);
}

static void
every_kind_of_field_is_read(void **state)
{
	struct thing t = { .u8 = 5 };

	(void)state;
	assert_int_equal(
	    reads("{\"u16\":65535,\"u64\":9223372036854775807,"
		  "\"i32\":-2147483648,\"i64\":-1,\"yes\":true,"
		  "\"no\":true,\"colour\":\"green\","
		  "\"text\":\"1234567\",\"cut\":\"123456\xc3\xa9\","
		  "\"string\":\"0123456789\",\"u8\":null,"
		  "\"more\":{}}",
		&t, NULL),
	    0);
	assert_true(t.u8 == 5 && t.u16 == 65535 && t.u64 == INT64_MAX);
	assert_true(t.i32 == INT32_MIN && t.i64 == -1 && t.yes && !t.no);
	assert_int_equal(t.colour, GREEN);
	assert_string_equal(t.text, "1234567");
	assert_string_equal(t.cut, "123456");
	assert_string_equal(t.string, "0123456789");
	free(t.string);
}

static void
a_field_of_the_wrong_kind_is_named(void **state)
{
	(void)state;
	refuses("{\"u8\":201}", "u8 must be a whole number from 0 to 200");
	refuses("{\"u8\":true}", "u8");
	refuses("{\"u64\":-1}", "u64");
	refuses("{\"i32\":2147483648}", "i32");
	refuses("{\"i64\":1.5}", "i64");
	refuses("{\"yes\":1}", "yes must be true or false");
	refuses("{\"colour\":\"blue\"}", "colour must be red or green");
	refuses("{\"colour\":1}", "colour must be red or green");
	refuses("{\"text\":\"12345678\"}", "text is longer than 7 bytes");
	refuses("{\"cut\":[]}", "cut must be a string");
	refuses("{\"string\":\"01234567890\"}", "string is longer than 10");
}

static void
defaults_are_left_out(void **state)
{
	struct thing defaults = { .u16 = 7 }, t = defaults;
	struct json_out j;
	struct buf b;

	(void)state;
	t.i32 = -4;
	t.no = true;
	t.colour = RED;
	t.text[0] = 'x';
	buf_init(&b, 1000);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_fields_write(fields, &t, &defaults, &j);
	json_out_close(&j, '}');
	json_out_open(&j, '{');
	json_fields_write(fields, &t, NULL, &j);
	json_out_close(&j, '}');
	buf_putc(&b, '\0');
	assert_string_equal(b.data,
	    "{\"i32\":-4,\"no\":false,\"colour\":\"red\",\"text\":\"x\"},"
	    "{\"u8\":0,\"u16\":7,\"u64\":0,\"i32\":-4,\"i64\":0,\"yes\":false,"
	    "\"no\":false,\"colour\":\"red\",\"text\":\"x\",\"cut\":\"\","
	    "\"string\":null}");
	buf_finish(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_field_is_read),
		cmocka_unit_test(a_field_of_the_wrong_kind_is_named),
		cmocka_unit_test(defaults_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
