/* Every operation of a home through the library alone, with real sessions. */
#include "unit.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "client/conn.h"
#include "session/manifest.h"

#include "home_world.h"

#define THREADS 8

/* ------------------------------------------------------------------- tests */

static void
sessions_are_listed_by_their_labels(void **state)
{
	const struct world *w = *state;
	auto_free char *a = create(w,
	    "{" SHELL ",\"name\":\"a\",\"labels\":{\"team\":\"red\"}}");
	auto_free char *b = create(w,
	    "{" SHELL ",\"name\":\"b\",\"labels\":{\"team\":\"blue\"}}");
	auto_json json_t *list = does(w, "session.list", NULL,
	    "{\"labels\":{\"team\":\"red\"}}");
	const json_t *items = json_object_get(list, "sessions");

	assert_int_equal(json_array_size(items), 1);
	assert_string_equal(text_of(json_array_get(items, 0), "id"), a);
	json_decref(does(w, "session.label", b,
	    "{\"labels\":{\"team\":null,\"free\":\"yes\"}}"));
	wait_for_count(w, "{\"labels\":{\"team\":\"blue\"}}", 0);
	wait_for_count(w, "{\"labels\":{\"free\":\"yes\"}}", 1);
	assert_int_equal(count(w, "{}"), 2);
}

/* The arguments are refused before anything runs. */
static void
refuses(const char *op, const char *text, const char *words)
{
	auto_json json_t *args = json_loads(text, 0, NULL);
	struct error err;

	assert_true(op_take_arguments(op_find(op), args, &err) < 0);
	if (strstr(err.msg, words) == NULL)
		fail_msg("%s: %s", op, err.msg);
}

static void
only_null_removes_a_label(void **state)
{
	const struct world *w = *state;
	auto_free char *runs = create(w,
	    "{" SHELL ",\"labels\":{\"a\":\"1\",\"b\":\"2\"}}");
	auto_free char *ended = create_ended(w,
	    ",\"labels\":{\"a\":\"1\",\"b\":\"2\"}");
	const char *ids[] = { runs, ended };

	refuses("session.label", "{\"labels\":{\"a\":\"\"}}", "labels");
	refuses("session.create", "{\"labels\":{\"a\":\"\"}}", "labels");
	for (size_t i = 0; i < 2; i++) {
		auto_json json_t *s = does(w, "session.label", ids[i],
		    "{\"labels\":{\"a\":null,\"c\":\"3\"}}");
		auto_json json_t *
		    expected = json_loads("{\"b\":\"2\",\"c\":\"3\"}", 0, NULL);

		assert_true(json_equal(json_object_get(s, "labels"), expected));
	}
}

/* {"labels":{"k0":"x",…}}, with more behind it. */
static char *
many_labels(unsigned n, const char *first, const char *last)
{
	auto_json json_t *args = json_object(), *labels = json_object();
	char key[16];

	if (first != NULL)
		json_object_set_new(labels, first, json_string("x"));
	for (unsigned i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "k%u", i);
		json_object_set_new(labels, key, json_string("x"));
	}
	if (last != NULL)
		json_object_set_new(labels, last, json_null());
	json_object_set(args, "labels", labels);
	return json_dumps(args, JSON_COMPACT);
}

static void
a_removed_label_makes_room_for_another(void **state)
{
	const struct world *w = *state;
	auto_free char *full = many_labels(MANIFEST_LABELS_MAX, NULL, NULL);
	auto_free char *swap = many_labels(0, "new", "k0");
	auto_free char *runs = create(w, "{" SHELL "}");
	auto_free char *ended = create_ended(w, "");
	const char *ids[] = { runs, ended };

	for (size_t i = 0; i < 2; i++) {
		auto_json json_t *before = does(w, "session.label", ids[i],
		    full);
		auto_json json_t *s = does(w, "session.label", ids[i], swap);
		const json_t *labels = json_object_get(s, "labels");

		assert_non_null(before);
		assert_int_equal(json_object_size(labels), MANIFEST_LABELS_MAX);
		assert_non_null(json_object_get(labels, "new"));
	}
}

static void
a_name_in_use_exists(void **state)
{
	const struct world *w = *state;
	auto_free char *a = create(w, "{" SHELL ",\"name\":\"a\"}");
	auto_free char *b = create(w, "{" SHELL ",\"name\":\"b\"}");

	assert_non_null(a);
	fails(w, "session.rename", b, "{\"name\":\"a\"}", FAIL_EXISTS, "a");
	fails(w, "session.create", NULL, "{" SHELL ",\"name\":\"a\"}",
	    FAIL_EXISTS, "a");
}

