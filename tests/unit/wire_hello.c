#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "wire/frame.h"
#include "wire/hello.h"

static struct hello
reads(const char *line)
{
	struct error err = { 0 };
	struct hello h;
	int rc = hello_read(&h, line, strlen(line), &err);

	if (rc != 0)
		fail_msg("%s: %s", line, err.msg);
	return h;
}

static void
assert_hello_equal(const struct hello *a, const struct hello *b)
{
	struct buf lines[2];

	buf_init(&lines[0], FRAME_LINE_MAX);
	buf_init(&lines[1], FRAME_LINE_MAX);
	assert_int_equal(hello_write(a, &lines[0]), 0);
	assert_int_equal(hello_write(b, &lines[1]), 0);
	buf_putc(&lines[0], '\0');
	buf_putc(&lines[1], '\0');
	assert_string_equal(lines[0].data, lines[1].data);
	buf_finish(&lines[0]);
	buf_finish(&lines[1]);
}

/* The line is refused, with this in the reason. */
static void
refuses(const char *line, const char *why)
{
	struct error err = { 0 };
	struct hello h = { .version = 99 };

	assert_int_equal(hello_read(&h, line, strlen(line), &err), -EINVAL);
	assert_int_equal(h.version, 99);
	if (strstr(err.msg, why) == NULL)
		fail_msg("%s: \"%s\" does not say \"%s\"", line, err.msg, why);
}

static void
a_short_hello_has_the_defaults(void **state)
{
	struct hello h = reads("{\"tend\":1}\n"), defaults;

	(void)state;
	hello_init(&defaults);
	assert_hello_equal(&h, &defaults);
	assert_int_equal(h.history, 1048576);
	assert_int_equal(h.flow_ms, 1000);
	assert_int_equal(h.mode, HELLO_CONTROL);
	assert_int_equal(h.replay, HELLO_SCREEN);
	assert_false(h.readonly || h.hidden || h.has_from || h.steal);
}

static void
a_full_hello_is_understood(void **state)
{
	struct hello h = reads(
	    "{\"tend\":2,\"client\":\"x 1\",\"features\":[\"keyframe\","
	    "\"teleport\",\"offset\"],\"mode\":\"attach\",\"engine\":1,"
	    "\"access\":\"readonly\",\"replay\":\"raw\",\"from\":0,"
	    "\"history\":7,\"cols\":80,\"rows\":24,\"behind\":\"lossless\","
	    "\"flow\":\"block\",\"flow_ms\":10000,\"steal\":true,"
	    "\"who\":9223372036854775807,"
	    "\"colours\":{\"fg\":\"ffFFff\",\"bg\":\"000001\"},"
	    "\"principal\":\"user:ann+x@host/1\",\"verified\":\"token\","
	    "\"visible\":false,\"new\":{\"thing\":[]}}");

	(void)state;
	assert_int_equal(h.version, 2);
	assert_string_equal(h.client, "x 1");
	assert_int_equal(h.features, HELLO_OFFSET | HELLO_KEYFRAME);
	assert_int_equal(h.mode, HELLO_ATTACH);
	assert_int_equal(h.engine, 1);
	assert_true(h.readonly && h.has_from && h.steal && h.hidden);
	assert_true(h.from == 0 && h.history == 7);
	assert_int_equal(h.replay, HELLO_RAW);
	assert_true(h.cols == 80 && h.rows == 24);
	assert_int_equal(h.behind, HELLO_BEHIND_LOSSLESS);
	assert_true(h.flow_block && h.flow_ms == 10000);
	assert_true(h.who == INT64_MAX);
	assert_string_equal(h.principal, "user:ann+x@host/1");
	assert_string_equal(h.verified, "token");
	assert_true(h.has_colours && h.fg == 0xffffff && h.bg == 1);
}

