#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "op/ledger.h"
#include "op/ops.h"
#include "op/sight.h"
#include "vt/slice.h"
#include "vt/story.h"

#include "vt_make.h"

/* A condition from arguments in JSON with ' for ". */
static struct condition
want(const char *args)
{
	struct condition c;
	struct error err = { 0 };
	char json[512];
	json_t *tree;

	snprintf(json, sizeof(json), "%s", args);
	for (char *p = json; *p != '\0'; p++)
		if (*p == '\'')
			*p = '"';
	tree = json_loads(json, 0, NULL);
	assert_non_null(tree);
	if (condition_read(&c, tree, CONDITION_ARGUMENTS, &err) < 0)
		fail_msg("%s: %s", args, err.msg);
	json_decref(tree);
	return c;
}

/* Check the condition on the terminal's screen; returns the finding. */
static struct finding
look(const struct vt *vt, const char *args, int expected)
{
	struct condition c = want(args);
	struct finding f;
	struct sight s;
	int rc;

	sight_init(&s, vt);
	s.shown_seq = 10;
	s.happened.last[HAPPENING_DONE].seq = 5;
	s.stable_ms = s.idle_ms = 100;
	rc = sight_test(&s, &c, 4, &f);
	if (rc != expected)
		fail_msg("%s: %d", args, rc);
	assert_int_equal(sight_unmet(&s, &c, 4) == 0, expected == 1);
	sight_finish(&s);
	condition_finish(&c);
	return f;
}

static void
holds(const struct vt *vt, const char *args)
{
	struct finding f = look(vt, args, 1);

	finding_finish(&f);
}

static void
does_not(const struct vt *vt, const char *args)
{
	look(vt, args, 0);
}

static void
text_is_found_where_it_is_visible(void **state)
{
	struct vt *vt = make_vt(20, 4);
	struct finding f;

	(void)state;
	feed(vt, "one\r\n  漢字 and two  \r\nthree");
	f = look(vt, "{'text':'and two'}", 1);
	assert_string_equal(f.text, "and two");
	assert_true(f.has_place && f.row == 1 && f.col == 7);
	finding_finish(&f);
	f = look(vt, "{'regex':'^th.*$'}", 1);
	assert_string_equal(f.text, "three");
	assert_true(f.row == 2 && f.col == 0);
	finding_finish(&f);
	f = look(vt, "{'text':'two\\nthree'}", 1);
	assert_true(f.row == 1 && f.col == 11);
	finding_finish(&f);
	does_not(vt, "{'text':'four'}");
	does_not(vt, "{'text':'two '}");
	does_not(vt, "{'regex':'^ee'}");
	feed(vt, "\r\n\r\n");
	does_not(vt, "{'text':'one'}");
	holds(vt, "{'absent':'one'}");
	does_not(vt, "{'absent':'three'}");
	vt_destroy(vt);
}

/* It is found, and at that place. */
static void
found(const struct vt *vt, const char *args, unsigned row, unsigned col,
    const char *text)
{
	struct finding f = look(vt, args, 1);

	if (f.row != row || f.col != col)
		fail_msg("%s: at %u,%u", args, f.row, f.col);
	assert_string_equal(f.text, text);
	finding_finish(&f);
}

static void
text_broken_at_the_margin_is_found_whole(void **state)
{
	struct vt *vt = make_vt(10, 6);

	(void)state;
	feed(vt, "top\r\nsee http://host/index now");
	found(vt, "{'text':'http://host/index'}", 1, 4, "http://host/index");
	found(vt, "{'regex':'http:\\\\S+'}", 1, 4, "http://host/index");
	found(vt, "{'regex':'in.*$'}", 2, 6, "index now");
	found(vt, "{'text':'top\\nsee http://ho'}", 0, 0, "top\nsee http://ho");
	does_not(vt, "{'absent':'http://host'}");
	/* It is found in the single rows as well. */
	found(vt, "{'regex':'^/host/inde$'}", 2, 0, "/host/inde");
	found(vt, "{'text':'http:/\\n/host'}", 1, 4, "http:/\n/host");
	does_not(vt, "{'absent':'http:/\\n'}");
	vt_destroy(vt);
}

