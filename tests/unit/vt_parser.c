#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../rng.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "vt/parser.h"
#include "vt_show.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/*
 * The parser's calls, in a readable form:
 *
 *	'text'  [0a]  [ESC (0]  [CSI ?1;2:3 $p]  [OSC 2 title]
 *	[DCS 1 $q data]
 *
 * Text that comes in several pieces is one text.
 */
struct trace {
	struct buf out;
	bool in_text;
	struct parser *ps;
	uint8_t stop_at; /* the CSI final at which to stop; 0: never */
};

static void
end_text(struct trace *t)
{
	if (t->in_text)
		buf_putc(&t->out, '\'');
	t->in_text = false;
}

static void
begin_text(struct trace *t)
{
	if (!t->in_text)
		buf_putc(&t->out, '\'');
	t->in_text = true;
}

static void
on_ascii(void *arg, const uint8_t *p, size_t len)
{
	struct trace *t = arg;

	assert_true(len > 0);
	begin_text(t);
	buf_append(&t->out, p, len);
}

static void
on_text(void *arg, const struct text *text)
{
	struct trace *t = arg;
	char utf8[4];

	assert_true(text->n > 0);
	begin_text(t);
	for (size_t i = 0; i < text->n; i++) {
		size_t len = utf8_encode(utf8, text->cps[i]);
		assert_int_equal(text->at[i + 1] - text->at[i], len);
		assert_memory_equal(text->utf8 + text->at[i], utf8, len);
		buf_append(&t->out, utf8, len);
	}
}

static void
on_control(void *arg, uint8_t code)
{
	struct trace *t = arg;

	end_text(t);
	buf_printf(&t->out, "[%02x]", code);
}

/* The intermediate, or "**" for more than one. */
static void
put_intermediate(struct trace *t, const struct seq *seq)
{
	if (seq->intermediate == SEQ_INTERMEDIATES)
		buf_puts(&t->out, "**");
	else if (seq->intermediate != 0)
		buf_putc(&t->out, (char)seq->intermediate);
}

/* Private marker, parameters, intermediate, final. */
static void
put_seq(struct trace *t, const struct seq *seq)
{
	if (seq->private != 0)
		buf_putc(&t->out, (char)seq->private);
	for (unsigned i = 0; i < seq->nargs; i++) {
		if (i > 0)
			buf_putc(&t->out, seq->sub >> i & 1 ? ':' : ';');
		buf_printf(&t->out, "%u", seq->args[i]);
	}
	buf_putc(&t->out, ' ');
	put_intermediate(t, seq);
	buf_putc(&t->out, (char)seq->final);
}

static void
on_esc(void *arg, const struct seq *seq)
{
	struct trace *t = arg;

	end_text(t);
	buf_puts(&t->out, "[ESC ");
	put_intermediate(t, seq);
	buf_printf(&t->out, "%c]", seq->final);
}

static void
on_csi(void *arg, const struct seq *seq)
{
	struct trace *t = arg;

	end_text(t);
	buf_puts(&t->out, "[CSI ");
	put_seq(t, seq);
	buf_putc(&t->out, ']');
	if (t->stop_at == seq->final)
		parser_stop(t->ps);
}

static void
on_osc(void *arg, const struct seq *seq)
{
	struct trace *t = arg;

	assert_int_equal(seq->str[seq->len], '\0');
	end_text(t);
	buf_printf(&t->out, "[OSC %u ", seq->args[0]);
	buf_append(&t->out, seq->str, seq->len);
	buf_putc(&t->out, ']');
}

static void
on_dcs(void *arg, const struct seq *seq)
{
	struct trace *t = arg;

	assert_int_equal(seq->str[seq->len], '\0');
	end_text(t);
	buf_puts(&t->out, "[DCS ");
	put_seq(t, seq);
	buf_putc(&t->out, ' ');
	buf_append(&t->out, seq->str, seq->len);
	buf_putc(&t->out, ']');
}

static const struct parser_ops ops = {
	.ascii = on_ascii,
	.text = on_text,
	.control = on_control,
	.esc = on_esc,
	.csi = on_csi,
	.osc = on_osc,
	.dcs = on_dcs,
};

static void
trace_init(struct trace *t, struct parser *ps)
{
	*t = (struct trace){ .ps = ps };
	buf_init(&t->out, SIZE_MAX);
	parser_init(ps, &ops, t);
}

/* The trace as a string; the caller frees. */
static char *
trace_finish(struct trace *t)
{
	end_text(t);
	parser_finish(t->ps);
	return buf_take(&t->out);
}

static void
feed(struct parser *ps, const void *bytes, size_t len)
{
	assert_int_equal(parser_feed(ps, bytes, len), len);
}

/* In two pieces, the first of `cut` bytes. */
static char *
trace_cut(const uint8_t *bytes, size_t len, size_t cut)
{
	struct parser ps;
	struct trace t;

	trace_init(&t, &ps);
	feed(&ps, bytes, cut);
	feed(&ps, bytes + cut, len - cut);
	return trace_finish(&t);
}

static char *
trace_by_bytes(const uint8_t *bytes, size_t len)
{
	struct parser ps;
	struct trace t;

	trace_init(&t, &ps);
	for (size_t i = 0; i < len; i++)
		feed(&ps, bytes + i, 1);
	return trace_finish(&t);
}

static void
same_trace(const char *got, const char *want, const uint8_t *bytes, size_t len,
    const char *how, size_t cut)
{
	if (strcmp(got, want) == 0)
		return;
	fail_msg("%s\n%s %zu: %s\ninstead of: %s", show_bytes(bytes, len).s,
	    how, cut, got, want);
}

/* However the bytes are cut, the trace is the same. */
static void
same_in_all_pieces(const uint8_t *bytes, size_t len, const char *want)
{
	auto_free char *single = trace_by_bytes(bytes, len);

	for (size_t cut = 0; cut <= len; cut++) {
		auto_free char *got = trace_cut(bytes, len, cut);
		same_trace(got, want, bytes, len, "cut at", cut);
	}
	same_trace(single, want, bytes, len, "by bytes, of", len);
}

/* A literal, which may hold NUL. */
#define parses(bytes, want) \
	same_in_all_pieces((const uint8_t *)(bytes), sizeof(bytes) - 1, want)

static void
text_is_printed_in_runs(void **state)
{
	(void)state;
	parses("", "");
	parses("hello", "'hello'");
	parses("0123456789abcdefghijklmnopqrstuvwxyz",
	    "'0123456789abcdefghijklmnopqrstuvwxyz'");
	parses("gr\xc3\xbc\xc3\x9f \xe5\xad\x97 \xf0\x9f\x98\x80!",
	    "'grüß 字 😀!'");
}

static void
delete_is_ignored_everywhere(void **state)
{
	(void)state;
	parses("a\x7f"
	       "b\033\x7f[\x7f"
	       "1\x7fm\033]2;a\x7f"
	       "b\a",
	    "'ab'[CSI 1 m][OSC 2 ab]");
}

static void
invalid_utf8_is_replaced_by_maximal_subparts(void **state)
{
	(void)state;
	parses("a\x80"
	       "b",
	    "'a\ufffdb'");
	parses("\xe5\xad"
	       "a",
	    "'\ufffda'");
	parses("\xe5\xad\xe5\xad\x97", "'\ufffd字'");
	parses("\xf0\x9f\x98\033[m", "'\ufffd'[CSI 0 m]");
	parses("\xc0\xaf\xff", "'\ufffd\ufffd\ufffd'");
	parses("\xed\xa0\x80", "'\ufffd\ufffd\ufffd'"); /* a surrogate */
	parses("\xf4\x90\x80\x80", "'\ufffd\ufffd\ufffd\ufffd'");
}

static void
c0_controls_are_executed(void **state)
{
	(void)state;
	parses("a\r\nb\0c", "'a'[0d][0a]'b'[00]'c'");
	parses("\x18\x1a\a", "[18][1a][07]");
}

static void
c1_controls_are_code_points_never_bytes(void **state)
{
	(void)state;
	parses("a\xc2\x85"
	       "b",
	    "'a'[85]'b'");
	parses("\x85", "'\ufffd'");
	parses("\xc2\x9b"
	       "1;2H",
	    "[CSI 1;2 H]");
	parses("\x9b"
	       "1H",
	    "'\ufffd1H'");
	parses("\xc2\x9d"
	       "2;t\xc2\x9c",
	    "[OSC 2 t]");
	parses("\xc2\x90$qm\xc2\x9c", "[DCS 0 $q m]");
	parses("\xc2\x98gone\xc2\x9c!", "'!'");
}

static void
escape_and_a_letter_is_a_c1_control(void **state)
{
	(void)state;
	parses("\033D\033M\033E", "[84][8d][85]");
	parses("\033[m\0337\0338\033c", "[CSI 0 m][ESC 7][ESC 8][ESC c]");
	parses("\033\\", "[ESC \\]");
}

static void
escape_takes_intermediates(void **state)
{
	(void)state;
	parses("\033(0\033)B", "[ESC (0][ESC )B]");
	parses("\033#8", "[ESC #8]");
	parses("\033($B", "[ESC **B]");
	parses("\033(D", "[ESC (D]"); /* not IND */
}

static void
csi_has_parameters_marker_and_intermediate(void **state)
{
	(void)state;
	parses("\033[H", "[CSI 0 H]");
	parses("\033[;5H", "[CSI 0;5 H]");
	parses("\033[1;H", "[CSI 1;0 H]");
	parses("\033[?25;2004h", "[CSI ?25;2004 h]");
	parses("\033[>4;1m\033[=1u\033[<u", "[CSI >4;1 m][CSI =1 u][CSI <0 u]");
	parses("\033[2 q\033[?1$p", "[CSI 2  q][CSI ?1 $p]");
	parses("\033[1 !x", "[CSI 1 **x]");
}

static void
csi_has_sub_parameters(void **state)
{
	(void)state;
	parses("\033[4:3m", "[CSI 4:3 m]");
	parses("\033[38:2::1:2:3;4m", "[CSI 38:2:0:1:2:3;4 m]");
	parses("\033[:m", "[CSI 0:0 m]");
}

static void
a_byte_in_the_wrong_place_invalidates_the_csi(void **state)
{
	(void)state;
	parses("\033[1?25hx", "'x'");
	parses("\033[;?25hx", "'x'");
	parses("\033[$1px", "'x'");
	parses("\033[1??hx", "'x'");
	parses("\033[1?\n2\x18"
	       "25h",
	    "[0a]'25h'");
}

static void
controls_inside_a_csi_are_obeyed_in_passing(void **state)
{
	(void)state;
	parses("\033[1\r\n;2\bH", "[0d][0a][08][CSI 1;2 H]");
	parses("\033\n[\aH", "[0a][07][CSI 0 H]");
	parses("\033(\b0", "[08][ESC (0]");
}

static void
can_and_sub_abort_any_sequence(void **state)
{
	(void)state;
	parses("\033\x18[H", "'[H'");
	parses("\033[1\x18"
	       "2H",
	    "'2H'");
	parses("\033[1\x1a"
	       "2H",
	    "'2H'");
	parses("\033]2;gone\x18!\a", "'!'[07]");
	parses("\033P1$q\x1am", "'m'");
	parses("\033Pq123\x18!", "'!'");
	parses("\033_gone\x1a!", "'!'");
}

static void
escape_aborts_any_sequence_and_begins_another(void **state)
{
	(void)state;
	parses("\033\033[H", "[CSI 0 H]");
	parses("\033[1\033[2H", "[CSI 2 H]");
	parses("\033[1?\033[2H", "[CSI 2 H]");
	parses("\033]2;gone\033[2H", "[CSI 2 H]");
	parses("\033]2;gone\033\033\\x", "[ESC \\]'x'");
	parses("\033P1\033D", "[84]");
	parses("\033Pqgone\0337", "[ESC 7]");
	parses("\033_gone\033]2;t\a", "[OSC 2 t]");
}

static void
a_character_beyond_ascii_ends_a_sequence_and_is_shown(void **state)
{
	(void)state;
	parses("\033[1\xc3\xbcH", "'üH'");
	parses("\033\xc3\xbc", "'ü'");
	parses("\033[1?\xe5\xad\x97", "'字'");
	parses("\033[1\xc2\x9b"
	       "2H",
	    "[CSI 2 H]");
	parses("\033P1\xc3\xbc", "'ü'");
}

static void
osc_ends_with_st_in_three_spellings_or_bel(void **state)
{
	(void)state;
	parses("\033]2;title\a!", "[OSC 2 title]'!'");
	parses("\033]2;title\033\\!", "[OSC 2 title]'!'");
	parses("\033]2;title\xc2\x9c!", "[OSC 2 title]'!'");
	parses("\033]2;\xc3\x9c\xc2\xa9\xc2\xc2\x9c!", "[OSC 2 Ü©\xc2]'!'");
	parses("\033]104\a", "[OSC 104 ]");
	parses("\033]8;;\a", "[OSC 8 ;]");
}

static void
only_a_numbered_osc_is_reported(void **state)
{
	(void)state;
	parses("\033]title\a!", "'!'");
	parses("\033]\a!", "'!'");
	parses("\033]2x;title\a!", "'!'");
	parses("\033]65535;a\a\033]65536;b\a", "[OSC 65535 a]");
}

static void
bel_ends_no_string_but_osc(void **state)
{
	(void)state;
	parses("\033Pqa\ab\033\\!", "[DCS 0 q ab]'!'");
	parses("\033_a\ab\033\\!", "'!'");
	parses("\033^a\ab\xc2\x9c!", "'!'");
	parses("\033Xa\ab\033\\!", "'!'");
}

static void
controls_in_strings_are_dropped(void **state)
{
	(void)state;
	parses("\033]2;a\r\nb\a", "[OSC 2 ab]");
	parses("\033Pqa\nb\033\\", "[DCS 0 q ab]");
	parses("\033P1\n;2q\033\\", "[DCS 1;2 q ]");
}

static void
dcs_has_parameters_and_a_string(void **state)
{
	(void)state;
	parses("\033P$qm\033\\", "[DCS 0 $q m]");
	parses("\033P1;2+q544e;436f\033\\", "[DCS 1;2 +q 544e;436f]");
	parses("\033P>|1\033\\", "[DCS >0 | 1]");
	parses("\033P1>|gone\033\\!", "'!'");
	parses("\033P$1qgone\033\\!", "'!'");
}

static void
sos_pm_and_apc_are_swallowed(void **state)
{
	(void)state;
	parses("a\033Xhidden\033\\b", "'ab'");
	parses("a\033^hid\xc3\xbc"
	       "den\033\\b",
	    "'ab'");
	parses("a\033_G1;2\xc2\x9c"
	       "b",
	    "'ab'");
	parses("a\xc2\x9fhidden\033\\b", "'ab'");
}

static void
parameters_beyond_the_last_are_dropped(void **state)
{
	(void)state;
	parses("\033[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;"
	       "23;24;25;26;27;28;29;30;31;32m",
	    "[CSI 1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;"
	    "23;24;25;26;27;28;29;30;31;32 m]");
	parses("\033[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;"
	       "23;24;25;26;27;28;29;30;31;32;33;34:35m",
	    "[CSI 1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;"
	    "23;24;25;26;27;28;29;30;31;32 m]");
	parses("\033P::::::::::::::::::::::::::::::::5:6q\033\\",
	    "[DCS 0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:"
	    "0:0 q ]");
}

static void
values_are_cut_at_the_largest(void **state)
{
	(void)state;
	parses("\033[65534;65535;65536;99999999999999999999H",
	    "[CSI 65534;65535;65535;65535 H]");
	parses("\033P65536;1q\033\\", "[DCS 65535;1 q ]");
}

/* "ESC ] 2 ; x...x END !": the string has len bytes, its number included. */
static char *
trace_long_osc(size_t len, size_t piece, const char *end, size_t *kept)
{
	struct parser ps;
	struct trace t;
	auto_free char *xs = xmalloc(piece);

	memset(xs, 'x', piece);
	trace_init(&t, &ps);
	feed(&ps, "\033]2;", 4);
	for (size_t left = len - 2; left > 0;) {
		size_t n = left < piece ? left : piece;
		feed(&ps, xs, n);
		left -= n;
	}
	assert_in_range(ps.string_cap, 0, 2 * SEQ_STRING_MAX);
	feed(&ps, end, strlen(end));
	feed(&ps, "!", 1);
	*kept = ps.string_cap;
	return trace_finish(&t);
}

static void
a_string_of_the_largest_size_is_whole(void **state)
{
	size_t kept;

	(void)state;
	for (size_t piece = 1; piece <= 1 << 20; piece *= 32) {
		auto_free char *got = trace_long_osc(SEQ_STRING_MAX, piece,
		    "\a", &kept);
		assert_int_equal(strlen(got),
		    strlen("[OSC 2 ]'!'") + SEQ_STRING_MAX - 2);
		assert_in_range(kept, 0, 1024);
	}
}

/* Its first byte could be one more of the string. */
static void
a_u009c_terminator_takes_no_room_in_the_string(void **state)
{
	size_t kept;

	(void)state;
	for (size_t piece = 1; piece <= 1 << 20; piece *= 32) {
		auto_free char *whole = trace_long_osc(SEQ_STRING_MAX, piece,
		    "\xc2\x9c", &kept);
		auto_free char *longer = trace_long_osc(SEQ_STRING_MAX + 1,
		    piece, "\xc2\x9c", &kept);
		auto_free char *data = trace_long_osc(SEQ_STRING_MAX, piece,
		    "\xc2\a", &kept);
		auto_free char *twice = trace_long_osc(SEQ_STRING_MAX, piece,
		    "\xc2\xc2\x9c", &kept);
		assert_int_equal(strlen(whole),
		    strlen("[OSC 2 ]'!'") + SEQ_STRING_MAX - 2);
		assert_string_equal(longer, "'!'");
		assert_string_equal(data, "'!'");
		assert_string_equal(twice, "'!'");
	}
}

static void
a_longer_string_is_swallowed_to_its_end(void **state)
{
	size_t kept;

	(void)state;
	for (size_t piece = 1; piece <= 1 << 20; piece *= 32) {
		auto_free char *one = trace_long_osc(SEQ_STRING_MAX + 1, piece,
		    "\a", &kept);
		auto_free char *much = trace_long_osc(10 * SEQ_STRING_MAX,
		    piece, "\a", &kept);
		assert_string_equal(one, "'!'");
		assert_string_equal(much, "'!'");
		assert_in_range(kept, 0, 1024);
	}
}

static void
stop_returns_right_after_the_sequence(void **state)
{
	static const uint8_t bytes[] = "ab\033[1hcd\033[2lef\033[3lgh";
	struct parser ps;
	struct trace t;
	size_t done = 0, n;

	(void)state;
	trace_init(&t, &ps);
	t.stop_at = 'l';
	n = parser_feed(&ps, bytes, sizeof(bytes) - 1);
	assert_int_equal(n, strlen("ab\033[1hcd\033[2l"));
	done += n;
	n = parser_feed(&ps, bytes + done, sizeof(bytes) - 1 - done);
	assert_int_equal(n, strlen("ef\033[3l"));
	done += n;
	n = parser_feed(&ps, bytes + done, sizeof(bytes) - 1 - done);
	assert_int_equal(n, strlen("gh"));
	auto_free char *got = trace_finish(&t);
	assert_string_equal(got, "'ab'[CSI 1 h]'cd'[CSI 2 l]'ef'[CSI 3 l]'gh'");
}

static void
a_restored_string_continues(void **state)
{
	auto_free char *long_one = xcalloc(1, SEQ_STRING_MAX + 1);
	struct parser ps;
	struct trace t;

	(void)state;
	trace_init(&t, &ps);
	feed(&ps, "\033]", 2);
	assert_int_equal(parser_set_string(&ps, "2;ab", 4), 0);
	assert_int_equal(parser_set_string(&ps, long_one, SEQ_STRING_MAX + 1),
	    -EINVAL);
	feed(&ps, "cd\a", 3);
	auto_free char *got = trace_finish(&t);
	assert_string_equal(got, "[OSC 2 abcd]");
}

#define G PARSER_GROUND
#define E PARSER_ESC
#define C PARSER_CSI
#define I PARSER_CSI_IGNORE
#define D PARSER_DCS
#define T PARSER_STRING
#define W PARSER_SWALLOW

/* The bytes after a prefix and one more byte; a row ends at its last byte. */
struct step {
	uint8_t last;
	enum parser_state next;
};

static const struct machine {
	const char *begin;
	struct step steps[20];
} machine[] = {
	{ "", { { 0x1a, G }, { 0x1b, E }, { 0xff, G } } },
	{ "\033",
	    { { 0x17, E }, { 0x18, G }, { 0x19, E }, { 0x1a, G }, { 0x2f, E },
		{ 'O', G }, { 'P', D }, { 'W', G }, { 'X', W }, { 'Z', G },
		{ '[', C }, { '\\', G }, { ']', T }, { '_', W }, { 0x7e, G },
		{ 0x7f, E }, { 0xff, G } } },
	{ "\033(",
	    { { 0x17, E }, { 0x18, G }, { 0x19, E }, { 0x1a, G }, { 0x2f, E },
		{ 0x7e, G }, { 0x7f, E }, { 0xff, G } } },
	{ "\033[",
	    { { 0x17, C }, { 0x18, G }, { 0x19, C }, { 0x1a, G }, { 0x1b, E },
		{ 0x3f, C }, { 0x7e, G }, { 0x7f, C }, { 0xff, G } } },
	{ "\033[1",
	    { { 0x17, C }, { 0x18, G }, { 0x19, C }, { 0x1a, G }, { 0x1b, E },
		{ 0x3b, C }, { 0x3f, I }, { 0x7e, G }, { 0x7f, C },
		{ 0xff, G } } },
	{ "\033[$",
	    { { 0x17, C }, { 0x18, G }, { 0x19, C }, { 0x1a, G }, { 0x1b, E },
		{ 0x2f, C }, { 0x3f, I }, { 0x7e, G }, { 0x7f, C },
		{ 0xff, G } } },
	{ "\033[1?",
	    { { 0x17, I }, { 0x18, G }, { 0x19, I }, { 0x1a, G }, { 0x1b, E },
		{ 0x3f, I }, { 0x7e, G }, { 0x7f, I }, { 0xff, G } } },
	{ "\033P",
	    { { 0x17, D }, { 0x18, G }, { 0x19, D }, { 0x1a, G }, { 0x1b, E },
		{ 0x3f, D }, { 0x7e, T }, { 0x7f, D }, { 0xff, G } } },
	{ "\033P1",
	    { { 0x17, D }, { 0x18, G }, { 0x19, D }, { 0x1a, G }, { 0x1b, E },
		{ 0x3b, D }, { 0x3f, W }, { 0x7e, T }, { 0x7f, D },
		{ 0xff, G } } },
	{ "\033P$",
	    { { 0x17, D }, { 0x18, G }, { 0x19, D }, { 0x1a, G }, { 0x1b, E },
		{ 0x2f, D }, { 0x3f, W }, { 0x7e, T }, { 0x7f, D },
		{ 0xff, G } } },
	{ "\033]2;",
	    { { 0x06, T }, { 0x07, G }, { 0x17, T }, { 0x18, G }, { 0x19, T },
		{ 0x1a, G }, { 0xff, T } } },
	{ "\033Pq",
	    { { 0x17, T }, { 0x18, G }, { 0x19, T }, { 0x1a, G },
		{ 0xff, T } } },
	{ "\033]2;\xc2",
	    { { 0x06, T }, { 0x07, G }, { 0x17, T }, { 0x18, G }, { 0x19, T },
		{ 0x1a, G }, { 0x9b, T }, { 0x9c, G }, { 0xff, T } } },
	{ "\033_",
	    { { 0x17, W }, { 0x18, G }, { 0x19, W }, { 0x1a, G },
		{ 0xff, W } } },
	{ "\033_\xc2",
	    { { 0x17, W }, { 0x18, G }, { 0x19, W }, { 0x1a, G }, { 0x9b, W },
		{ 0x9c, G }, { 0xff, W } } },
	/* After ESC in a string, as after ESC; only '\' belongs to it. */
	{ "\033]2;\033",
	    { { 0x17, E }, { 0x18, G }, { 0x19, E }, { 0x1a, G }, { 0x2f, E },
		{ 'O', G }, { 'P', D }, { 'W', G }, { 'X', W }, { 'Z', G },
		{ '[', C }, { '\\', G }, { ']', T }, { '_', W }, { 0x7e, G },
		{ 0x7f, E }, { 0xff, G } } },
	{ "\033_\033",
	    { { 0x17, E }, { 0x18, G }, { 0x19, E }, { 0x1a, G }, { 0x2f, E },
		{ 'O', G }, { 'P', D }, { 'W', G }, { 'X', W }, { 'Z', G },
		{ '[', C }, { '\\', G }, { ']', T }, { '_', W }, { 0x7e, G },
		{ 0x7f, E }, { 0xff, G } } },
};

static enum parser_state
state_after(const char *begin, uint8_t byte)
{
	struct parser ps;
	struct trace t;
	enum parser_state state;

	trace_init(&t, &ps);
	feed(&ps, begin, strlen(begin));
	feed(&ps, &byte, 1);
	state = ps.state;
	free(trace_finish(&t));
	return state;
}

static void
every_byte_in_every_state_follows_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(machine); i++) {
		const struct machine *m = &machine[i];
		const struct step *s = m->steps;

		for (unsigned byte = 0; byte < 256; byte++) {
			s += byte > s->last;
			enum parser_state got = state_after(m->begin,
			    (uint8_t)byte);
			if (got != s->next)
				fail_msg("%s then %02x: state %d, not %d",
				    show_bytes(m->begin, strlen(m->begin)).s,
				    byte, (int)got, (int)s->next);
		}
	}
}

