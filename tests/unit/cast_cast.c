#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "cast/cast.h"

/* The events of a recording, one a line, and how reading ended. */
struct played {
	struct buf events;
	double until; /* stop after this number of events */
	int result;
	struct error err;
};

static int
note(void *arg, const struct cast_event *ev, struct error *err)
{
	struct played *p = arg;

	if (p->until > 0 && ev->time > p->until)
		return 1;
	if (ev->type == CAST_HEADER || ev->type == CAST_RESIZE)
		buf_printf(&p->events, "%c %g %ux%u\n", "hoimrx"[ev->type],
		    ev -> time, ev -> cols, ev -> rows);
	else
		buf_printf(&p->events, "%c %g %.*s\n", "hoimrx"[ev->type],
		    ev -> time, (int)ev -> len, ev -> data);
	if (ev->type == CAST_RESIZE && ev->cols == 13)
		return error_set(err, ERANGE, "thirteen columns");
	return 0;
}

static void
play(struct played *p, const char *text, size_t len, size_t chunk)
{
	struct cast *c = cast_create(note, p);

	buf_init(&p->events, 1 << 20);
	p->result = 0;
	for (size_t at = 0; p->result == 0 && at < len; at += chunk) {
		size_t n = len - at < chunk ? len - at : chunk;
		/* A copy of its own: the sanitizer sees reads beyond it. */
		auto_free char *piece = xmemdup(text + at, n);

		p->result = cast_feed(c, piece, n, &p->err);
	}
	if (p->result == 0)
		p->result = cast_end(c, &p->err);
	cast_destroy(c);
}

/* However it is cut, the recording gives `want` and ends well. */
static void
plays_as(const char *text, const char *want)
{
	for (size_t chunk = 1; chunk <= strlen(text) + 1; chunk++) {
		struct played p = { 0 };

		play(&p, text, strlen(text), chunk);
		if (p.result != 0)
			fail_msg("pieces of %zu: %s", chunk, p.err.msg);
		auto_free char *got = buf_take(&p.events);
		assert_string_equal(got, want);
		buf_finish(&p.events);
	}
}

/* However it is cut, the recording is refused with this reason. */
static void
fails_with(const char *text, const char *want)
{
	for (size_t chunk = 1; chunk <= strlen(text) + 1; chunk++) {
		struct played p = { 0 };

		play(&p, text, strlen(text), chunk);
		assert_string_equal(p.err.msg, want);
		assert_true(p.result < 0);
		assert_int_equal(-p.result, p.err.code);
		buf_finish(&p.events);
	}
}

#define V2 "{\"version\":2,\"width\":80,\"height\":24}\n"
#define V3 "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n"

static void
cast_plays_v1_whose_times_are_delays(void **state)
{
	(void)state;
	plays_as("{\"version\":1,\"width\":80,\"height\":24,\"duration\":1.5,"
		 "\"stdout\":[[0.5,\"a\"],[1,\"b\\r\\n\"]]}",
	    "h 0 80x24\no 0.5 a\no 1.5 b\r\n\n");
}

static void
cast_plays_v1_over_many_lines_in_any_order(void **state)
{
	(void)state;
	plays_as("{\n  \"stdout\": [\n    [\n      1, \"x\"\n    ]\n  ],\n"
		 "  \"env\": {\"TERM\": \"xterm\"},\n  \"height\": 5,\n"
		 "  \"width\": 7,\n  \"version\": 1\n}\n",
	    "h 0 7x5\no 1 x\n");
}

static void
cast_plays_v2_whose_times_are_absolute(void **state)
{
	(void)state;
	plays_as("{\"version\": 2, \"width\": 80, \"height\": 24, "
		 "\"env\": {\"SHELL\": \"/bin/sh\"}, \"theme\": null}\n"
		 "[0.5, \"o\", \"a\"]\n[1.5, \"i\", \"k\"]\n"
		 "[2, \"r\", \"100x30\"]\n[2.5, \"m\", \"\"]\n",
	    "h 0 80x24\no 0.5 a\ni 1.5 k\nr 2 100x30\nm 2.5 \n");
}