static void
blanks_at_the_margin_belong_to_the_line(void **state)
{
	struct vt *vt = make_vt(10, 4);

	(void)state;
	feed(vt, "one two   three\r\n\u6f22\u5b57\u6f22\u5b57x\u6f22");
	found(vt, "{'text':'two   three'}", 0, 4, "two   three");
	found(vt, "{'text':' three'}", 0, 9, " three");
	found(vt, "{'text':'x\u6f22'}", 2, 8, "x\u6f22");
	feed(vt, "\033[H\033[Jsix six six end\033[1;8H\033[3X"); /* erased */
	found(vt, "{'text':'six   x end'}", 0, 4, "six   x end");
	found(vt, "{'text':'  x'}", 0, 8, "  x");
	vt_destroy(vt);
}

/* Rows that the margin did not break are not joined. */
static void
lines_that_end_at_the_margin_are_not_joined(void **state)
{
	struct vt *vt = make_vt(5, 4);

	(void)state;
	feed(vt, "abcde\r\nfghij\033[3;1Hklmno\033[4;1Hp");
	does_not(vt, "{'text':'ef'}");
	does_not(vt, "{'text':'op'}");
	holds(vt, "{'absent':'abcdef'}");
	vt_destroy(vt);
}

static void
all_conditions_hold_at_once(void **state)
{
	struct vt *vt = make_vt(20, 4);
	struct finding f;

	(void)state;
	feed(vt, "$ ls");
	f = look(vt, "{'cursor':'0,4'}", 1);
	assert_true(f.has_place && f.row == 0 && f.col == 4 && f.text == NULL);
	finding_finish(&f);
	f = look(vt, "{'text':'ls','cursor':'*,4','absent':'x'}", 1);
	assert_true(f.row == 0 && f.col == 2);
	finding_finish(&f);
	does_not(vt, "{'text':'ls','cursor':'*,5'}");
	does_not(vt, "{'text':'ls','absent':'$'}");
	holds(vt, "{'stable_ms':100,'idle_ms':100}");
	does_not(vt, "{'stable_ms':101}");
	does_not(vt, "{'idle_ms':101}");
	holds(vt, "{'command_done':true}");
	does_not(vt, "{'command_done':true,'after':5}");
	does_not(vt, "{'exit':true}");
	vt_destroy(vt);
}

static void
a_frame_from_before_does_not_count(void **state)
{
	struct vt *vt = make_vt(20, 4);

	(void)state;
	feed(vt, "old");
	holds(vt, "{'text':'old','after':9}");
	does_not(vt, "{'text':'old','after':10}");
	does_not(vt, "{'absent':'new','after':10}");
	does_not(vt, "{'stable_ms':1,'after':10}");
	vt_destroy(vt);
}

static void
without_a_screen_nothing_is_visible(void **state)
{
	(void)state;
	does_not(NULL, "{'text':'a'}");
	does_not(NULL, "{'regex':'^'}");
	does_not(NULL, "{'absent':'a'}");
	does_not(NULL, "{'cursor':'*,*'}");
	does_not(NULL,
	    "{'changed_since':'0123456789abcdef0123456789abcdef"
	    "0123456789abcdef0123456789abcdef'}");
	holds(NULL, "{'command_done':true}");
}

static void
the_hash_is_that_of_the_screen(void **state)
{
	struct vt *vt = make_vt(20, 4);
	char hash[65], args[120];
	struct sight s;

	(void)state;
	feed(vt, "some text");
	vt_hash(vt, hash);
	sight_init(&s, vt);
	assert_string_equal(sight_hash(&s), hash);
	sight_finish(&s);
	snprintf(args, sizeof(args), "{'changed_since':'%s'}", hash);
	does_not(vt, args);
	feed(vt, "\033[31m");
	does_not(vt, args);
	feed(vt, "!");
	holds(vt, args);
	vt_destroy(vt);
}

static void
a_pattern_that_takes_too_long_is_an_error(void **state)
{
	struct vt *vt = make_vt(80, 24);
	struct finding f;

	(void)state;
	for (int i = 0; i < 24 * 80; i++)
		feed(vt, "a");
	f = look(vt, "{'regex':'(a+)+[bc]'}", -ELOOP);
	assert_null(f.text);
	/* It matches the whole line, but not its rows. */
	does_not(vt, "{'regex':'[a-z]+[0-9]'}");
	feed(vt, "\033[12;40H7");
	holds(vt, "{'regex':'[a-z]+[0-9]'}");
	vt_destroy(vt);
}

