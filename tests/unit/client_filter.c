/* A program's output as the user's terminal receives it (O-11, S7). */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/mem.h"
#include "client/filter.h"
#include "vt_make.h"
#include "vt_show.h"
#include "../rng.h"

struct expectation {
	const char *in, *out;
};

static void
run(unsigned flags, const char *in, size_t first, size_t piece, struct buf *out)
{
	struct filter f;
	size_t len = strlen(in), at = 0;

	filter_init(&f, flags);
	while (at < len && !f.redraw) {
		size_t n = at == 0 ? first : piece;

		if (n > len - at)
			n = len - at;
		at += filter_feed(&f, in + at, n, out);
	}
}

/* In one piece, in two pieces cut everywhere, and byte by byte. */
static void
gives(unsigned flags, const char *in, const char *want)
{
	size_t len = strlen(in);

	for (size_t cut = 0; cut <= len; cut++) {
		struct buf out;

		buf_init(&out, SIZE_MAX);
		run(flags, in, cut == 0 ? 1 : cut, cut == 0 ? 1 : len, &out);
		if (out.len != strlen(want) ||
		    (out.len > 0 && memcmp(out.data, want, out.len) != 0))
			fail_msg("%s cut at %zu gave %s, not %s",
			    show_bytes(in, len).s, cut,
			    show_bytes(out.data, out.len).s,
			    show_bytes(want, strlen(want)).s);
		buf_finish(&out);
	}
}

