#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "base/json_tree.h"
#include "log/payload_json.h"
#include "log/record.h"

#define MAX 4096

/* The encoder makes exactly this text of the payload. */
#define SAME(id, want, ...) \
	do { \
		struct buf b_; \
		buf_init(&b_, MAX); \
		payload_##id##_encode(&(struct payload_##id){ __VA_ARGS__ }, \
		    &b_); \
		buf_putc(&b_, '\0'); \
		assert_false(b_.full); \
		assert_string_equal((const char *)b_.data, want); \
		buf_finish(&b_); \
	} while (0)

/* The texts of the format, by hand: logs of older versions have them. */
static void
payloads_have_the_json_that_the_format_names(void **state)
{
	char *command[] = { "sh", "-c", "a \"b\"", NULL };

	(void)state;
	SAME(start,
	    "{\"id\":\"01J\",\"name\":\"main\","
	    "\"command\":[\"sh\",\"-c\",\"a \\\"b\\\"\"],\"cwd\":\"/\","
	    "\"cols\":80,\"rows\":24,\"time_ms\":1700000000000,"
	    "\"boot_id\":\"b\"}",
	    .id = "01J", .name = "main", .command = command, .cwd = "/",
	    .cols = 80, .rows = 24, .time_ms = 1700000000000, .boot_id = "b");
	SAME(oom,
	    "{\"process\":\"cc1\",\"pid\":7,\"rss\":100,\"limit\":99,"
	    "\"count\":2}",
	    "cc1", 7, 100, 99, 2);
	SAME(restart,
	    "{\"exit_code\":-1,\"exit_signal\":9,\"delay_ms\":1000,"
	    "\"count\":3}",
	    -1, 9, 1000, 3);
	SAME(program_status,
	    "{\"state\":\"busy\",\"kind\":null,\"app\":null,\"text\":\"hi\"}",
	    "busy", NULL, NULL, "hi");
	SAME(activity,
	    "{\"agent\":\"claude\",\"version\":null,"
	    "\"activity\":\"idle\",\"source\":\"screen\","
	    "\"confidence\":\"likely\",\"why\":\"its box\"}",
	    "claude", NULL, "idle", "screen", "likely", "its box");
}

static void
a_change_has_only_the_members_it_needs(void **state)
{
	(void)state;
	SAME(meta,
	    "{\"what\":\"label\",\"key\":\"k\",\"value\":\"v\",\"by\":\"uid:1\"}",
	    "label", "k", "v", "uid:1");
	SAME(meta, "{\"what\":\"label\",\"key\":\"k\",\"by\":\"uid:1\"}",
	    "label", "k", NULL, "uid:1");
	SAME(meta, "{\"what\":\"name\",\"value\":\"n\",\"by\":\"uid:1\"}",
	    "name", NULL, "n", "uid:1");
}

static void
trouble_has_two_shapes(void **state)
{
	(void)state;
	SAME(trouble, "{\"what\":\"restart\",\"text\":\"why\"}",
	    .what = "restart", .text = "why");
	SAME(trouble,
	    "{\"trouble\":\"lease-stolen\",\"from\":\"uid:1\",\"by\":\"uid:2\"}",
	    .trouble = "lease-stolen", .from = "uid:1", .by = "uid:2");
}

static void
a_run_and_its_end_leave_out_what_is_not_known(void **state)
{
	(void)state;
	SAME(run,
	    "{\"command\":\"ls\",\"capture\":\"exact\",\"by\":\"uid:1\","
	    "\"key\":\"k\"}",
	    "ls", "exact", "uid:1", "k");
	SAME(run, "{\"capture\":\"exact\",\"by\":\"uid:1\"}",
	    .capture = "exact", .by = "uid:1");
	SAME(run_end,
	    "{\"run\":5,\"outcome\":\"completed\",\"capture\":\"exact\","
	    "\"exit_code\":0,\"from\":10,\"to\":20}",
	    5, "completed", "exact", 0, 10, 20);
	SAME(run_end,
	    "{\"run\":null,\"outcome\":\"refused\",\"capture\":\"best-effort\","
	    "\"exit_code\":null,\"from\":0,\"to\":0}",
	    -1, "refused", "best-effort", -1, 0, 0);
}