/* More than a row of the screen. */
#define LONG "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* Feed in slices and check after each; true if it was ever seen. */
static bool
seen(struct vt *vt, const char *args, const char *bytes)
{
	struct condition c = want(args);
	struct ledger ledger = { 0 };
	struct glimpse g;
	struct finding f;
	size_t len = strlen(bytes), n;
	bool found = false;

	ledger_story.begun(&ledger, vt);
	glimpse_init(&g);
	for (; len > 0; bytes += n, len -= n) {
		n = slice_len(vt, bytes, len);
		vt_feed(vt, bytes, n);
		found |= glimpse_look(&g,
			     &(struct moment){ vt, &ledger, 7, false }, &c,
			     &f) == 1;
		finding_finish(&f);
	}
	found |= g.pending; /* the frame shows it */
	glimpse_finish(&g);
	ledger_finish(&ledger);
	condition_finish(&c);
	return found;
}

static void
text_that_disappeared_again_was_seen(void **state)
{
	static const char *const flashes[] = {
		"flash\033[2J",
		"flash\rnever",
		"flash\b\b\b\b\bnever",
		"flash\r\033[K",
		"flash\r\n\r\n\r\n\r\n\r\n\r\n",
		"\033[?1049hflash\033[?1049l",
		"fla\033[31msh\033[2J\033[H",
		("flash" LONG LONG),
		"\033[2;2r\033[2Hflash\n\033[r",
		"flash\302\205\302\205\302\205\302\205\302\205",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(flashes) / sizeof(*flashes); i++) {
		struct vt *vt = make_vt(20, 4);

		if (!seen(vt, "{'text':'flash','seen':true}", flashes[i]))
			fail_msg("flash %zu was not seen", i);
		vt_destroy(vt);
	}
}

static void
a_broken_line_is_seen_whole(void **state)
{
	static const char *const lines[] = {
		"a line longer than a row of the screen flash",
		"a line longer than a row of the screen flash\r\n\n\n\n\n\n",
		"\033[4Ha line longer than a row of the screen flash\033[2J",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct vt *vt = make_vt(20, 4);

		if (!seen(vt, "{'regex':'^a line .* flash','seen':true}",
			lines[i]))
			fail_msg("line %zu was not seen", i);
		vt_destroy(vt);
	}
}

static void
one_activity_of_a_list_is_enough(void **state)
{
	struct condition c = want("{'activity':'idle,done'}");
	struct finding f = { 0 };
	struct sight s;

	(void)state;
	sight_init(&s, NULL);
	assert_int_equal(sight_test(&s, &c, 0, &f), 0);
	s.activity = ACTIVITY_WORKING;
	assert_int_equal(sight_test(&s, &c, 0, &f), 0);
	s.activity = ACTIVITY_DONE;
	assert_int_equal(sight_test(&s, &c, 0, &f), 1);
	sight_finish(&s);
	condition_finish(&c);
}

static void
text_and_pattern_are_seen_together(void **state)
{
	struct vt *vt = make_vt(20, 4);

	(void)state;
	assert_true(seen(vt, "{'regex':'fl[a-z]+','text':'f','seen':true}",
	    "flash\033[2J"));
	assert_false(seen(vt, "{'regex':'fl[0-9]+','text':'f','seen':true}",
	    "flash\033[2J"));
	vt_destroy(vt);
}

static void
a_small_screen_is_seen_as_well(void **state)
{
	struct vt *vt = make_vt(8, 1);

	(void)state;
	assert_true(seen(vt, "{'text':'flash','seen':true}",
	    "xxxxxxxxflashxxxxxxxxxxxxxxxxxxxxxxxx\033[2J"));
	vt_destroy(vt);
}