static void
nobody_counts_the_observers_of_an_ended_session(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create_ended(w, "");
	auto_json json_t *renamed = does(w, "session.rename", id,
	    "{\"name\":\"old\"}");
	auto_json json_t *one = does(w, "session.get", id, "{}");
	auto_json json_t *list = does(w, "session.list", NULL,
	    "{\"all\":true}");
	const json_t *first = json_array_get(json_object_get(list, "sessions"),
	    0);

	assert_true(json_is_null(json_object_get(renamed, "observers")));
	assert_true(json_is_null(json_object_get(one, "observers")));
	assert_true(json_is_null(json_object_get(first, "observers")));
}

static void
a_new_session_has_the_requested_properties(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create(w,
	    "{" SHELL ",\"name\":\"it\",\"cwd\":\"/\",\"cols\":60,\"rows\":9,"
	    "\"input\":\"lease\",\"resize\":\"fixed\",\"log_input\":\"none\","
	    "\"max_log\":16777216,\"idle_timeout\":\"2h\",\"scrollback\":50,"
	    "\"linger_output\":1500,\"restart\":\"on-failure\"}");
	auto_json json_t *s = does(w, "session.get", "it", "{}");
	auto_json json_t *again = does(w, "session.create", NULL,
	    "{\"name\":\"it\",\"reuse\":true}");
	auto_json json_t *expected = json_loads(
	    "{\"name\":\"it\",\"cwd\":\"/\",\"cols\":60,\"rows\":9,"
	    "\"input\":\"lease\",\"resize\":\"fixed\",\"log_input\":\"none\","
	    "\"max_log\":16777216,\"idle_timeout_s\":7200,\"scrollback\":50,"
	    "\"linger_ms\":1500,\"restart\":\"on-failure\"}",
	    0, NULL);
	const char *key;
	json_t *value;

	json_object_foreach(expected, key, value)
	{
		if (!json_equal(value, json_object_get(s, key)))
			fail_msg("%s is another", key);
	}
	assert_string_equal(text_of(again, "id"), id);
}

static void
output_and_events_are_in_the_log(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create_ended(w, "");
	auto_json json_t *all = does(w, "session.output", id, "{}");
	auto_json json_t *last = does(w, "session.output", id, "{\"lines\":1}");
	auto_json json_t *raw = does(w, "session.output", id,
	    "{\"raw\":true,\"offset\":1,\"max_bytes\":2}");
	auto_json json_t *events = does(w, "session.events", id, "{}");
	auto_json json_t *some = does(w, "session.events", id,
	    "{\"max_bytes\":300}");
	auto_json json_t *final = does(w, "session.events", id, "{\"last\":1}");
	const json_t *list = json_object_get(events, "events");
	const json_t *end = json_array_get(json_object_get(final, "events"), 0);

	assert_string_equal(text_of(all, "text"), "one\nx\ntwo x\n");
	assert_string_equal(text_of(last, "text"), "two x\n");
	assert_int_equal(strlen(text_of(raw, "data")), 2);
	assert_true(json_is_true(json_object_get(raw, "truncated")));
	assert_string_equal(text_of(json_array_get(list, 0), "type"), "start");
	assert_true(json_is_true(json_object_get(some, "truncated")));
	assert_true(json_array_size(json_object_get(some, "events")) <
	    json_array_size(list));
	assert_non_null(end);
}

static uint64_t
number_of(const json_t *object, const char *key)
{
	const json_t *n = json_object_get(object, key);

	assert_true(json_is_integer(n));
	return (uint64_t)json_integer_value(n);
}

/* All events, read in small pages. */
static json_t *
paged_events(const struct world *w, const char *id)
{
	json_t *all = json_array();
	uint64_t since = 0;
	bool more = true;
	char args[80];

	while (more) {
		auto_json json_t *page = NULL;

		snprintf(args, sizeof(args),
		    "{\"since\":%" PRIu64 ",\"max_bytes\":700}", since);
		page = does(w, "session.events", id, args);
		json_array_extend(all, json_object_get(page, "events"));
		more = json_is_true(json_object_get(page, "truncated"));
		since = number_of(page, "next_seq");
	}
	return all;
}

static void
pages_of_events_have_no_gap_and_no_repetition(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create_ended(w, "");
	auto_json json_t *whole = NULL, *pages = NULL, *rest = NULL;
	char args[80];

	/* A host that still takes late output may log another event. */
	json_decref(does(w, "session.rename", id, "{\"name\":\"old\"}"));
	whole = does(w, "session.events", id, "{}");
	pages = paged_events(w, id);
	assert_true(json_array_size(pages) > 3);
	assert_int_equal(json_array_size(pages),
	    json_array_size(json_object_get(whole, "events")));
	for (size_t i = 0; i < json_array_size(pages); i++)
		assert_int_equal(number_of(json_array_get(pages, i), "seq"),
		    number_of(json_array_get(json_object_get(whole, "events"),
				  i),
			"seq"));
	snprintf(args, sizeof(args), "{\"since\":%" PRIu64 "}",
	    number_of(whole, "next_seq"));
	rest = does(w, "session.events", id, args);
	assert_int_equal(json_array_size(json_object_get(rest, "events")), 0);
	assert_null(json_object_get(rest, "next_seq"));
}