static void
an_invalid_field_is_named(void **state)
{
	(void)state;
	refuses("", "empty");
	refuses("hello", "no JSON");
	refuses("[]", "no JSON object");
	refuses("{}", "tend");
	refuses("{\"tend\":1,\"tend\":1}", "duplicate");
	refuses("{\"tend\":\"1\"}", "tend must be a whole number");
	refuses("{\"tend\":1.0}", "tend");
	refuses("{\"tend\":-1}", "tend");
	refuses("{\"tend\":1,\"client\":3}", "client must be a string");
	refuses("{\"tend\":1,\"mode\":\"x\"}",
	    "mode must be control or attach");
	refuses("{\"tend\":1,\"mode\":1}", "mode must be");
	refuses("{\"tend\":1,\"features\":{}}", "features must be an array");
	refuses("{\"tend\":1,\"features\":[1]}", "features must be strings");
	refuses("{\"tend\":1,\"access\":\"all\"}", "access must be");
	refuses("{\"tend\":1,\"replay\":\"all\"}",
	    "replay must be screen, raw or none");
	refuses("{\"tend\":1,\"from\":-1}", "from must be a whole number");
	refuses("{\"tend\":1,\"cols\":65536,\"rows\":1}", "cols");
	refuses("{\"tend\":1,\"cols\":80}", "cols and rows go together");
	refuses("{\"tend\":1,\"behind\":true}", "behind");
	refuses("{\"tend\":1,\"flow\":\"no\"}", "flow must be block");
	refuses("{\"tend\":1,\"flow_ms\":10001}", "flow_ms");
	refuses("{\"tend\":1,\"steal\":1}", "steal must be true or false");
	refuses("{\"tend\":1,\"who\":\"me\"}", "who must be a whole number");
	refuses("{\"tend\":1,\"visible\":\"no\"}", "visible");
	refuses("{\"tend\":1,\"principal\":7}", "principal");
	refuses("{\"tend\":1,\"principal\":\"ann\"}", "KIND:NAME");
	refuses("{\"tend\":1,\"principal\":\"user:\"}", "KIND:NAME");
	refuses("{\"tend\":1,\"principal\":\":ann\"}", "KIND:NAME");
	refuses("{\"tend\":1,\"principal\":\"user:a b\"}", "KIND:NAME");
	refuses("{\"tend\":1,\"principal\":\"user:a\\nb\"}", "KIND:NAME");
	refuses("{\"tend\":1,\"principal\":\"user:a(b)\"}", "KIND:NAME");
	refuses("{\"tend\":1,\"principal\":\"user:a\","
		"\"verified\":\"by me\"}",
	    "verified must be a word");
	refuses("{\"tend\":1,\"verified\":\"token\"}", "goes together");
	refuses("{\"tend\":1,\"colours\":[]}", "colours must be an object");
	refuses("{\"tend\":1,\"colours\":{\"fg\":\"ffffff\"}}", "colours.bg");
	refuses("{\"tend\":1,\"colours\":{\"fg\":\"+fffff\"}}", "colours.fg");
}