static void
cast_plays_v3_whose_times_are_delays(void **state)
{
	(void)state;
	plays_as("{\"version\":3,\"term\":{\"cols\":100,\"rows\":50,"
		 "\"type\":\"xterm-256color\",\"theme\":{\"fg\":\"#fff\"}}}\n"
		 "# a comment\n[0.5,\"o\",\"a\"]\n#\n[0.5,\"m\",\"here\"]\n"
		 "[1,\"r\",\"90x40\"]\n[0,\"x\",\"0\"]\n",
	    "h 0 100x50\no 0.5 a\nm 1 here\nr 2 90x40\nx 2 0\n");
}

static void
cast_skips_unknown_events(void **state)
{
	(void)state;
	plays_as(V2 "\n[1,\"o\",\"a\",\"more\",[1]]\n[2,\"zz\",\"b\"]\n"
		    "[3,\"q\",{\"x\":1}]\n  \t\r\n[4,\"o\",\"c\"]\r\n\n",
	    "h 0 80x24\no 1 a\no 4 c\n");
}

static void
cast_needs_no_newline_at_the_end(void **state)
{
	(void)state;
	plays_as(V2 "[1,\"o\",\"a\"]", "h 0 80x24\no 1 a\n");
	plays_as("{\"version\":2,\"width\":80,\"height\":24}", "h 0 80x24\n");
}

static void
cast_never_goes_back_in_time(void **state)
{
	(void)state;
	plays_as(V2 "[5,\"o\",\"a\"]\n[3,\"o\",\"b\"]\n[6,\"o\",\"c\"]\n",
	    "h 0 80x24\no 5 a\no 5 b\no 6 c\n");
}

static void
cast_refuses_invalid_times(void **state)
{
	(void)state;
	fails_with(V2 "[-1,\"o\",\"a\"]\n", "line 2: the time is negative");
	fails_with(V3 "[1,\"o\",\"a\"]\n[-1,\"o\",\"a\"]\n",
	    "line 3: the time is negative");
	fails_with(V2 "[1e999,\"o\",\"a\"]\n",
	    "line 2: the time is out of range");
	fails_with(V3 "[1e308,\"o\",\"\"]\n[1e308,\"o\",\"\"]\n",
	    "line 3: the time is out of range");
	fails_with(V2 "[NaN,\"o\",\"a\"]\n",
	    "line 2, byte 2: a number was expected");
	fails_with(V2 "[\"1\",\"o\",\"a\"]\n",
	    "line 2, byte 2: a number was expected");
}

static void
cast_names_the_line_of_a_bad_event(void **state)
{
	(void)state;
	fails_with(V2 "[1,\"o\",\"a\"]\nnonsense\n",
	    "line 3, byte 1: an array was expected");
	fails_with(V2 "\n\n[1,\"o\"]\n",
	    "line 4: an event needs time, code and data");
	fails_with(V2 "[1,\"o\",5]\n", "line 2, byte 8: a string was expected");
	fails_with(V2 "[1,\"o\",\"a\"] x\n",
	    "line 2, byte 13: something follows the end");
	fails_with(V2 "[1,\"o\",\"a",
	    "line 2, byte 10: a string does not end"
	    " but the text ends here; is the file cut off?");
	fails_with(V2 "# no comments before v3\n",
	    "line 2, byte 1: an array was expected");
	fails_with(V2 "[1,\"o\",\"\xff\"]\n",
	    "line 2: the line is not valid UTF-8");
}

static void
cast_refuses_invalid_sizes(void **state)
{
	static const char *const bad[] = { "", "80", "80x", "x24", "80x24x3",
		"0x24", "80x0", "-1x24", "80 x24", "99999x24", "100000x1",
		"80x24 ", "8e1x24", "80X24" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char text[128];

		snprintf(text, sizeof(text), V2 "[1,\"r\",\"%s\"]\n", bad[i]);
		fails_with(text, "line 2: a resize needs COLSxROWS");
	}
}