static void
type_line(const struct world *w, const char *id, const char *text)
{
	char args[200];

	snprintf(args, sizeof(args),
	    "{\"input\":[{\"text\":\"%s\"},{\"keys\":[\"Enter\"]}]}", text);
	json_decref(does(w, "session.send", id, args));
}

/* Read the output while the program runs, from where the last read ended. */
static void
output_is_followed_without_a_gap(void **state)
{
	static const char *const keys[][2] = { { "offset", "next_offset" },
		{ "since", "next_seq" } };
	const struct world *w = *state;

	for (size_t i = 0; i < 2; i++) {
		auto_free char *id = create(w, "{" PROGRAM "}");
		auto_json json_t *first = NULL, *rest = NULL, *all = NULL;
		char args[100], joined[100];

		wait_for(w, id, "{\"text\":\"one\"}");
		first = does(w, "session.output", id, "{\"raw\":true}");
		type_line(w, id, "x");
		wait_for(w, id, "{\"exit\":true}");
		snprintf(args, sizeof(args),
		    "{\"raw\":true,\"%s\":%" PRIu64 "}", keys[i][0],
		    number_of(first, keys[i][1]));
		rest = does(w, "session.output", id, args);
		all = does(w, "session.output", id, "{\"raw\":true}");
		snprintf(joined, sizeof(joined), "%s%s", text_of(first, "data"),
		    text_of(rest, "data"));
		assert_string_equal(text_of(all, "data"), joined);
		assert_int_equal(number_of(rest, "next_offset"),
		    strlen(joined));
	}
}

static void
a_range_ends_inside_the_output(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create_ended(w, "");
	auto_json json_t *part = does(w, "session.output", id,
	    "{\"raw\":true,\"from\":\"@1\",\"to\":\"@2\"}");
	auto_json json_t *rest = does(w, "session.output", id,
	    "{\"raw\":true,\"offset\":2,\"skip\":1,\"max_bytes\":2}");

	assert_string_equal(text_of(part, "data"), "n");
	assert_int_equal(number_of(part, "next_offset"), 2);
	assert_string_equal(text_of(rest, "data"), "\r\n");
}

/* Programs write NUL too. */
static void
every_byte_of_the_output_can_be_read(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create(w,
	    "{\"command\":[\"printf\",\"a\\\\0b\"]}");
	auto_json json_t *raw = NULL, *events = NULL;
	const json_t *data;

	wait_for(w, id, "{\"exit\":true}");
	raw = does(w, "session.output", id, "{\"raw\":true}");
	events = does(w, "session.events", id, "{}");
	data = json_object_get(raw, "data");
	assert_int_equal(json_string_length(data), 3);
	assert_memory_equal(json_string_value(data), "a\0b", 3);
	assert_non_null(events);
}

static void
the_screen_of_a_moment_comes_from_the_log(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create_ended(w, "");
	auto_json json_t *now = does(w, "session.snapshot", id,
	    "{\"format\":\"text\"}");
	auto_json json_t *then = does(w, "session.snapshot", id,
	    "{\"format\":\"text\",\"at\":\"@5\"}");

	assert_non_null(strstr(text_of(now, "data"), "two x"));
	assert_non_null(strstr(text_of(then, "data"), "one"));
	assert_null(strstr(text_of(then, "data"), "two"));
	fails(w, "session.snapshot", id, "{\"at\":\"mark:none\"}",
	    FAIL_NOT_FOUND, "none");
}

static void
a_wait_is_answered_from_the_log_of_an_ended_session(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create_ended(w, "");
	auto_json json_t *found = does(w, "session.wait", id,
	    "{\"text\":\"two\",\"after\":1}");
	auto_json json_t *never = does(w, "session.wait", id,
	    "{\"text\":\"three\"}");
	char args[200];
	json_t *both;

	assert_true(json_is_true(json_object_get(found, "matched")));
	assert_false(json_is_true(json_object_get(never, "matched")));
	snprintf(args, sizeof(args),
	    "{\"sessions\":[\"%s\",\"%s\"],\"exit\":true}", id, id);
	both = does(w, "home.wait", NULL, args);
	assert_true(json_is_true(json_object_get(both, "matched")));
	assert_int_equal(json_array_size(json_object_get(both, "sessions")), 2);
	json_decref(both);
}