static void
a_line_too_long_or_too_deep_is_refused(void **state)
{
	char line[FRAME_LINE_MAX + 2];

	(void)state;
	memset(line, ' ', sizeof(line));
	memcpy(line, "{\"tend\":1}", 10);
	line[sizeof(line) - 1] = '\0';
	refuses(line, "longer than");
	line[FRAME_LINE_MAX] = '\0';
	reads(line);
	snprintf(line, sizeof(line), "{\"tend\":1,\"x\":%.*s", 32,
	    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[");
	refuses(line, "nested");
}

static void
a_hello_is_read_back_unchanged(void **state)
{
	struct hello h, h2;
	struct buf b;

	(void)state;
	hello_init(&h);
	h.features = HELLO_OFFSET | HELLO_EVENTS;
	h.mode = HELLO_ATTACH;
	snprintf(h.client, sizeof(h.client), "tend \"x\"");
	h.readonly = h.has_from = h.has_colours = h.hidden = true;
	h.from = 1ull << 50;
	h.cols = 1;
	h.rows = 2;
	h.fg = 0x0a0b0c;
	buf_init(&b, FRAME_LINE_MAX);
	assert_int_equal(hello_write(&h, &b), 0);
	assert_int_equal(b.data[b.len - 1], '\n');
	buf_putc(&b, '\0');
	h2 = reads((char *)b.data);
	assert_hello_equal(&h, &h2);
	assert_true(h2.from == h.from && h2.fg == h.fg && h2.hidden);
	buf_finish(&b);
}

static void
a_long_client_is_cut_between_characters(void **state)
{
	char line[256], long_name[128] = "";
	struct hello h;

	(void)state;
	for (size_t i = 0; i < 80; i++)
		long_name[i] = "\xc3\xa9"[i % 2];
	snprintf(line, sizeof(line), "{\"tend\":1,\"client\":\"%s\"}",
	    long_name);
	h = reads(line);
	assert_int_equal(strlen(h.client), 62);
	assert_memory_equal(h.client, long_name, 62);
}

static void
welcome_reads(const char *line, struct welcome *w)
{
	struct error err = { 0 };

	if (welcome_read(w, line, strlen(line), &err) != 0)
		fail_msg("%s: %s", line, err.msg);
}

static void
a_welcome_is_read_back_unchanged(void **state)
{
	struct welcome w = { .ok = true,
		.version = 1,
		.features = HELLO_KEYFRAME,
		.host = "tend 0.1.0",
		.id = "01J0000000000000000000000A",
		.name = "a/b",
		.readonly = true };
	struct welcome no = { .code = "denied",
		.message = "not you",
		.retryable = true },
		       w2;
	struct buf b;

	(void)state;
	buf_init(&b, FRAME_LINE_MAX);
	assert_int_equal(welcome_write(&w, &b), 0);
	buf_putc(&b, '\0');
	welcome_reads((char *)b.data, &w2);
	assert_true(w2.ok && w2.version == 1 && w2.readonly);
	assert_int_equal(w2.features, HELLO_KEYFRAME);
	assert_string_equal(w2.host, w.host);
	assert_string_equal(w2.id, w.id);
	assert_string_equal(w2.name, w.name);
	buf_clear(&b);
	assert_int_equal(welcome_write(&no, &b), 0);
	buf_putc(&b, '\0');
	assert_string_equal(b.data,
	    "{\"ok\":false,\"error\":{\"code\":\"denied\",\"message\":\"not "
	    "you\",\"retryable\":true,\"details\":{}}}\n");
	welcome_reads((char *)b.data, &w2);
	assert_true(!w2.ok && w2.retryable);
	assert_string_equal(w2.code, "denied");
	assert_string_equal(w2.message, "not you");
	buf_finish(&b);
}

static void
an_invalid_welcome_is_refused(void **state)
{
	static const char *const lines[] = {
		"{}",
		"{\"ok\":1}",
		"{\"ok\":true}",
		"{\"ok\":true,\"tend\":0}",
		"{\"ok\":true,\"tend\":1,\"granted\":\"x\"}",
		"{\"ok\":false}",
		"{\"ok\":false,\"error\":{}}",
		"{\"ok\":false,\"error\":{\"code\":1}}",
	};
	struct error err;
	struct welcome w;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (welcome_read(&w, lines[i], strlen(lines[i]), &err) !=
		    -EINVAL)
			fail_msg("taken: %s", lines[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_hello_has_the_defaults),
		cmocka_unit_test(a_full_hello_is_understood),
		cmocka_unit_test(an_invalid_field_is_named),
		cmocka_unit_test(a_line_too_long_or_too_deep_is_refused),
		cmocka_unit_test(a_hello_is_read_back_unchanged),
		cmocka_unit_test(a_long_client_is_cut_between_characters),
		cmocka_unit_test(a_welcome_is_read_back_unchanged),
		cmocka_unit_test(an_invalid_welcome_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
