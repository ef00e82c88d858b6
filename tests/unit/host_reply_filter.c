#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "host/input/reply_filter.h"

/*
 * Expect the bytes that pass, for input in pieces of `piece`; flushed at the
 * end.
 */
static void
expect(const char *in, size_t len, size_t piece, bool cpr, const char *out)
{
	struct reply_filter f = { .cpr = cpr };
	struct buf b;

	buf_init(&b, 65536);
	for (size_t at = 0; at < len; at += piece)
		reply_filter(&f, (const uint8_t *)in + at,
		    piece < len - at ? piece : len - at, &b);
	reply_filter_flush(&f, &b);
	assert_false(b.full);
	if (b.len != strlen(out) || memcmp(b.data, out, b.len) != 0)
		fail_msg("in pieces of %zu: %.*s gave %.*s, not %s", piece,
		    (int)len, in, (int)b.len, (const char *)b.data, out);
	buf_finish(&b);
}

static void
passes(const char *in)
{
	for (size_t piece = 1; piece <= strlen(in); piece++)
		expect(in, strlen(in), piece, false, in);
}

/* Between two letters that must stay, however the bytes are cut. */
static void
drops(const char *reply)
{
	char in[128];

	snprintf(in, sizeof(in), "a%sb", reply);
	for (size_t piece = 1; piece <= strlen(in); piece++)
		expect(in, strlen(in), piece, true, "ab");
}

/* O-11, S5: the forms in which terminals answer. */
static void
answers_of_terminals_are_dropped(void **state)
{
	static const char *const replies[] = {
		"\033[12;40R",
		"\033[1;2R",
		"\033[?12;40;1R",
		"\033[0n",
		"\033[?1;2c",
		"\033[?62;22c",
		"\033[>1;10;0c",
		"\033]10;rgb:ffff/ffff/ffff\033\\",
		"\033]11;rgb:0000/0000/0000\a",
		"\033]4;1;rgb:cdcd/0000/0000\033\\",
		"\033]52;c;aGVsbG8=\a",
		"\033]7501;?\a",
		"\033]7501;?\033\\",
		"\033P>|XTerm(379)\033\\",
		"\033P1$r0m\033\\",
		"\033P1+r544e=787465726d\033\\",
		"\033P!|00000000\033\\",
		"\033[?2026;2$y",
		"\033[?0u",
		"\033[8;24;80t",
		"\033_Gi=31;OK\033\\",
		"\033[?997;1n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++)
		drops(replies[i]);
}

static void
typed_keys_pass(void **state)
{
	static const char *const typed[] = {
		"plain text\r",
		"\033",
		"\033\033",
		"\033[A\033OB\033[1;5C\033[15~",
		"\033[1;2R",
		"\033x\033]\033Pp\033_",
		"\033]a",
		"\033[200~pasted\033[201~",
		"\033[<0;10;20M\033[<0;10;20m\033[M !!",
		"\033[97;5u",
		"\033[I\033[O",
		"gr\303\274n \360\237\230\200",
		"\033[\003",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++)
		passes(typed[i]);
}

/* CSI 1 ; 2 R is also S-F3: it is an answer only if one is expected. */
static void
a_cursor_report_is_dropped_only_if_expected(void **state)
{
	(void)state;
	expect("\033[1;2R", 6, 6, false, "\033[1;2R");
	expect("\033[1;2R", 6, 6, true, "");
}

static void
an_incomplete_sequence_waits_for_its_rest(void **state)
{
	struct reply_filter f = { 0 };
	struct buf b;

	(void)state;
	buf_init(&b, 1024);
	reply_filter(&f, (const uint8_t *)"x\033[12;", 6, &b);
	assert_int_equal(b.len, 1);
	assert_true(reply_filter_holds(&f));
	reply_filter(&f, (const uint8_t *)"40R", 3, &b);
	assert_int_equal(b.len, 1);
	assert_false(reply_filter_holds(&f));
	reply_filter(&f, (const uint8_t *)"\033", 1, &b);
	assert_true(reply_filter_holds(&f));
	reply_filter_flush(&f, &b);
	assert_memory_equal(b.data, "x\033", 2);
	assert_false(reply_filter_holds(&f));
	buf_finish(&b);
}

/* A clipboard of 4 KiB is dropped to its end, and no further. */
static void
long_answers_are_dropped_to_their_end(void **state)
{
	char in[4200];
	size_t len;

	(void)state;
	memset(in, 'A', sizeof(in));
	memcpy(in, "\033]52;c;", 7);
	len = 4096;
	memcpy(in + len, "\033\\after", 7);
	expect(in, len + 7, len + 7, false, "after");
	expect(in, len + 7, 100, false, "after");
}

/* A CSI that never ends is not an answer, and passes. */
static void
endless_sequences_pass(void **state)
{
	char in[2000];

	(void)state;
	memset(in, '1', sizeof(in));
	memcpy(in, "\033[", 2);
	in[sizeof(in) - 1] = '\0';
	expect(in, sizeof(in) - 1, sizeof(in), false, in);
	expect(in, sizeof(in) - 1, 7, false, in);
}

static void
a_string_that_is_cut_off_does_not_swallow_the_next(void **state)
{
	(void)state;
	expect("\033]10;rgb:\033[A", 12, 12, false, "\033]10;rgb:\033[A");
	expect("\033]10;rgb:\033[5;5Rx", 16, 16, false, "\033]10;rgb:x");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_of_terminals_are_dropped),
		cmocka_unit_test(typed_keys_pass),
		cmocka_unit_test(a_cursor_report_is_dropped_only_if_expected),
		cmocka_unit_test(an_incomplete_sequence_waits_for_its_rest),
		cmocka_unit_test(long_answers_are_dropped_to_their_end),
		cmocka_unit_test(endless_sequences_pass),
		cmocka_unit_test(
		    a_string_that_is_cut_off_does_not_swallow_the_next),
	};

	return cmocka_run_group_tests_name("host_reply_filter", tests, NULL,
	    NULL);
}
