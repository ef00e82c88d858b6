#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "op/items.h"

static const struct items_for plain;

static int
encode(const char *json, const struct items_for *to, struct buf *out,
    struct error *err)
{
	json_t *items = json_loads(json, 0, NULL);
	int rc;

	assert_non_null(items);
	memset(err, 0, sizeof(*err));
	rc = items_encode(items, to, out, err);
	json_decref(items);
	return rc;
}

static void
expect(const char *json, const struct items_for *to, const char *typed,
    size_t len)
{
	struct error err;
	struct buf b;

	buf_init(&b, 4096);
	if (encode(json, to, &b, &err) != 0)
		fail_msg("%s: %s", json, err.msg);
	assert_int_equal(b.len, len);
	assert_memory_equal(b.data, typed, len);
	buf_finish(&b);
}

static void
expect_no(const char *json, const struct items_for *to, const char *word)
{
	struct error err;
	struct buf b;

	buf_init(&b, 4096);
	if (encode(json, to, &b, &err) != -EINVAL ||
	    strstr(err.msg, word) == NULL)
		fail_msg("%s: no '%s' in '%s'", json, word, err.msg);
	buf_finish(&b);
}

static void
items_keep_their_order(void **state)
{
	(void)state;
	expect("[{\"text\":\"ls\"},{\"keys\":[\"Enter\",\"C-c\"]},"
	       "{\"paste\":\"x\\ny\"},{\"hex\":\"00ff 1B\"}]",
	    &plain, "ls\r\003x\ry\0\377\033", 10);
}

static void
wrong_items_are_reported(void **state)
{
	static const char *const bad[][2] = {
		{ "[7]", "text, keys, paste, hex, mouse" },
		{ "[{}]", "text, keys, paste, hex, mouse" },
		{ "[{\"nose\":1}]", "text, keys, paste, hex, mouse" },
		{ "[{\"text\":7}]", "'text' must be a string" },
		{ "[{\"text\":\"a\",\"paste\":\"b\"}]", "with one of" },
		{ "[{\"keys\":\"C-c\"}]", "'keys' must be an array" },
		{ "[{\"keys\":[7]}]", "names of keys" },
		{ "[{\"keys\":[\"NoSuchKey\"]}]", "NoSuchKey" },
		{ "[{\"hex\":\"1\"}]", "'hex' must be pairs" },
		{ "[{\"hex\":\"1g\"}]", "'hex' must be pairs" },
		{ "[{\"hex\":\"1 b\"}]", "'hex' must be pairs" },
	};
	struct error err;
	struct buf b;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_no(bad[i][0], &plain, bad[i][1]);
	buf_init(&b, 4);
	assert_int_equal(encode("[{\"text\":\"12345\"}]", &plain, &b, &err),
	    -ENOBUFS);
	assert_non_null(strstr(err.msg, "'input' is longer than 4 bytes"));
	buf_finish(&b);
}

static void
mouse_items_become_mouse_events(void **state)
{
	const struct items_for sgr = {
		.modes = { .mouse = MOUSE_BUTTON, .mouse_format = MOUSE_SGR },
		.rows = 24,
		.cols = 80,
	};
	static const char *const gestures[][2] = {
		{ "click 3,4", "\033[<0;5;4M\033[<0;5;4m" },
		{ "click 0,79 right", "\033[<2;80;1M\033[<2;80;1m" },
		{ "press 3,4 middle", "\033[<1;5;4M" },
		{ "release 3,4", "\033[<0;5;4m" },
		{ "drag 23,0", "\033[<32;1;24M" },
		{ "scroll-up 1,2", "\033[<64;3;2M" },
		{ "scroll-down 1,2", "\033[<65;3;2M" },
	};
	char json[80];

	(void)state;
	for (size_t i = 0; i < sizeof(gestures) / sizeof(*gestures); i++) {
		snprintf(json, sizeof(json), "[{\"mouse\":\"%s\"}]",
		    gestures[i][0]);
		expect(json, &sgr, gestures[i][1], strlen(gestures[i][1]));
	}
}

static void
an_invalid_mouse_event_is_refused(void **state)
{
	const struct items_for sgr = {
		.modes = { .mouse = MOUSE_NORMAL, .mouse_format = MOUSE_SGR },
		.rows = 24,
		.cols = 80,
	};
	const struct items_for pixels = {
		.modes = { .mouse = MOUSE_NORMAL,
		    .mouse_format = MOUSE_SGR_PIXELS },
	};
	static const char *const bad[] = { "", "click", "click 3", "click 3,",
		"click ,3", "click -1,3", "click 3,-4", "click 3,4,5",
		"click 3,4 ", "click 3,4 nose", "click 3, 4", "click  3,4",
		"clicks 3,4", "click 3,4left", "click 12345,1" };
	char json[80];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(json, sizeof(json), "[{\"mouse\":\"%s\"}]", bad[i]);
		expect_no(json, &sgr, "'mouse' must be press, release");
	}
	expect_no("[{\"mouse\":\"click 24,0\"}]", &sgr, "rows are 0 to 23");
	expect_no("[{\"mouse\":\"click 0,80\"}]", &sgr, "columns 0 to 79");
	expect_no("[{\"mouse\":\"click 0,0\"}]", &plain, "has not enabled");
	expect_no("[{\"mouse\":\"drag 0,0\"}]", &sgr, "has not enabled");
	expect_no("[{\"mouse\":\"click 0,0\"}]", &pixels, "pixels");
}

static void
items_can_be_checked_without_a_terminal(void **state)
{
	json_t *
	    good = json_loads("[{\"mouse\":\"drag 999,999\"},{\"text\":\"x\"}]",
		0, NULL);
	json_t *bad = json_loads("[{\"mouse\":\"drag\"}]", 0, NULL);
	struct error err;

	(void)state;
	assert_int_equal(items_check(good, &err), 0);
	assert_int_equal(items_check(bad, &err), -EINVAL);
	json_decref(good);
	json_decref(bad);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_keep_their_order),
		cmocka_unit_test(wrong_items_are_reported),
		cmocka_unit_test(mouse_items_become_mouse_events),
		cmocka_unit_test(an_invalid_mouse_event_is_refused),
		cmocka_unit_test(items_can_be_checked_without_a_terminal),
	};

	return cmocka_run_group_tests_name("op_items", tests, NULL, NULL);
}