static void
steps_are_carried_out_in_order(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create(w, "{" SHELL "}");
	auto_json json_t *done = does(w, "session.batch", id,
	    "{\"steps\":[{\"wait\":\"ready>\"},{\"exec\":\"echo hello\"},"
	    "{\"exec\":\"false\"},{\"exec\":\"echo never\"}]}");
	const json_t *steps = json_object_get(done, "steps");

	assert_int_equal(json_integer_value(json_object_get(done, "completed")),
	    2);
	assert_string_equal(text_of(json_array_get(steps, 2), "status"),
	    "failed");
	assert_string_equal(text_of(json_array_get(steps, 3), "status"),
	    "not-run");
}

static int64_t
limit_of(const char *op, const char *text)
{
	auto_json json_t *args = json_loads(text, 0, NULL);

	assert_int_equal(op_take_arguments(op_find(op), args, NULL), 0);
	return operation_limit_ms(op_find(op), args);
}

static void
only_a_command_without_a_timeout_has_no_limit(void **state)
{
	auto_free char *id = create(*state, "{" SHELL "}");
	auto_json json_t *done = does(*state, "session.exec", id,
	    "{\"command\":\"(exit 7)\"}");
	const int64_t year = 31536000000;

	assert_int_equal(json_integer_value(json_object_get(done, "exit_code")),
	    7);
	assert_int_equal(limit_of("session.exec", "{\"command\":\"make\"}"),
	    CONN_NO_LIMIT);
	assert_in_range(limit_of("session.exec",
			    "{\"command\":\"make\",\"timeout\":31536000000}"),
	    year, year + 60000);
	assert_in_range(limit_of("session.flush", "{}"), 1, 60000);
	assert_in_range(limit_of("session.prompt", "{\"text\":\"x\"}"), 10000,
	    60000);
}

static void
an_ended_session_is_started_again(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create_ended(w,
	    ",\"name\":\"job\",\"env\":{\"KEPT\":\"old\"}");
	auto_json json_t *again = does(w, "session.rerun", id,
	    "{\"env\":{\"MORE\":\"new\"}}");
	auto_json json_t *env = does(w, "session.environment",
	    text_of(again, "id"), "{\"program\":true}");
	const json_t *variables = json_object_get(env, "variables");

	assert_string_equal(text_of(again, "rerun_of"), id);
	assert_string_equal(text_of(again, "name"), "job");
	assert_string_equal(text_of(variables, "KEPT"), "old");
	assert_string_equal(text_of(variables, "MORE"), "new");
	fails(w, "session.rerun", text_of(again, "id"), "{}", FAIL_EXISTS,
	    "job");
}

static void
a_stop_returns_the_ended_session(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create(w, "{" SHELL ",\"name\":\"s\"}");
	auto_json json_t *mark = does(w, "session.mark", id,
	    "{\"name\":\"here\"}");
	auto_json json_t *ended = does(w, "session.stop", "s",
	    "{\"grace\":\"10s\"}");
	auto_json json_t *marks = does(w, "session.marks", id, "{}");
	auto_json json_t *named = does(w, "session.rename", id,
	    "{\"name\":\"t\"}");
	auto_json json_t *gone = does(w, "session.destroy", id, "{}");

	assert_non_null(mark);
	assert_string_equal(text_of(ended, "outcome"), "stopped");
	assert_string_equal(text_of(json_array_get(json_object_get(marks,
						       "marks"),
					0),
				"name"),
	    "here");
	assert_string_equal(text_of(named, "name"), "t");
	assert_string_equal(text_of(gone, "status"), "destroyed");
	fails(w, "session.stop", "t", "{}", FAIL_NOT_FOUND, "t");
}

static void
gc_removes_only_ended_sessions(void **state)
{
	const struct world *w = *state;
	auto_free char *ended = create_ended(w, "");
	auto_free char *runs = create(w, "{" SHELL "}");
	auto_json json_t *would = NULL, *done = NULL;
	const json_t *removed;

	/* A host that still takes late output keeps its session. */
	json_decref(does(w, "session.rename", ended, "{\"name\":\"old\"}"));
	would = does(w, "home.gc", NULL, "{\"all\":true,\"dry_run\":true}");
	assert_int_equal(json_array_size(json_object_get(would, "removed")), 1);
	assert_int_equal(count(w, "{\"all\":true}"), 2);
	done = does(w, "home.gc", NULL, "{\"all\":true}");
	removed = json_array_get(json_object_get(done, "removed"), 0);
	assert_string_equal(text_of(removed, "id"), ended);
	assert_int_equal(count(w, "{\"all\":true}"), 1);
	wait_for(w, runs, "{\"text\":\"ready>\"}");
	fails(w, "home.gc", NULL, "{}", FAIL_USAGE, "older_than");
}