static void
cast_refuses_bad_headers(void **state)
{
	const char *size = "line 1: the header needs "
			   "\"width\" and \"height\" from 1 to 65535";

	(void)state;
	fails_with("", "there is no header, only blanks");
	fails_with("\n\n", "there is no header, only blanks");
	fails_with("[1,\"o\",\"a\"]\n",
	    "line 1, byte 1: an object was expected");
	fails_with("{\"width\":80,\"height\":24}\n",
	    "line 1: the header has no \"version\"");
	fails_with("{\"version\":4,\"width\":80,\"height\":24}\n",
	    "line 1: asciicast version 4 is not known; 1, 2 and 3 are");
	fails_with("{\"version\":2,\"width\":80}\n", size);
	fails_with("{\"version\":2,\"width\":0,\"height\":24}\n", size);
	fails_with("{\"version\":2,\"width\":80.5,\"height\":24}\n", size);
	fails_with("{\"version\":2,\"width\":1e9,\"height\":24}\n", size);
	fails_with("{\"version\":2,\"width\":\"80\",\"height\":24}\n",
	    "line 1, byte 22: a number was expected");
	fails_with("{\"version\":3,\"width\":80}\n",
	    "line 1: the header needs \"term\" with \"cols\" and \"rows\""
	    " from 1 to 65535");
	fails_with("{\"version\":2,\n\"width\":80,\"height\":24}\n",
	    "line 1: the header must be on one line");
	fails_with("{\"version\":1,\"width\":80,\"height\":24}\n",
	    "line 1: there is no \"stdout\"");
	fails_with("{\"version\":2,\"width\":80,\"height\":24,\"\xc3\":1}\n",
	    "line 1: the line is not valid UTF-8");
}

static void
cast_names_the_line_of_a_bad_v1_pair(void **state)
{
	(void)state;
	fails_with("{\"version\":1,\"width\":80,\"height\":24,\n"
		   "\"stdout\":[[1,\"a\"],\n[1]]}",
	    "line 3: a pair needs delay and data");
	fails_with("{\"version\":1,\"width\":80,\"height\":24,\n"
		   "\"stdout\":[[1,\"a\"],\n[-1,\"\"]]}",
	    "line 3: the time is negative");
	fails_with("{\"version\":1,\"width\":80,\"height\":24,\n"
		   "\"stdout\":[[1,\"a\"],\n [1,2]]}",
	    "line 3, byte 5: a string was expected");
	fails_with("{\"version\":1,\"width\":80,\"height\":24,\n\"stdout\":7}",
	    "line 2, byte 10: an array was expected");
	fails_with("{\"version\":1,\"width\":80,\n\"height\":24,\"stdout\":[",
	    "line 2, byte 23: a value was expected"
	    " but the text ends here; is the file cut off?");
}

static void
cast_passes_on_the_callers_reason(void **state)
{
	(void)state;
	fails_with(V2 "[1,\"r\",\"13x5\"]\n", "line 2: thirteen columns");
}

static void
cast_stops_when_the_caller_has_enough(void **state)
{
	const char *text = V2 "[1,\"o\",\"a\"]\n[2,\"o\",\"b\"]\nrubbish\n";

	(void)state;
	for (size_t chunk = 1; chunk <= strlen(text); chunk++) {
		struct played p = { .until = 1.5 };

		play(&p, text, strlen(text), chunk);
		assert_int_equal(p.result, 1);
		auto_free char *got = buf_take(&p.events);
		assert_string_equal(got, "h 0 80x24\no 1 a\n");
	}
}

/* A v2 recording whose second line has len bytes, newline not counted. */
static char *
long_line(size_t len, size_t *size)
{
	char *text = xmalloc(sizeof(V2) + len + 1);
	size_t head = strlen(V2 "[1,\"o\",\"");

	memcpy(text, V2 "[1,\"o\",\"", head);
	*size = strlen(V2) + len;
	memset(text + head, 'x', *size - head);
	memcpy(text + *size - 2, "\"]\n", 3);
	*size += 1;
	return text;
}

static int
length_of_output(void *arg, const struct cast_event *ev, struct error *err)
{
	(void)err;
	if (ev->type == CAST_OUTPUT)
		*(size_t *)arg += ev->len;
	return 0;
}

static void
cast_takes_lines_up_to_its_limit_and_no_longer(void **state)
{
	struct error err;
	size_t seen = 0, size;
	struct cast *c = cast_create(length_of_output, &seen);
	auto_free char *good = long_line(CAST_LINE_MAX, &size);

	(void)state;
	assert_int_equal(cast_feed(c, good, size, &err), 0);
	assert_int_equal(cast_end(c, &err), 0);
	assert_int_equal(seen, CAST_LINE_MAX - strlen("[1,\"o\",\"\"]"));
	cast_destroy(c);

	c = cast_create(length_of_output, &seen);
	auto_free char *bad = long_line(CAST_LINE_MAX + 1, &size);
	assert_int_equal(cast_feed(c, bad, size, &err), -EFBIG);
	assert_string_equal(err.msg, "line 2: it is longer than 16 MiB");
	cast_destroy(c);
}