static void
drawing_sequences_pass(void **state)
{
	static const char *const same[] = {
		"plain text\r\n\tand tabs\b\a",
		"\033[31;1mred\033[0m \033[38;2;1;2;3mrgb",
		"\033[H\033[2J\033[10;20H\033[K\033[1;5r",
		"\033(0lqk\033(B\0337\0338\033M\033D\033=\033>",
		"\033[?25l\033[?25h\033[?2004h\033[4h\033[4l",
		"\033[?1000h\033[?1002;1004h\033[?7l",
		"\033]0;a title?\a\033]2;other\033\\",
		"\033]8;id=1;https://example.org/?a;?\033\\link\033]8;;\033\\",
		"\033]4;1;rgb:11/22/33\033\\\033]104\033\\\033]10;#fff\a",
		"\033[>1u\033[<u\033[=5;1u\033[>4;2m\033[>4n",
		"\033[2 q\033[!p\033[22;0t\033[23;0t",
		"gr\xc3\xbc\xc3\x9f \xc2\xab\xc2\xa0\xc2\xbb \xe5\xad\x97 \xf0\x9f\x98\x80",
		"\033]133;A\033\\\033]7;file://h/x\a\033]9;done\a",
		"\033[?2026hframe\033[?2026l",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		gives(FILTER_ONE_SCREEN, same[i], same[i]);
}

static void
no_question_reaches_the_terminal(void **state)
{
	static const char *const questions[] = {
		"\033[c",
		"\033[0c",
		"\033[>c",
		"\033[=c",
		"\033Z",
		"\xc2\x9a",
		"\033[5n",
		"\033[6n",
		"\033[?6n",
		"\033[?996n",
		"\xc2\x9b"
		"6n",
		"\033[?2026$p",
		"\033[4$p",
		"\033[>q",
		"\033[>0q",
		"\033[?u",
		"\033[?4m",
		"\033[x",
		"\033[1x",
		"\033[14t",
		"\033[18t",
		"\033[21t",
		"\033[8;50;100t",
		"\033[1;1;1;1;1;1*y",
		"\033[1$w",
		"\033[2$w",
		"\033[&u",
		"\033[?1;1;1S",
		"\033[#R",
		"\x05",
		"\033]10;?\a",
		"\033]11;?\033\\",
		"\033]4;1;?\a",
		"\033]4;1;#fff;2;?\a",
		"\033]12;?\xc2\x9c",
		"\033]5;0;?\a",
		"\033]5;0;#fff\a",
		"\033[>2;3t",
		"\033[>2T",
		"\033]52;c;?\a",
		"\033]52;c;aGVsbG8=\a",
		"\033]99;i=1:p=?;\033\\",
		"\033]7501;?\033\\",
		"\033]7501;?\a",
		"\033]7501;state=working:app=a\a",
		"\033]1337;ReportCellSize\a",
		"\033]60\a",
		"\033]\a",
		"\033P$qm\033\\",
		"\033P+q544e\033\\",
		"\033P0p\033\\",
		"\xc2\x90"
		"$qm\xc2\x9c",
		"\033_Gi=1,a=q;AAAA\033\\",
		"\033^pm\033\\",
		"\033Xsos\033\\",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		gives(0, questions[i], "");
		gives(FILTER_ONE_SCREEN, questions[i], "");
	}
}

static void
text_around_a_question_stays(void **state)
{
	static const struct expectation cases[] = {
		{ "a\033[6nb", "ab" },
		{ "a\033[\r6nb", "a\rb" },
		{ "a\033[6\x18nb", "anb" },
		{ "a\033[6\033[1mb", "a\033[1mb" },
		{ "a\033]11;?\033[1mb", "a\033[1mb" },
		{ "a\033]2;cut\x18"
		  "b",
		    "ab" },
		{ "\033P+q\033[6n\033\\x", "\033\\x" },
		{ "\033[1\xc3\xa4", "\xc3\xa4" },
		{ "\033%@x", "x" },
		{ "\033]2;t\xc2\x9cx", "\033]2;t\033\\x" },
		{ "\xc2\x9b"
		  "1mx",
		    "\033[1mx" },
		{ "\xc2\x85x", "\033Ex" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		gives(FILTER_ONE_SCREEN, cases[i].in, cases[i].out);
}

static void
unknown_modes_and_mouse_formats_are_left_out(void **state)
{
	(void)state;
	gives(0, "\033[?9001h", "");
	gives(0, "\033[?25;9001;2004h", "\033[?25;2004h");
	gives(0, "\033[?1006h\033[?1005h\033[?1015l", "");
	gives(0, "\033[?1000;1006h", "\033[?1000h");
	gives(0, "\033[?3h\033[?40h\033[2h\033[12l", "");
	gives(0, "\033[?4;18;19;25;42h", "\033[?25h");
}

static void
output_never_switches_screens(void **state)
{
	static const char *const switches[] = { "\033[?1049h", "\033[?47l",
		"\033[?25;1047h", "\033c", "\033[?1049r" };

	(void)state;
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		struct filter f;
		struct buf out;
		auto_free char *in = NULL;

		buf_init(&out, SIZE_MAX);
		buf_puts(&out, switches[i]);
		buf_puts(&out, "after");
		in = buf_take(&out);
		filter_init(&f, FILTER_ONE_SCREEN);
		assert_int_equal(filter_feed(&f, in, strlen(in), &out),
		    strlen(switches[i]));
		assert_true(f.redraw);
		assert_null(
		    memchr(out.data ? (char *)out.data : "", '9', out.len));
		buf_finish(&out);
	}
	gives(0, "\033[?1049hx", "\033[?1049hx");
	gives(FILTER_ONE_SCREEN, "\033[3J\033[2J", "\033[2J");
	gives(0, "\033[3J", "\033[3J");
}

/* Terminals may not know rectangles, and a conformance level resets them. */
static void
sequences_a_terminal_may_not_know_cause_a_redraw(void **state)
{
	static const char *const sequences[] = { "\033[1;1;2;2;1;3;3;1$v",
		"\033[65;1;1;2;2$x", "\033[1;1;2;2$z", "\033[1;1;2;2${",
		"\033[64;1\"p" };

	(void)state;
	for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++) {
		size_t len = strlen(sequences[i]);
		struct filter f;
		struct buf out;

		buf_init(&out, SIZE_MAX);
		filter_init(&f, 0);
		assert_int_equal(filter_feed(&f, sequences[i], len, &out), len);
		assert_true(f.redraw);
		assert_int_equal(out.len, 0);
		buf_finish(&out);
	}
}

static void
the_pixel_mouse_mode_is_remembered(void **state)
{
	struct filter f;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	filter_init(&f, 0);
	filter_feed(&f, "\033[?1003;1016h", 13, &out);
	assert_true(f.pixels);
	filter_feed(&f, "\033[?1016l", 8, &out);
	assert_false(f.pixels);
	filter_feed(&f, "\033[1016h", 7, &out); /* no private mode */
	assert_false(f.pixels);
	buf_finish(&out);
}

static void
overlong_sequences_are_dropped_whole(void **state)
{
	struct buf in, out;
	struct filter f;

	(void)state;
	buf_init(&in, SIZE_MAX);
	buf_init(&out, SIZE_MAX);
	buf_puts(&in, "\033]2;");
	for (unsigned i = 0; i <= FILTER_HELD; i++)
		buf_putc(&in, 'x');
	buf_puts(&in, "\aafter\033[");
	for (unsigned i = 0; i <= FILTER_HELD; i++)
		buf_putc(&in, '1');
	buf_puts(&in, "mend");
	filter_init(&f, 0);
	assert_int_equal(filter_feed(&f, in.data, in.len, &out), in.len);
	assert_int_equal(out.len, 8);
	assert_memory_equal(out.data, "afterend", 8);
	buf_finish(&in);
	buf_finish(&out);
}

static void
asks_nothing(const char *name, bool query, const char *in)
{
	struct replies replies;
	struct vt *vt = make_vt_that_replies(20, 5, &replies);
	struct buf out;

	buf_init(&out, SIZE_MAX);
	vt_answer_all(vt, true);
	run(0, in, strlen(in), 1, &out);
	if (query && out.len > 0)
		fail_msg("%s is a query, and passes", name);
	vt_feed(vt, out.data, out.len);
	if (replies.out.len > 0)
		fail_msg("%s: %s passes, and is answered by %s", name,
		    show_bytes(in, strlen(in)).s,
		    show_bytes(replies.out.data, replies.out.len).s);
	buf_finish(&out);
	buf_finish(&replies.out);
	vt_destroy(vt);
}

/* Parameters that ask, in some sequence or other; NULL is the end. */
static const char *const numbers[] = { "", "0", "1", "2", "4", "5", "6", "11",
	"13", "14", "15", "16", "18", "19", "20", "21", "22", "996",
	"1;1;1;1;1;1", NULL };
static const char *const fields[] = { "", "?", "1;?", "c;?", "1;#fff;2;?",
	"i=1:p=?;", "p=?", NULL };

/* `before` and `after` are the bytes around the parameters. */
static void
asks_in_no_way(const char *name, bool query, const char *before,
    const char *const *parameters, const char *after)
{
	for (; *parameters != NULL; parameters++) {
		char in[64];

		snprintf(in, sizeof(in), "%s%s%s", before, *parameters, after);
		asks_nothing(name, query, in);
	}
}

/* "\033[?" from "\033[" and '?'; 0 is no byte. */
#define TEXT(begin, a, b, end) \
	text((char[32]){ 0 }, begin, (const char[]){ a, 0 }, \
	    (const char[]){ b, 0 }, end)

static const char *
text(char out[32], const char *begin, const char *a, const char *b,
    const char *end)
{
	snprintf(out, 32, "%s%s%s%s", begin, a, b, end);
	return out;
}

/*
 * Every sequence of the table, with many parameters: a terminal such as ours
 * answers nothing of that which passes.
 */
static void
no_row_of_the_table_asks_the_terminal(void **state)
{
	enum { FULL, PART, QUERY, EVENT, IGNORED };

	(void)state;
#define C0(byte, fn, name, status, way, what) \
	asks_nothing(name, (status) == QUERY, TEXT("", byte, 0, ""));
#define C1(byte, fn, name, status, way, what) \
	asks_nothing(name, (status) == QUERY, TEXT("\033", (byte)-0x40, 0, ""));
#define ESC(inter, final, fn, name, status, way, what) \
	asks_nothing(name, (status) == QUERY, \
	    TEXT("\033", inter, final, (final) == 0 ? "B" : ""));
#define CSI(priv, inter, final, fn, name, status, way, what) \
	asks_in_no_way(name, (status) == QUERY, TEXT("\033[", priv, 0, ""), \
	    numbers, TEXT("", inter, final, ""));
#define DCS(priv, inter, final, fn, name, status, way, what) \
	asks_in_no_way(name, (status) == QUERY, TEXT("\033P", priv, 0, ""), \
	    numbers, TEXT("", inter, final, "m\033\\"));
#define OSC(number, fn, name, status, way, what) \
	asks_in_no_way(name, (status) == QUERY, "\033]" #number ";", fields, \
	    "\a");
#include "vt/seq.def"
}

/*
 * Random bytes: no cut changes the result, and the terminal answers nothing.
 */
static void
random_bytes_ask_nothing(void **state)
{
	static const char *const bits[] = { "\033", "[", "]", "?", "6", "n",
		"c", ";", "1", "0", "$", "p", "q", ">", "=", "u", "\a", "\\",
		"P", "+", "x", "t", "\xc2", "\x9b", "\x9d", "\x9c", "52",
		"\x18", "11", "4", "a", "\r", "\x05", "\033[", "\033]", "m",
		"Z" };
	struct rng rng = { 1 };

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		struct replies replies;
		struct vt *vt = make_vt_that_replies(20, 5, &replies);
		struct buf in, whole, bytewise;
		auto_free char *text = NULL;

		buf_init(&in, SIZE_MAX);
		buf_init(&whole, SIZE_MAX);
		buf_init(&bytewise, SIZE_MAX);
		for (unsigned i = 0; i < 40; i++)
			buf_puts(&in,
			    bits[rng_below(&rng,
				sizeof(bits) / sizeof(*bits))]);
		text = buf_take(&in);
		run(0, text, strlen(text), 1, &whole);
		run(0, text, 1, 1, &bytewise);
		assert_int_equal(whole.len, bytewise.len);
		if (whole.len > 0)
			assert_memory_equal(whole.data, bytewise.data,
			    whole.len);
		vt_feed(vt, whole.data, whole.len);
		if (replies.out.len > 0)
			fail_msg("round %u: %s became %s, answered by %s",
			    round, show_bytes(text, strlen(text)).s,
			    show_bytes(whole.data, whole.len).s,
			    show_bytes(replies.out.data, replies.out.len).s);
		buf_finish(&whole);
		buf_finish(&bytewise);
		buf_finish(&replies.out);
		vt_destroy(vt);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawing_sequences_pass),
		cmocka_unit_test(no_question_reaches_the_terminal),
		cmocka_unit_test(text_around_a_question_stays),
		cmocka_unit_test(unknown_modes_and_mouse_formats_are_left_out),
		cmocka_unit_test(output_never_switches_screens),
		cmocka_unit_test(
		    sequences_a_terminal_may_not_know_cause_a_redraw),
		cmocka_unit_test(the_pixel_mouse_mode_is_remembered),
		cmocka_unit_test(overlong_sequences_are_dropped_whole),
		cmocka_unit_test(no_row_of_the_table_asks_the_terminal),
		cmocka_unit_test(random_bytes_ask_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