/* The first finding of a check, as in "ok sessions". */
static void
expect_finding(const json_t *checkup, const char *check, const char *level,
    const char *what)
{
	const json_t *found;
	size_t i;

	json_array_foreach(json_object_get(checkup, "checks"), i, found)
	{
		if (strcmp(text_of(found, "check"), check) != 0)
			continue;
		assert_string_equal(text_of(found, "level"), level);
		if (strstr(text_of(found, "what"), what) == NULL)
			fail_msg("%s, not %s", text_of(found, "what"), what);
		return;
	}
	fail_msg("no finding of %s", check);
}

static void
a_checkup_finds_what_is_wrong_with_a_home(void **state)
{
	const struct world *w = *state;
	auto_json json_t *none = does(w, "home.check", NULL, "{}");
	auto_free char *runs = create(w, "{" SHELL "}");
	auto_json json_t *good = NULL, *bad = NULL;

	expect_finding(none, "home", "ok", "the first session creates it");
	expect_finding(none, "sessions", "ok", "0 running");
	wait_for(w, runs, "{\"text\":\"ready>\"}");
	good = does(w, "home.check", NULL, "{}");
	expect_finding(good, "config", "ok", "no configuration file");
	expect_finding(good, "home", "ok", w->home);
	expect_finding(good, "sessions", "ok", "1 running, all answer");
	assert_int_equal(chmod(w->home, 0755), 0);
	bad = does(w, "home.check", NULL, "{}");
	expect_finding(bad, "home", "warning", "readable by others (mode 755)");
	assert_int_equal(json_integer_value(json_object_get(bad, "warnings")),
	    json_integer_value(json_object_get(good, "warnings")) + 1);
	assert_int_equal(chmod(w->home, 0700), 0);
}

/* The session has the host of this outcome, and not the one before. */
static void
is_replaced(const struct world *w, const char *id, int64_t before,
    const json_t *outcome)
{
	int64_t pid = json_integer_value(json_object_get(outcome, "host_pid"));

	assert_string_equal(text_of(outcome, "id"), id);
	assert_true(json_is_null(json_object_get(outcome, "error")));
	assert_int_not_equal(pid, before);
	assert_int_equal(host_of(w, id), pid);
}

static void
an_upgraded_session_has_another_host(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create(w, "{" SHELL "}");
	auto_free char *ended = create_ended(w, "");
	int64_t first = host_of(w, id);
	auto_json json_t *installed = does(w, "session.upgrade", id, "{}");
	int64_t second = host_of(w, id);
	auto_json json_t *given = NULL;
	char self[PATH_MAX] = "", args[PATH_MAX + 32];

	assert_int_not_equal(first, second);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(args, sizeof(args), "{\"program\":\"%s/tend-host\"}",
	    dirname(self));
	given = does(w, "session.upgrade", id, args);
	is_replaced(w, id, second, given);
	assert_int_equal(json_integer_value(
			     json_object_get(installed, "host_pid")),
	    second);
	fails(w, "session.upgrade", id, "{\"program\":\"/no/such\"}",
	    FAIL_USAGE, "program");
	fails(w, "session.upgrade", id, "{\"program\":\"/etc/passwd\"}",
	    FAIL_INTERNAL, "session ");
	fails(w, "session.upgrade", ended, "{}", FAIL_NOT_RUNNING, "");
	wait_for(w, id, "{\"text\":\"ready>\"}");
}

static void
a_revived_session_has_another_host(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create(w, "{" SHELL "}");
	auto_free char *ended = create_ended(w, "");
	int64_t before = host_of(w, id);
	auto_json json_t *outcome = does(w, "session.revive", id, "{}");

	is_replaced(w, id, before, outcome);
	fails(w, "session.revive", ended, "{}", FAIL_NOT_RUNNING, "tend rerun");
}

static void
all_running_sessions_are_upgraded(void **state)
{
	const struct world *w = *state;
	auto_free char *ended = create_ended(w, "");
	auto_free char *a = create(w, "{" SHELL "}");
	auto_free char *b = create(w, "{" SHELL "}");
	int64_t of_a = host_of(w, a), of_b = host_of(w, b);
	auto_json json_t *all = does(w, "home.upgrade", NULL, "{}");
	const json_t *list = json_object_get(all, "sessions");

	assert_non_null(ended);
	assert_int_equal(json_array_size(list), 2);
	is_replaced(w, b, of_b, json_array_get(list, 0));
	is_replaced(w, a, of_a, json_array_get(list, 1));
}