/* Pieces of sequences, so that random streams get into every state. */
static size_t
random_stream(struct rng *rng, uint8_t *out, size_t max)
{
	static const char *const pieces[] = { "\033", "\033[", "\033]", "\033P",
		"\033_", "\033\\", "\a", "\x18", "\x1a", "\x7f", ";", ":", "?",
		"$", "1", "65", "m", "q", "\\", "[", "\xc2", "\x9c", "\x9b",
		"\xc2\x9b", "\xc2\x9d", "\xe5\xad\x97", "\xf0\x9f", "\xff",
		"\r\n", "plain text that is longer than 16", "2;" };
	size_t len = 0;

	for (;;) {
		const char *p = pieces[rng_below(rng, COUNT(pieces))];
		if (len + strlen(p) > max)
			return len;
		memcpy(out + len, p, strlen(p));
		len += strlen(p);
	}
}

static void
random_streams_give_the_same_trace_however_they_are_cut(void **state)
{
	struct rng rng = { 1 };
	uint8_t bytes[120];

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		size_t len = random_stream(&rng, bytes, sizeof(bytes));
		auto_free char *want = trace_cut(bytes, len, 0);
		same_in_all_pieces(bytes, len, want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_printed_in_runs),
		cmocka_unit_test(delete_is_ignored_everywhere),
		cmocka_unit_test(invalid_utf8_is_replaced_by_maximal_subparts),
		cmocka_unit_test(c0_controls_are_executed),
		cmocka_unit_test(c1_controls_are_code_points_never_bytes),
		cmocka_unit_test(escape_and_a_letter_is_a_c1_control),
		cmocka_unit_test(escape_takes_intermediates),
		cmocka_unit_test(csi_has_parameters_marker_and_intermediate),
		cmocka_unit_test(csi_has_sub_parameters),
		cmocka_unit_test(a_byte_in_the_wrong_place_invalidates_the_csi),
		cmocka_unit_test(controls_inside_a_csi_are_obeyed_in_passing),
		cmocka_unit_test(can_and_sub_abort_any_sequence),
		cmocka_unit_test(escape_aborts_any_sequence_and_begins_another),
		cmocka_unit_test(
		    a_character_beyond_ascii_ends_a_sequence_and_is_shown),
		cmocka_unit_test(osc_ends_with_st_in_three_spellings_or_bel),
		cmocka_unit_test(only_a_numbered_osc_is_reported),
		cmocka_unit_test(bel_ends_no_string_but_osc),
		cmocka_unit_test(controls_in_strings_are_dropped),
		cmocka_unit_test(dcs_has_parameters_and_a_string),
		cmocka_unit_test(sos_pm_and_apc_are_swallowed),
		cmocka_unit_test(parameters_beyond_the_last_are_dropped),
		cmocka_unit_test(values_are_cut_at_the_largest),
		cmocka_unit_test(a_string_of_the_largest_size_is_whole),
		cmocka_unit_test(
		    a_u009c_terminator_takes_no_room_in_the_string),
		cmocka_unit_test(a_longer_string_is_swallowed_to_its_end),
		cmocka_unit_test(stop_returns_right_after_the_sequence),
		cmocka_unit_test(a_restored_string_continues),
		cmocka_unit_test(every_byte_in_every_state_follows_the_table),
		cmocka_unit_test(
		    random_streams_give_the_same_trace_however_they_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