static void
cast_refuses_a_document_beyond_its_limit(void **state)
{
	struct error err;
	size_t seen = 0, fed = 0;
	struct cast *c = cast_create(length_of_output, &seen);
	const char *head = "{\"version\":1,\n";
	auto_free char *blanks = xmalloc(1 << 20);
	int r;

	(void)state;
	memset(blanks, ' ', 1 << 20);
	r = cast_feed(c, head, strlen(head), &err);
	for (; r == 0 && fed < 2 * CAST_V1_MAX; fed += 1 << 20)
		r = cast_feed(c, blanks, 1 << 20, &err);
	assert_int_equal(r, -EFBIG);
	assert_true(fed <= CAST_V1_MAX);
	assert_string_equal(err.msg,
	    "line 1: the document is larger than 64 MiB");
	cast_destroy(c);
}

static void
guess_is(const char *text, enum cast_guess want)
{
	enum cast_guess got = cast_probe(text, strlen(text));

	if (got != want)
		fail_msg("%s: guessed %d, not %d", text, got, want);
}

static void
cast_probe_goes_by_the_content(void **state)
{
	(void)state;
	guess_is("{\"version\":2,\"width\":80,\"height\":24}\n", CAST_YES);
	guess_is("{\"version\": 3,", CAST_YES);
	guess_is("{\"env\":{\"version\":\"x\"},\"version\":2}", CAST_YES);
	guess_is("\n {\n  \"version\": 1,", CAST_YES);
	guess_is("", CAST_MAYBE);
	guess_is("{", CAST_MAYBE);
	guess_is("{\"vers", CAST_MAYBE);
	guess_is("{\"version\":", CAST_MAYBE);
	guess_is("{\"version\":2", CAST_MAYBE);
	guess_is("{\"version\":2.", CAST_MAYBE);
	guess_is("{\"x\":tr", CAST_MAYBE);
	guess_is("{\"x\":\"\\ud83d\\u0", CAST_MAYBE);
	guess_is("{\"env\":{\"A\":\"b", CAST_MAYBE);
	guess_is("{}", CAST_NO);
	guess_is("{\"name\":\"x\"}", CAST_NO);
	guess_is("{\"version\":\"1.0.0\"", CAST_NO);
	guess_is("{\"version\":2.x", CAST_NO);
	guess_is("{\"x\":trx", CAST_NO);
	guess_is("{ \033[1m", CAST_NO);
	guess_is("[1,\"o\",\"a\"]", CAST_NO);
	guess_is("$ ls\r\n", CAST_NO);
}

static void
cast_probe_gives_up_at_its_limit(void **state)
{
	auto_free char *blanks = xmalloc(CAST_PROBE_MAX);

	(void)state;
	memset(blanks, ' ', CAST_PROBE_MAX);
	assert_int_equal(cast_probe(blanks, CAST_PROBE_MAX - 1), CAST_MAYBE);
	assert_int_equal(cast_probe(blanks, CAST_PROBE_MAX), CAST_NO);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cast_plays_v1_whose_times_are_delays),
		cmocka_unit_test(cast_plays_v1_over_many_lines_in_any_order),
		cmocka_unit_test(cast_plays_v2_whose_times_are_absolute),
		cmocka_unit_test(cast_plays_v3_whose_times_are_delays),
		cmocka_unit_test(cast_skips_unknown_events),
		cmocka_unit_test(cast_needs_no_newline_at_the_end),
		cmocka_unit_test(cast_never_goes_back_in_time),
		cmocka_unit_test(cast_refuses_invalid_times),
		cmocka_unit_test(cast_names_the_line_of_a_bad_event),
		cmocka_unit_test(cast_refuses_invalid_sizes),
		cmocka_unit_test(cast_refuses_bad_headers),
		cmocka_unit_test(cast_names_the_line_of_a_bad_v1_pair),
		cmocka_unit_test(cast_passes_on_the_callers_reason),
		cmocka_unit_test(cast_stops_when_the_caller_has_enough),
		cmocka_unit_test(
		    cast_takes_lines_up_to_its_limit_and_no_longer),
		cmocka_unit_test(cast_refuses_a_document_beyond_its_limit),
		cmocka_unit_test(cast_probe_goes_by_the_content),
		cmocka_unit_test(cast_probe_gives_up_at_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