static void
homes_are_listed_until_they_are_forgotten(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create(w, "{" SHELL "}");
	auto_json json_t *homes = does(w, "home.list", NULL, "{}");
	auto_json json_t *all = does(w, "session.list", NULL,
	    "{\"all_homes\":true}");
	const json_t *one = json_array_get(json_object_get(homes, "homes"), 0);
	char args[4300];

	assert_string_equal(text_of(one, "path"), w->home);
	assert_int_equal(json_integer_value(json_object_get(one, "active")), 1);
	assert_int_equal(json_array_size(json_object_get(all, "homes")), 1);
	snprintf(args, sizeof(args), "{\"directory\":\"%s\"}", w->home);
	json_decref(does(w, "home.forget", NULL, args));
	fails(w, "home.forget", NULL, args, FAIL_NOT_FOUND, w->home);
	assert_non_null(id);
}

static void
the_table_has_the_largest_number_of_lines(void **state)
{
	auto_free char *id = create_ended(*state, "");
	auto_json json_t *most = does(*state, "session.output", id,
	    "{\"lines\":1000000}");

	assert_non_null(most);
	refuses("session.output", "{\"lines\":1000001}", "lines");
	refuses("session.events", "{\"last\":1000001}", "last");
}

static void
a_fault_names_the_argument(void **state)
{
	const struct world *w = *state;

	fails(w, "session.create", NULL, "{" SHELL ",\"name\":\"a b\"}",
	    FAIL_USAGE, "name");
	fails(w, "session.create", NULL,
	    "{" SHELL ",\"cwd\":\"/no/such/place\"}", FAIL_INPUT, "cwd");
	fails(w, "session.create", NULL, "{\"command\":[\"/no/such\"]}",
	    FAIL_INPUT, "/no/such");
	fails(w, "session.create", NULL, "{\"cols\":2000,\"rows\":2000}",
	    FAIL_USAGE, "cols");
	fails(w, "session.output", "nobody", "{}", FAIL_NOT_FOUND, "nobody");
	fails(w, "session.create", NULL, "{\"reuse\":true}", FAIL_USAGE,
	    "reuse");
	assert_int_equal(count(w, "{\"all\":true}"), 0);
}

/* Run it with these permissions for this principal. */
static int
operate_for(const struct world *w, const char *principal, unsigned granted,
    const struct op *op, const char *session, const char *text, struct fault *f)
{
	auto_json json_t *args = json_loads(text, 0, NULL), *result = NULL;
	struct operation o = { .op = op,
		.home = w->home,
		.session = session,
		.args = args,
		.environ = environ,
		.granted = granted,
		.principal = principal,
		.verified = "token" };
	struct report report;
	int rc;

	report_init(&report, NULL, NULL);
	rc = operation_run(&o, &report, &result, f);
	report_finish(&report);
	return rc;
}

static void
is_denied(const struct world *w, unsigned granted, const struct op *op,
    const char *args, enum op_permission missing)
{
	struct fault f = { 0 };

	assert_true(
	    operate_for(w, "user:ann", granted, op, "none", args, &f) < 0);
	assert_int_equal(f.failure, FAIL_DENIED);
	assert_non_null(strstr(f.msg, op_permission_name(missing)));
}

static void
an_operation_without_its_permission_is_denied(void **state)
{
	for (size_t i = 0; i < OP_COUNT; i++) {
		enum op_permission p = ops[i].permission;

		is_denied(*state, OP_EVERY_PERMISSION & ~(1u << p), &ops[i],
		    "{}", p);
		is_denied(*state, 0, &ops[i], "{}", p);
	}
	is_denied(*state, 1u << OP_CONTROL, &ops[OP_ID_session_destroy],
	    "{\"purge\":true}", OP_ADMIN);
}

static void
is_by(const json_t *mark, const char *by)
{
	assert_string_equal(text_of(mark, "by"), by);
	assert_string_equal(text_of(mark, "verified"), "token");
	assert_non_null(strstr(text_of(mark, "peer"), "uid:"));
}

/* Events and marks name the author of the only mark in the same way. */
static void
the_mark_is_by(const struct world *w, const char *id, const char *by)
{
	auto_json json_t *all = does(w, "session.events", id, "{}");
	auto_json json_t *marks = does(w, "session.marks", id, "{}");
	const json_t *list = json_object_get(marks, "marks"), *event;
	size_t i, n = 0;

	json_array_foreach(json_object_get(all, "events"), i, event)
	{
		if (strcmp(text_of(event, "type"), "mark") != 0)
			continue;
		is_by(event, by);
		n++;
	}
	assert_int_equal(n, 1);
	assert_int_equal(json_array_size(list), 1);
	is_by(json_array_get(list, 0), by);
}

static void
the_log_has_the_principal(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create(w, "{" SHELL "}");
	char longer[200] = "user:";
	struct fault f = { 0 };

	if (operate_for(w, "user:ann", 1u << OP_DRIVE, op_find("session.mark"),
		id, "{\"name\":\"here\"}", &f) < 0)
		fail_msg("%s", f.msg);
	the_mark_is_by(w, id, "user:ann");
	memset(longer + 5, 'x', sizeof(longer) - 6);
	assert_true(
	    operate_for(w, longer, OP_EVERY_PERMISSION, op_find("session.mark"),
		id, "{\"name\":\"x\"}", &f) < 0);
	assert_int_equal(f.failure, FAIL_USAGE);
}