static void
a_verdict_has_its_json(void **state)
{
	struct vt *vt = make_vt(10, 2);
	struct finding f;
	struct sight s;
	struct json_out j;
	struct buf b;
	char *got, expected[400];

	(void)state;
	feed(vt, "a \"b\"");
	f = look(vt, "{'text':'\\\"b'}", 1);
	buf_init(&b, 4096);
	json_out_init(&j, &b);
	sight_init(&s, vt);
	s.shown_ns = 5;
	s.now_ns = 6;
	verdict_json(&(struct verdict){ .matched = true,
			 .conditions = 1u << CONDITION_TEXT,
			 .found = f,
			 .seq = 7 },
	    &s, &j);
	snprintf(expected, sizeof(expected),
	    "{\"matched\":true,\"timed_out\":false,\"condition\":\"text\","
	    "\"row\":0,\"col\":2,\"text\":\"\\\"b\",\"seq\":7,"
	    "\"hash\":\"%s\",\"time_ns\":5}",
	    sight_hash(&s));
	got = buf_take(&b);
	assert_string_equal(got, expected);
	free(got);
	finding_finish(&f);
	json_out_init(&j, &b);
	verdict_json(&(struct verdict){ .timed_out = true,
			 .conditions = 1u << CONDITION_TEXT |
			     1u << CONDITION_STABLE },
	    &s, &j);
	got = buf_take(&b);
	assert_non_null(strstr(got,
	    "\"condition\":\"text,stable\",\"row\":null,"
	    "\"col\":null,\"text\":null"));
	assert_non_null(strstr(got, "\"time_ns\":null"));
	assert_non_null(strstr(got, "\"screen\":[\"a \\\"b\\\"\",\"\"]}"));
	free(got);
	sight_finish(&s);
	vt_destroy(vt);
}

/* The fields of a verdict on such conditions. */
static void
verdict_has(struct sight *s, unsigned conditions, const char *expected)
{
	const struct verdict v = { .matched = true, .conditions = conditions };
	struct json_out j;
	struct buf b;
	char *got;

	buf_init(&b, 4096);
	json_out_init(&j, &b);
	verdict_json(&v, s, &j);
	got = buf_take(&b);
	if (strstr(got, expected) == NULL)
		fail_msg("no %s in %s", expected, got);
	free(got);
}

static void
a_match_has_the_time_of_its_last_condition(void **state)
{
	const unsigned text = 1u << CONDITION_TEXT;
	struct vt *vt = make_vt(10, 2);
	struct sight s;

	(void)state;
	sight_init(&s, vt);
	s.shown_ns = -5;
	s.now_ns = 6;
	verdict_has(&s, text | 1u << CONDITION_DONE, "\"time_ns\":-5,");
	verdict_has(&s, text | 1u << CONDITION_EXIT, "\"time_ns\":6,");
	verdict_has(&s, text | 1u << CONDITION_IDLE, "\"time_ns\":6}");
	verdict_has(&s, text | 1u << CONDITION_STABLE, "\"time_ns\":6}");
	s.shown_ns = 0; /* unknown: the time of the check */
	verdict_has(&s, text, "\"time_ns\":6}");
	sight_finish(&s);
	vt_destroy(vt);
}

static void
a_match_says_how_it_ended(void **state)
{
	const unsigned done = 1u << CONDITION_DONE,
		       ended = 1u << CONDITION_EXIT;
	struct sight s;

	(void)state;
	sight_init(&s, NULL);
	verdict_has(&s, done, "\"exit_code\":null,\"exit_signal\":null}");
	s.happened.last[HAPPENING_DONE].value = 3;
	s.exit_signal = 9;
	verdict_has(&s, done, "\"exit_code\":3,\"exit_signal\":null}");
	verdict_has(&s, ended, "\"exit_code\":null,\"exit_signal\":9}");
	s.exit_code = 0;
	s.exit_signal = 0;
	verdict_has(&s, ended | done, "\"exit_code\":0,\"exit_signal\":null}");
	verdict_has(&s, 1u << CONDITION_IDLE, "\"time_ns\":0}");
	sight_finish(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_found_where_it_is_visible),
		cmocka_unit_test(text_broken_at_the_margin_is_found_whole),
		cmocka_unit_test(blanks_at_the_margin_belong_to_the_line),
		cmocka_unit_test(lines_that_end_at_the_margin_are_not_joined),
		cmocka_unit_test(all_conditions_hold_at_once),
		cmocka_unit_test(a_frame_from_before_does_not_count),
		cmocka_unit_test(without_a_screen_nothing_is_visible),
		cmocka_unit_test(the_hash_is_that_of_the_screen),
		cmocka_unit_test(a_pattern_that_takes_too_long_is_an_error),
		cmocka_unit_test(text_that_disappeared_again_was_seen),
		cmocka_unit_test(a_broken_line_is_seen_whole),
		cmocka_unit_test(one_activity_of_a_list_is_enough),
		cmocka_unit_test(text_and_pattern_are_seen_together),
		cmocka_unit_test(a_small_screen_is_seen_as_well),
		cmocka_unit_test(a_verdict_has_its_json),
		cmocka_unit_test(a_match_has_the_time_of_its_last_condition),
		cmocka_unit_test(a_match_says_how_it_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