static void
keys_are_written_with_their_answers(void **state)
{
	const struct payload_known_key known[] = {
		{ .key = "a",
		    .op = "session.send",
		    .digest = "01",
		    .state = "done",
		    .answer = "{\"ok\":true}" },
		{ .key = "b", .op = "session.exec", .state = "open" },
	};

	(void)state;
	SAME(key,
	    "{\"key\":\"a\",\"op\":\"session.send\",\"digest\":null,"
	    "\"by\":\"uid:1\"}",
	    "a", "session.send", NULL, "uid:1");
	SAME(key_end, "{\"key\":\"a\",\"typed\":true,\"answer\":{\"ok\":true}}",
	    .key = "a", .typed = true, .answer = "{\"ok\":true}");
	SAME(key_end, "{\"key\":\"a\",\"typed\":false,\"answer\":null}",
	    .key = "a");
	SAME(keys, "{\"keys\":[]}", .keys = NULL);
	SAME(keys,
	    "{\"keys\":[{\"key\":\"a\",\"op\":\"session.send\","
	    "\"digest\":\"01\",\"state\":\"done\",\"answer\":{\"ok\":true}},"
	    "{\"key\":\"b\",\"op\":\"session.exec\",\"digest\":null,"
	    "\"state\":\"open\",\"answer\":null}]}",
	    .keys = known, .keys_count = 2);
}

static void
a_full_buffer_refuses_the_payload(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 10);
	payload_key_encode(&(struct payload_key){ .key = "abc" }, &b);
	assert_true(b.full);
	buf_finish(&b);
}

#define DECODE(id, out, text, tree) \
	payload_##id##_decode(out, text, strlen(text), tree)

static void
a_payload_is_read_as_it_was_written(void **state)
{
	auto_json json_t *a = NULL, *b = NULL, *c = NULL;
	struct payload_known_key known;
	struct payload_restart restart;
	struct payload_start start;
	struct payload_keys keys;

	(void)state;
	assert_true(DECODE(restart, &restart,
	    "{\"exit_code\":-1,\"exit_signal\":9,\"count\":3}", &a));
	assert_int_equal(restart.exit_code, -1);
	assert_int_equal(restart.exit_signal, 9);
	assert_int_equal(restart.count, 3);
	assert_true(DECODE(start, &start,
	    "{\"id\":\"x\",\"command\":[\"sh\"],\"later\":1}", &b));
	assert_string_equal(start.id, "x");
	assert_int_equal(json_array_size(start.command_tree), 1);
	assert_true(DECODE(keys, &keys,
	    "{\"keys\":[{\"key\":\"k\",\"answer\":{\"ok\":true}}]}", &c));
	payload_known_key_read(&known, json_array_get(keys.keys_tree, 0));
	assert_string_equal(known.key, "k");
	assert_true(json_is_true(json_object_get(known.answer_tree, "ok")));
}

static void
members_that_are_absent_or_of_another_type_are_not_known(void **state)
{
	auto_json json_t *a = NULL, *b = NULL;
	struct payload_run_end end;
	struct payload_key_end key;

	(void)state;
	assert_true(DECODE(run_end, &end,
	    "{\"run\":null,\"outcome\":7,\"from\":-1,\"to\":\"x\"}", &a));
	assert_int_equal(end.run, -1);
	assert_int_equal(end.exit_code, -1);
	assert_null(end.outcome);
	assert_int_equal(end.from + end.to, 0);
	assert_true(DECODE(key_end, &key,
	    "{\"key\":[],\"typed\":1,\"answer\":\"no\"}", &b));
	assert_null(key.key);
	assert_false(key.typed);
	assert_null(key.answer_tree);
}

static void
other_types_and_broken_json_are_refused(void **state)
{
	static const char *const broken[] = { "", "[]", "{",
		"{\"a\":1,\"a\":2}", "{\"key\":\"\\u0000\"}" };
	struct record rec = { .type = RECORD_META,
		.payload = (const uint8_t *)"{}",
		.len = 2 };
	struct payload_key key;
	json_t *tree = NULL;

	(void)state;
	assert_false(payload_key_of(&key, &rec, &tree));
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		assert_false(DECODE(key, &key, broken[i], &tree));
	assert_null(tree);
	rec.type = RECORD_KEY;
	assert_true(payload_key_of(&key, &rec, &tree));
	json_decref(tree);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(payloads_have_the_json_that_the_format_names),
		cmocka_unit_test(a_change_has_only_the_members_it_needs),
		cmocka_unit_test(trouble_has_two_shapes),
		cmocka_unit_test(a_run_and_its_end_leave_out_what_is_not_known),
		cmocka_unit_test(keys_are_written_with_their_answers),
		cmocka_unit_test(a_full_buffer_refuses_the_payload),
		cmocka_unit_test(a_payload_is_read_as_it_was_written),
		cmocka_unit_test(
		    members_that_are_absent_or_of_another_type_are_not_known),
		cmocka_unit_test(other_types_and_broken_json_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