static void
a_home_refuses_operations_of_a_connection(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create(w, "{" SHELL "}");

	fails(w, "lease.acquire", id, "{}", FAIL_USAGE, "connection");
	fails(w, "lease.steal", id, "{}", FAIL_USAGE, "connection");
	fails(w, "lease.release", id, "{}", FAIL_USAGE, "connection");
	fails(w, "session.colours", id, "{\"fg\":\"ffffff\",\"bg\":\"000000\"}",
	    FAIL_USAGE, "connection");
}

static void
a_host_is_asked_through_its_home(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create(w, "{" SHELL "}");
	auto_json json_t *size = NULL, *prompted = NULL, *flushed = NULL,
			 *detached = NULL, *signalled = NULL, *explained = NULL;

	wait_for(w, id, "{\"text\":\"ready>\"}");
	explained = does(w, "agent.explain", id, "{}");
	size = does(w, "session.resize", id, "{\"cols\":70,\"rows\":20}");
	prompted = does(w, "session.prompt", id,
	    "{\"text\":\"echo a''b\",\"profile\":\"shell\"}");
	wait_for(w, id, "{\"text\":\"ab\"}");
	flushed = does(w, "session.flush", id, "{}");
	detached = does(w, "session.detach", id, "{}");
	signalled = does(w, "session.signal", id, "{\"signal\":9}");
	wait_for(w, id, "{\"exit\":true}");
	assert_string_equal(text_of(explained, "activity"), "unknown");
	assert_int_equal(number_of(size, "cols"), 70);
	assert_string_equal(text_of(prompted, "result"), "delivered");
	assert_true(number_of(flushed, "seq") > 0);
	assert_int_equal(number_of(detached, "detached"), 0);
	assert_true(number_of(signalled, "seq") > number_of(flushed, "seq"));
}

static void
a_wait_ends_with_the_first_of_several(void **state)
{
	const struct world *w = *state;
	auto_free char *runs = create(w, "{" SHELL "}");
	auto_free char *ended = create_ended(w, "");
	auto_json json_t *first = NULL;
	const json_t *list;
	char args[200];

	snprintf(args, sizeof(args),
	    "{\"sessions\":[\"%s\",\"%s\"],\"exit\":true,\"any\":true}", runs,
	    ended);
	first = does(w, "home.wait", NULL, args);
	list = json_object_get(first, "sessions");
	assert_true(json_is_true(json_object_get(first, "matched")));
	assert_int_equal(json_array_size(list), 1);
	assert_string_equal(text_of(json_array_get(list, 0), "session"), ended);
}

static size_t
would_remove(const struct world *w, const char *args)
{
	auto_json json_t *would = does(w, "home.gc", NULL, args);

	return json_array_size(json_object_get(would, "removed"));
}

static void
gc_obeys_an_age_and_a_budget(void **state)
{
	const struct world *w = *state;
	auto_free char *id = create_ended(w, "");

	/* A host that still takes late output keeps its session. */
	json_decref(does(w, "session.rename", id, "{\"name\":\"old\"}"));
	assert_int_equal(would_remove(w,
			     "{\"older_than\":\"1h\",\"dry_run\":true}"),
	    0);
	assert_int_equal(would_remove(w,
			     "{\"budget\":1073741824,\"dry_run\":true}"),
	    0);
	assert_int_equal(would_remove(w, "{\"budget\":0,\"dry_run\":true}"), 1);
	assert_int_equal(would_remove(w, "{\"older_than\":0,\"dry_run\":true}"),
	    1);
}

static void
a_session_is_confined_to_its_grants(void **state)
{
	const struct world *w = *state;
	auto_json json_t *alone = does(w, "session.create", NULL,
	    "{" SHELL ",\"confined\":true}");
	auto_json json_t *with = does(w, "session.create", NULL,
	    "{" SHELL ",\"may\":[\"drive:team/*\"]}");
	const json_t *may = json_object_get(with, "may");

	assert_true(json_is_true(json_object_get(alone, "confined")));
	assert_true(json_is_true(json_object_get(with, "confined")));
	assert_int_equal(json_array_size(may), 1);
	assert_string_equal(json_string_value(json_array_get(may, 0)),
	    "drive:team/*");
	fails(w, "session.create", NULL,
	    "{" SHELL ",\"may\":[\"admin:team/*\"]}", FAIL_USAGE, "may");
}

static void
a_range_has_only_one_start(void **state)
{
	auto_free char *id = create_ended(*state, "");

	fails(*state, "session.output", id, "{\"since\":1,\"offset\":2}",
	    FAIL_USAGE, "offset");
	fails(*state, "session.events", id, "{\"since\":1,\"last\":2}",
	    FAIL_USAGE, "last");
}

/* This test is the last. */
static void
every_operation_of_a_home_was_driven(void **state)
{
	(void)state;
	for (size_t i = 0; i < OP_COUNT; i++)
		if (op_has(&ops[i], OP_FLEET) && !driven[i])
			fail_msg("no test drives %s", ops[i].name);
}

/* A call in a thread, and its result. */
struct errand {
	const struct world *w;
	pthread_t thread;
	int cancel_fd;
	const char *op, *session, *args;
	struct fault fault;
	int rc;
};

static void *
run_errand(void *arg)
{
	struct errand *e = arg;
	json_t *result = NULL;

	e->rc = operate(e->w, e->op, e->session, e->args, e->cancel_fd, &result,
	    &e->fault);
	json_decref(result);
	return NULL;
}

static void
threads_use_a_home_at_once(void **state)
{
	struct errand e[THREADS];

	for (size_t i = 0; i < THREADS; i++) {
		e[i] = (struct errand){ .w = *state,
			.op = i % 2 == 0 ? "session.create" : "session.list",
			.args = i % 2 == 0 ? "{" SHELL "}" : "{\"all\":true}" };
		assert_int_equal(pthread_create(&e[i].thread, NULL, run_errand,
				     &e[i]),
		    0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(e[i].thread, NULL);
		if (e[i].rc < 0)
			fail_msg("%s: %s", e[i].op, e[i].fault.msg);
	}
	assert_int_equal(count(*state, "{}"), THREADS / 2);
}

static void
a_cancelled_call_ends(void **state)
{
	auto_free char *id = create(*state, "{" SHELL "}");
	auto_close int cancel = eventfd(1, EFD_CLOEXEC);
	struct errand calls[] = {
		{ .op = "session.wait", .args = "{\"text\":\"never\"}" },
		{ .op = "session.batch",
		    .args = "{\"steps\":[{\"wait\":\"never\"}]}" },
		{ .op = "session.exec", .args = "{\"command\":\"true\"}" },
		{ .op = "session.output", .args = "{}" },
		{ .op = "session.events", .args = "{}" },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		calls[i].w = *state;
		calls[i].session = id;
		calls[i].cancel_fd = cancel;
		run_errand(&calls[i]);
		assert_true(calls[i].rc < 0);
		assert_int_equal(calls[i].fault.failure, FAIL_CANCELLED);
	}
}

static int
run_all(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(sessions_are_listed_by_their_labels),
		TEST(only_null_removes_a_label),
		TEST(a_removed_label_makes_room_for_another),
		TEST(a_name_in_use_exists),
		TEST(nobody_counts_the_observers_of_an_ended_session),
		TEST(a_new_session_has_the_requested_properties),
		TEST(output_and_events_are_in_the_log),
		TEST(pages_of_events_have_no_gap_and_no_repetition),
		TEST(output_is_followed_without_a_gap),
		TEST(a_range_ends_inside_the_output),
		TEST(every_byte_of_the_output_can_be_read),
		TEST(the_screen_of_a_moment_comes_from_the_log),
		TEST(a_wait_is_answered_from_the_log_of_an_ended_session),
		TEST(steps_are_carried_out_in_order),
		TEST(only_a_command_without_a_timeout_has_no_limit),
		TEST(an_ended_session_is_started_again),
		TEST(a_stop_returns_the_ended_session),
		TEST(gc_removes_only_ended_sessions),
		TEST(a_checkup_finds_what_is_wrong_with_a_home),
		TEST(an_upgraded_session_has_another_host),
		TEST(a_revived_session_has_another_host),
		TEST(all_running_sessions_are_upgraded),
		TEST(homes_are_listed_until_they_are_forgotten),
		TEST(the_table_has_the_largest_number_of_lines),
		TEST(a_fault_names_the_argument),
		TEST(an_operation_without_its_permission_is_denied),
		TEST(the_log_has_the_principal),
		TEST(a_home_refuses_operations_of_a_connection),
		TEST(threads_use_a_home_at_once),
		TEST(a_cancelled_call_ends),
		TEST(a_host_is_asked_through_its_home),
		TEST(a_wait_ends_with_the_first_of_several),
		TEST(gc_obeys_an_age_and_a_budget),
		TEST(a_session_is_confined_to_its_grants),
		TEST(a_range_has_only_one_start),
		TEST(every_operation_of_a_home_was_driven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int
main(int argc, char **argv)
{
	return run_beside(argc, argv, run_all);
}
