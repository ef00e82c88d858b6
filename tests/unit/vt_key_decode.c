#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "vt/input_modes.h"
#include "vt/key.h"
#include "vt/key_decode.h"
#include "vt/key_encode.h"
#include "vt/paste.h"
#include "vt_show.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define E "\033"
#define S KEY_MOD_SHIFT
#define A KEY_MOD_ALT
#define C KEY_MOD_CTRL

/*
 * Events as text, one word each, so that a test compares and prints one
 * string.  The pieces of a paste are joined, because the cuts do not count.
 */
static void
say(void *arg, const char *what, const void *p, size_t len)
{
	struct buf *out = arg;

	assert_int_equal(buf_printf(out, "%s%s%s", out->len > 0 ? " " : "",
			     what, show_bytes(p, len).s),
	    0);
}

static void
on_key(void *arg, const struct key *k)
{
	static const char *const events[] = { "", "repeat:", "release:" };
	struct key canonical = *k;
	char name[KEY_NAME_MAX] = "text", all[256];
	int n;

	key_canonical(&canonical);
	assert_true(key_equal(k, &canonical));
	(void)key_name(k, name, sizeof(name));
	n = snprintf(all, sizeof(all), "%s%s", events[k->event], name);
	if (k->mods & KEY_MOD_LOCKS)
		n += snprintf(all + n, sizeof(all) - (size_t)n, "(locks %x)",
		    k->mods & KEY_MOD_LOCKS);
	if (k->shifted != 0 || k->base != 0)
		n += snprintf(all + n, sizeof(all) - (size_t)n, "(%x/%x)",
		    k->shifted, k->base);
	if (k->text[0] != '\0')
		n += snprintf(all + n, sizeof(all) - (size_t)n, "(%s)",
		    k->text);
	say(arg, all, NULL, 0);
}

static void
on_mouse(void *arg, const struct mouse_event *ev)
{
	static const char *const types[] = { "press", "release", "move",
		"scroll" };
	char all[128];

	snprintf(all, sizeof(all), "%s:%d+%d@%u,%u/%u,%u", types[ev->type],
	    (int)ev->button, ev->mods, ev->row, ev->col, ev->px, ev->py);
	say(arg, all, NULL, 0);
}

static void
on_paste(void *arg, enum key_paste what, const uint8_t *p, size_t len)
{
	struct buf *out = arg;

	if (what == KEY_PASTE_BEGIN)
		say(arg, "paste<", NULL, 0);
	else if (what == KEY_PASTE_END)
		assert_int_equal(buf_puts(out, ">"), 0);
	else
		assert_int_equal(buf_puts(out, show_bytes(p, len).s), 0);
}

static void
on_focus(void *arg, bool in)
{
	say(arg, in ? "focus" : "blur", NULL, 0);
}

static void
on_reply(void *arg, const struct key_reply *r)
{
	char all[64];

	snprintf(all, sizeof(all), "reply%d:", (int)r->kind);
	say(arg, all, r->raw, r->len);
}

static void
on_unknown(void *arg, const uint8_t *p, size_t len)
{
	say(arg, "unknown:", p, len);
}

static const struct key_decoder_ops ops = { on_key, on_mouse, on_paste,
	on_focus, on_reply, on_unknown };

/* Decode in chunks of the given size, then flush. */
static char *
decode(const void *p, size_t len, size_t chunk, enum mouse_format format)
{
	struct key_decoder d;
	struct buf out;

	buf_init(&out, 1 << 20);
	key_decoder_init(&d, &ops, &out);
	d.mouse_format = format;
	for (size_t i = 0; i < len; i += chunk)
		key_decoder_feed(&d, (const uint8_t *)p + i,
		    len - i < chunk ? len - i : chunk);
	key_decoder_flush(&d);
	assert_int_equal(key_decoder_pending(&d), KEY_PENDING_NOTHING);
	return buf_take(&out);
}

static void
means_len(const void *p, size_t len, enum mouse_format format, const char *want)
{
	for (size_t chunk = 1; chunk <= len; chunk++) {
		char *got = decode(p, len, chunk, format);

		if (strcmp(got, want) != 0)
			fail_msg("\"%s\" in chunks of %zu means \"%s\", not "
				 "\"%s\"",
			    show_bytes(p, len).s, chunk, got, want);
		free(got);
	}
}

struct example {
	const char *bytes;
	const char *want;
};

static void
mean(const struct example *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		means_len(e[i].bytes, strlen(e[i].bytes), MOUSE_LEGACY,
		    e[i].want);
}

static void
text_and_controls_are_decoded_as_keys(void **state)
{
	static const struct example e[] = {
		{ "aA1!", "a A 1 !" },
		{ "é漢\xf0\x9f\x98\x80", "é 漢 \xf0\x9f\x98\x80" },
		{ "\001\003\032", "C-a C-c C-z" },
		{ "\t\r\n\b\177", "Tab Enter C-j C-h BSpace" },
		{ "\034\035\036\037", "C-\\ C-] C-^ C-_" },
		{ " ", "Space" },
		{ E "x" E "X" E "é", "M-x M-X M-é" },
		{ E "\r" E "\t" E "\177" E "\001",
		    "M-Enter M-Tab M-BSpace C-M-a" },
	};

	(void)state;
	mean(e, COUNT(e));
	means_len("\0" E "\0", 3, MOUSE_LEGACY, "C-Space C-M-Space");
}

/* T-05: known sequences have names, and all others stay unchanged. */
static void
t05_known_sequences_have_names(void **state)
{
	static const struct example e[] = {
		{ E "[Z", "BTab" },
		{ E "[A" E "[B" E "[C" E "[D", "Up Down Right Left" },
		{ E "OA" E "OB" E "OC" E "OD", "Up Down Right Left" },
		{ E "[H" E "[F" E "OH" E "OF", "Home End Home End" },
		{ E "[1~" E "[4~" E "[7~" E "[8~", "Home End Home End" },
		{ E "[5~" E "[6~" E "[2~" E "[3~", "PPage NPage IC DC" },
		{ E "OP" E "OQ" E "OR" E "OS", "F1 F2 F3 F4" },
		{ E "[11~" E "[12~" E "[13~" E "[14~", "F1 F2 F3 F4" },
		{ E "[15~" E "[17~" E "[18~" E "[19~", "F5 F6 F7 F8" },
		{ E "[20~" E "[21~" E "[23~" E "[24~", "F9 F10 F11 F12" },
		{ E "[25~" E "[34~" E "[42~" E "[56~", "F13 F20 F21 F35" },
		{ E "[1;5A" E "[1;2P" E "[3;5~", "C-Up S-F1 C-DC" },
		{ E "[1;9A" E "[1;3C", "super+Up M-Right" },
		{ E "[1;2R", "S-F3" },
		{ E "Op" E "OM" E "OX" E "O5u", "KP0 KPEnter KP= C-KP5" },
		{ E "[99;9;9z" E "[=1!p",
		    "unknown:\\e[99;9;9z unknown:\\e[=1!p" },
	};

	(void)state;
	mean(e, COUNT(e));
}

static void
keys_of_other_terminals_are_decoded(void **state)
{
	static const struct example e[] = {
		/* rxvt */
		{ E "[a" E "[d" E "Oa" E "Od", "S-Up S-Left C-Up C-Left" },
		{ E "[3$" E "[3^" E "[3@", "S-DC C-DC C-S-DC" },
		{ E E "[A" E E "[3~" E E "OP", "M-Up M-DC M-F1" },
		/* the Linux console */
		{ E "[[A" E "[[E", "F1 F5" },
		/* modifyOtherKeys, both formats */
		{ E "[27;5;105~" E "[27;6;65~", "C-i C-S-a" },
		{ E "[27;2;13~" E "[27;5;9~" E "[27;3;27~",
		    "S-Enter C-Tab M-Escape" },
		{ E "[27;6;8~" E "[27;2;127~", "C-S-BSpace S-BSpace" },
		{ E "[105;5u" E "[65;6u", "C-i C-S-a" },
		{ E "[27;5;0~" E "[27;5~" E "[27;5;1114112~",
		    "unknown:\\e[27;5;0~ unknown:\\e[27;5~ "
		    "unknown:\\e[27;5;1114112~" },
	};

	(void)state;
	mean(e, COUNT(e));
}

static void
keys_of_the_kitty_protocol_are_decoded(void **state)
{
	static const struct example e[] = {
		{ E "[97u" E "[97;5u" E "[97;2u", "a C-a A" },
		{ E "[27u" E "[13u" E "[9u" E "[127u",
		    "Escape Enter Tab BSpace" },
		{ E "[97;1:2u" E "[97;1:3u", "repeat:a release:a" },
		{ E "[1;1:3A" E "[1;5:2B", "release:Up repeat:C-Down" },
		{ E "[3;1:3~", "release:DC" },
		{ E "[97;;229u" E "[97;2;65u", "a(å) A" },
		{ E "[0;;26085:26412u", "text(日本)" },
		{ E "[1089::99;5u" E "[97:65;6u", "C-с(0/63) C-S-a" },
		{ E "[51:163;2u", "S-3(a3/0)" },
		{ E "[57399u" E "[57428u" E "[57441;2u",
		    "KP0 MediaPlay S-LeftShift" },
		{ E "[57376u" E "[E" E "[1;129A", "F13 KPBegin Up(locks 80)" },
		{ E "[97;65u", "a(locks 40)" },
		{ E "[97;257u", "unknown:\\e[97;257u" },
		{ E "[97;1:4u", "unknown:\\e[97;1:4u" },
		{ E "[97;1;27u", "unknown:\\e[97;1;27u" },
		{ E "[55296u", "unknown:\\e[55296u" },
	};

	(void)state;
	mean(e, COUNT(e));
}

static void
replies_are_distinguished_from_keys(void **state)
{
	static const struct {
		const char *bytes;
		enum key_reply_kind kind;
	} e[] = {
		{ E "[12;40R", KEY_REPLY_CPR },
		{ E "[1;1R", KEY_REPLY_CPR },
		{ E "[1;65R", KEY_REPLY_CPR },
		{ E "[?1;2R", KEY_REPLY_DECXCPR },
		{ E "[?1;2;1R", KEY_REPLY_DECXCPR },
		{ E "[?62;1;4c", KEY_REPLY_DA1 },
		{ E "[>41;377;0c", KEY_REPLY_DA2 },
		{ E "P!|00000000" E "\\", KEY_REPLY_DA3 },
		{ E "[0n", KEY_REPLY_DSR },
		{ E "[?13n", KEY_REPLY_DSR },
		{ E "[?997;1n", KEY_REPLY_SCHEME },
		{ E "[?2004;1$y", KEY_REPLY_DECRPM },
		{ E "[4;2$y", KEY_REPLY_DECRPM },
		{ E "[8;24;80t", KEY_REPLY_WINDOW },
		{ E "[48;24;80;480;800t", KEY_REPLY_RESIZE },
		{ E "[?0u", KEY_REPLY_KITTY_FLAGS },
		{ E "[>4;2m", KEY_REPLY_MODIFY_OTHER },
		{ E "[?1;0;256S", KEY_REPLY_GRAPHICS },
		{ E "]11;rgb:0000/0000/0000\a", KEY_REPLY_COLOR },
		{ E "]10;rgb:ffff/ffff/ffff" E "\\", KEY_REPLY_COLOR },
		{ E "]4;1;rgb:8080/0000/0000" E "\\", KEY_REPLY_COLOR },
		{ E "]52;c;aGVsbG8=" E "\\", KEY_REPLY_OSC },
		{ E "P>|XTerm(377)" E "\\", KEY_REPLY_XTVERSION },
		{ E "P1$r0m" E "\\", KEY_REPLY_DECRQSS },
		{ E "P1+r544e=78" E "\\", KEY_REPLY_XTGETTCAP },
		{ E "_Gi=1;OK" E "\\", KEY_REPLY_KITTY_GRAPHICS },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(e); i++) {
		size_t len = strlen(e[i].bytes);
		char want[1100], twice[128];

		snprintf(want, sizeof(want), "reply%d:%s", (int)e[i].kind,
		    show_bytes(e[i].bytes, len).s);
		means_len(e[i].bytes, len, MOUSE_LEGACY, want);
		/* An Escape key just before it is an Escape key. */
		snprintf(twice, sizeof(twice), E "%s", e[i].bytes);
		snprintf(want, sizeof(want), "Escape reply%d:%s",
		    (int)e[i].kind, show_bytes(e[i].bytes, len).s);
		means_len(twice, len + 1, MOUSE_LEGACY, want);
	}
}

static void
on_reply_params(void *arg, const struct key_reply *r)
{
	*(struct key_reply *)arg = *r;
}

static void
a_reply_has_its_numbers(void **state)
{
	static const struct key_decoder_ops only = { .reply = on_reply_params };
	struct key_reply r = { .nparams = 99 };
	struct key_decoder d;

	(void)state;
	key_decoder_init(&d, &only, &r);
	key_decoder_feed(&d, E "[?2026;;2$y", 12);
	assert_int_equal(r.kind, KEY_REPLY_DECRPM);
	assert_int_equal(r.nparams, 3);
	assert_int_equal(r.params[0], 2026);
	assert_int_equal(r.params[1], 0);
	assert_int_equal(r.params[2], 2);
}

/* CSI 1 ; 2 R is S-F3 unless a cursor report was requested. */
static void
an_expected_cursor_report_is_not_f3(void **state)
{
	struct key_decoder d;
	struct buf out;
	char *got;

	(void)state;
	buf_init(&out, 1000);
	key_decoder_init(&d, &ops, &out);
	d.cpr_expected = 1;
	key_decoder_feed(&d, E "[1;2R" E "[1;2R", 12);
	got = buf_take(&out);
	assert_string_equal(got, "reply0:\\e[1;2R S-F3");
	assert_int_equal(d.cpr_expected, 0);
	free(got);
}

static void
mouse_reports_are_read(void **state)
{
	static const struct example e[] = {
		{ E "[M !!", "press:1+0@0,0/0,0" },
		{ E "[M#*%", "release:0+0@4,9/0,0" },
		{ E "[M`!!x", "scroll:4+0@0,0/0,0 x" },
		{ E "[<0;10;5M" E "[<0;10;5m",
		    "press:1+0@4,9/0,0 release:1+0@4,9/0,0" },
		{ E "[<35;1;1M" E "[<20;1;1M",
		    "move:0+0@0,0/0,0 press:1+5@0,0/0,0" },
		{ E "[32;10;5M", "press:1+0@4,9/0,0" },
		{ E E "[<0;1;1M", "Escape press:1+0@0,0/0,0" },
		{ E "[<0;0;1M", "unknown:\\e[<0;0;1M" },
		{ E "[<3;1;1M", "unknown:\\e[<3;1;1M" },
		{ E "[<999;1;1M", "unknown:\\e[<999;1;1M" },
		{ E "[<192;1;1M", "unknown:\\e[<192;1;1M" },
		{ E "[<0;1M", "unknown:\\e[<0;1M" },
		{ E "[M \001\002", "unknown:\\e[M  C-a C-b" },
		{ E "[M  !", "unknown:\\e[M  !" },
	};

	(void)state;
	mean(e, COUNT(e));
	means_len(E "[M \xff\xff", 6, MOUSE_LEGACY, "press:1+0@222,222/0,0");
	means_len(E "[M \xdf\xbf!", 7, MOUSE_UTF8, "press:1+0@0,2014/0,0");
	means_len(E "[M \xff!", 6, MOUSE_UTF8, "unknown:\\e[M \\xff !");
	means_len(E "[M \xdf!!", 7, MOUSE_UTF8, "unknown:\\e[M \\xdf ! !");
	means_len(E "[<0;31;41M", 11, MOUSE_SGR_PIXELS, "press:1+0@0,0/30,40");
}

static void
focus_is_read(void **state)
{
	static const struct example e[] = {
		{ E "[I" E "[O", "focus blur" },
		{ E E "[I", "Escape focus" },
		{ E "[1I", "unknown:\\e[1I" },
	};

	(void)state;
	mean(e, COUNT(e));
}

static void
a_paste_is_passed_on_untouched(void **state)
{
	static const struct example e[] = {
		{ E "[200~hello" E "[201~x", "paste<hello> x" },
		{ E "[200~" E "[201~", "paste<>" },
		{ E "[200~" E "[A\r\n\x9b\xff" E E E "[201~" E "[B",
		    "paste<\\e[A\\x0d\\x0a\\x9b\\xff\\e\\e> Down" },
		{ E "[200~a" E "[201" E "[20" E "[201~",
		    "paste<a\\e[201\\e[20>" },
		{ E "[200~" E "[200~" E "[201~", "paste<\\e[200~>" },
		{ E E "[200~x" E "[201~", "Escape paste<x>" },
		{ E "[201~", "unknown:\\e[201~" },
		{ E "[200;1~", "unknown:\\e[200;1~" },
		{ E "[200~never ends", "paste<never ends" },
	};

	(void)state;
	mean(e, COUNT(e));
}

static void
a_paste_is_decoded_unchanged(void **state)
{
	static const char text[] = "one\ntwo " E "[201~ three\xff";
	struct input_modes m = { .bracketed_paste = true };
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	assert_int_equal(paste_encode(text, sizeof(text) - 1, &m, &out), 0);
	means_len(out.data, out.len, MOUSE_LEGACY,
	    "paste<one\\x0atwo \\xe2\\x90\\x9b[201~ three\\xef\\xbf\\xbd>");
	buf_finish(&out);
}

static void
pending_is(const char *bytes, enum key_pending want, const char *after)
{
	struct key_decoder d;
	struct buf out;
	char *got;

	buf_init(&out, 1000);
	key_decoder_init(&d, &ops, &out);
	key_decoder_feed(&d, bytes, strlen(bytes));
	if (key_decoder_pending(&d) != want)
		fail_msg("\"%s\" leaves %d", show_bytes(bytes, strlen(bytes)).s,
		    (int)key_decoder_pending(&d));
	assert_int_equal(out.len, 0);
	key_decoder_flush(&d);
	key_decoder_feed(&d, "x", 1);
	got = buf_take(&out);
	if (strcmp(got, after) != 0)
		fail_msg("\"%s\" flushed means \"%s\", not \"%s\"",
		    show_bytes(bytes, strlen(bytes)).s, got, after);
	free(got);
}

static void
a_flush_resolves_ambiguous_bytes(void **state)
{
	(void)state;
	pending_is("", KEY_PENDING_NOTHING, "x");
	pending_is(E, KEY_PENDING_KEY, "Escape x");
	pending_is(E E, KEY_PENDING_KEY, "M-Escape x");
	pending_is(E "[", KEY_PENDING_KEY, "M-[ x");
	pending_is(E "O", KEY_PENDING_KEY, "M-O x");
	pending_is(E "]", KEY_PENDING_KEY, "M-] x");
	pending_is(E "P", KEY_PENDING_KEY, "M-P x");
	pending_is(E "_", KEY_PENDING_KEY, "M-_ x");
	pending_is(E E "[", KEY_PENDING_KEY, "M-Escape [ x");
	pending_is(E "[1", KEY_PENDING_SEQUENCE, "unknown:\\e[1 x");
	pending_is(E "[M !", KEY_PENDING_SEQUENCE, "unknown:\\e[M ! x");
	pending_is(E "[[", KEY_PENDING_SEQUENCE, "unknown:\\e[[ x");
	pending_is(E "O5", KEY_PENDING_SEQUENCE, "unknown:\\eO5 x");
	pending_is(E "]11;rgb", KEY_PENDING_SEQUENCE, "unknown:\\e]11;rgb x");
	pending_is(E "]11;" E, KEY_PENDING_SEQUENCE, "unknown:\\e]11;\\e x");
	pending_is("\xe2\x82", KEY_PENDING_SEQUENCE, "unknown:\\xe2\\x82 x");
	pending_is(E "\xe2", KEY_PENDING_SEQUENCE, "unknown:\\e\\xe2 x");
}

static void
noise_is_reported_unchanged(void **state)
{
	static const struct example e[] = {
		{ "\x80"
		  "a\xff"
		  "b",
		    "unknown:\\x80 a unknown:\\xff b" },
		{ "\xe2\x82"
		  "a",
		    "unknown:\\xe2\\x82 a" },
		{ "\xc2\x9b"
		  "A",
		    "unknown:\\xc2\\x9b A" },
		{ E "\x80", "unknown:\\e\\x80" },
		{ E "[1;2" E "[A", "unknown:\\e[1;2 Up" },
		{ E "[1;2\rx", "unknown:\\e[1;2 Enter x" },
		{ E "[" E "[A", "M-[ Up" },
		{ E E E, "M-Escape Escape" },
		{ E E "x", "M-Escape x" },
		{ E "Oz" E "O5z" E "O\r", "M-O z unknown:\\eO5z M-O Enter" },
		{ E "]x" E "Px" E "_x" E "^x", "M-] x M-P x M-_ x M-^ x" },
		{ E "]11;rgb\rls", "unknown:\\e]11;rgb Enter l s" },
		{ E "]11;" E "[A", "unknown:\\e]11; Up" },
		{ E "P9x" E "\\", "unknown:\\eP9x\\e\\" },
		{ E "[1;2;3A", "unknown:\\e[1;2;3A" },
		{ E "[2A", "unknown:\\e[2A" },
		{ E "[::::A", "unknown:\\e[::::A" },
		{ E "[99999999999999999999~",
		    "unknown:\\e[99999999999999999999~" },
		{ E "O99999999999A", "unknown:\\eO999999 9 9 9 9 9 A" },
	};

	(void)state;
	mean(e, COUNT(e));
}

/*
 * However long it is, no part of it becomes keys, and all of it is reported.
 */
static void
endless_sequences_are_bounded(void **state)
{
	static const struct {
		const char *begin, *fill, *end;
	} e[] = {
		{ E "]11;", "x", E "\\" },
		{ E "]11;", "x", "\a" },
		{ E "P>|", "\xc3\xa9", E "\\" },
		{ E "[", "1;", "A" },
		{ E E "[", "5", "~" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(e); i++)
		for (size_t n = KEY_DECODER_MAX - 12; n < 5000;
		     n += 1 + n / 64) {
			struct buf in;
			char *got, *at;
			size_t pieces = 0;

			buf_init(&in, 20000);
			buf_puts(&in, e[i].begin);
			while (in.len < n)
				buf_puts(&in, e[i].fill);
			buf_puts(&in, e[i].end);
			buf_puts(&in, "z");
			got = decode(in.data, in.len, 7, MOUSE_LEGACY);
			for (at = got; (at = strchr(at, ' ')) != NULL; at++)
				pieces++;
			if (strcmp(strrchr(got, ' '), " z") != 0 ||
			    pieces !=
				(in.len - 1 + KEY_DECODER_MAX - 1) /
				    KEY_DECODER_MAX)
				fail_msg("%zu bytes, %zu pieces: ...%s", in.len,
				    pieces, strrchr(got, ' '));
			free(got);
			buf_finish(&in);
		}
}

/* The end of an overlong string is neither a key nor a reply. */
static void
the_rest_of_an_endless_sequence_is_unknown(void **state)
{
	static const struct example ends[] = {
		{ "x]11;a\a", " unknown:x]11;a\\x07" },
		{ "xy\r", " unknown:xy Enter" },
		{ "x" E, " unknown:x\\e" },
		{ "x[A" E "\\", " unknown:x[A\\e\\" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(ends); i++) {
		struct buf in;
		char *got, *rest;

		buf_init(&in, 2 * KEY_DECODER_MAX);
		buf_puts(&in, E "]11;");
		while (in.len < KEY_DECODER_MAX)
			buf_putc(&in, 'x');
		buf_puts(&in, ends[i].bytes);
		got = decode(in.data, in.len, 5, MOUSE_LEGACY);
		rest = strchr(got, ' ');
		if (rest == NULL || strcmp(rest, ends[i].want) != 0)
			fail_msg("\"%s\" ends as \"%s\", not \"%s\"",
			    show_bytes(ends[i].bytes, strlen(ends[i].bytes)).s,
			    rest, ends[i].want);
		free(got);
		buf_finish(&in);
	}
}

static void
events_without_a_handler_are_dropped(void **state)
{
	static const struct key_decoder_ops none = { 0 };
	static const char all[] = "a" E "[A" E "[M !!" E "[200~p" E "[201~" E
				  "[I" E "[5;5R" E "[99z\xff";
	struct key_decoder d;

	(void)state;
	key_decoder_init(&d, &none, NULL);
	key_decoder_feed(&d, all, sizeof(all) - 1);
	assert_int_equal(key_decoder_pending(&d), KEY_PENDING_NOTHING);
}

/* O-09: an arrow from any terminal reaches the program as its DECCKM says. */
static void
on_key_keep(void *arg, const struct key *k)
{
	*(struct key *)arg = *k;
}

static const struct key_decoder_ops keep = { .key = on_key_keep };

static void
o09_arrows_are_translated_by_decckm(void **state)
{
	static const char *const in[] = { E "[A", E "OA", E "[1A" };

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(in); i++) {
		struct input_modes m = { .app_cursor = i % 2 == 1 };
		struct key_decoder d;
		struct buf out;
		struct key k = { 0 };

		buf_init(&out, 100);
		key_decoder_init(&d, &keep, &k);
		key_decoder_feed(&d, in[i / 2], strlen(in[i / 2]));
		assert_int_equal(key_encode(&k, &m, &out), 0);
		assert_int_equal(out.len, 3);
		assert_memory_equal(out.data, i % 2 == 1 ? E "OA" : E "[A", 3);
		buf_finish(&out);
	}
}

/* A terminal and a program that both know only bytes: nothing is changed. */
static void
legacy_bytes_survive_both_ways(void **state)
{
	struct input_modes m = { 0 };

	(void)state;
	for (unsigned i = 0; i < 256; i++) {
		uint8_t in[2] = { 0x1b, (uint8_t)(i & 0x7f) };
		size_t skip = i < 128, len = 2 - skip;
		struct key k = { 0 };
		struct key_decoder d;
		struct buf out;

		buf_init(&out, 100);
		key_decoder_init(&d, &keep, &k);
		key_decoder_feed(&d, in + skip, len);
		key_decoder_flush(&d);
		assert_int_equal(key_encode(&k, &m, &out), 0);
		if (out.len != len || memcmp(out.data, in + skip, len) != 0)
			fail_msg("%s became %s", show_bytes(in + skip, len).s,
			    show_bytes(out.data, out.len).s);
		buf_finish(&out);
	}
}

/*
 * Every key with all its modifiers, encoded in every mode and decoded.  If the
 * bytes cannot distinguish two keys, a line of the table below gives the
 * result and the reason; each may change the key, in this order.
 */
enum way {
	PLAIN = 1 << 0, /* the bytes of a terminal without any protocol */
	OTHER = 1 << 1, /* modifyOtherKeys */
	KITTY = 1 << 2,
};

static bool
is_letter(const struct key *k)
{
	struct key shift = { .code = k->code, .mods = S };
	struct key caps = { .code = k->code, .mods = KEY_MOD_CAPS };

	return key_is_char(k->code) && key_symbol(&shift) != k->code &&
	    key_symbol(&shift) == key_symbol(&caps);
}

static bool
is_c0(const struct key *k)
{
	return k->code >= KEY_ESCAPE && k->code <= KEY_BACKSPACE;
}

static bool
is_char_or_c0(const struct key *k)
{
	return key_is_char(k->code) || is_c0(k);
}

static void
lose_repeat(struct key *k, const struct input_modes *m)
{
	if (!(m->kitty_flags & 2))
		k->event = KEY_PRESS;
}

static void
lose_text(struct key *k, const struct input_modes *m)
{
	bool told = (m->kitty_flags & 24) == 24;
	uint32_t chars[KEY_TEXT_MAX];

	if (!(k->mods & KEY_MOD_COMMAND) && !(m->kitty_flags & 8) &&
	    key_text_chars(k->text, chars) == 1)
		*k = (struct key){ .code = chars[0], .event = k->event };
	else if (!told)
		k->text[0] = '\0';
}

static void
lose_base(struct key *k, const struct input_modes *m)
{
	if (!(m->kitty_flags & 4))
		k->base = 0;
}

static void
lose_base_plain(struct key *k, const struct input_modes *m)
{
	(void)m;
	if (k->base != 0 && (k->mods & C))
		k->code = k->base;
	k->base = 0;
}

static void
lose_shifted(struct key *k, const struct input_modes *m)
{
	char text[KEY_TEXT_MAX];

	if (m->kitty_flags & 4)
		return;
	key_text(k, text);
	if ((m->kitty_flags & 24) == 24 && k->event != KEY_RELEASE)
		memcpy(k->text, text, sizeof(text));
	k->shifted = 0;
}

static void
lose_caps(struct key *k, const struct input_modes *m)
{
	(void)m;
	if (k->mods & KEY_MOD_CAPS && is_letter(k))
		k->mods ^= S;
	k->mods &= (uint8_t)~KEY_MOD_CAPS;
}

static void
lose_caps_other(struct key *k, const struct input_modes *m)
{
	(void)m;
	if (k->mods & KEY_MOD_CAPS && is_letter(k))
		k->mods |= S;
	k->mods &= (uint8_t)~KEY_MOD_CAPS;
}

static void
lose_keypad(struct key *k, const struct input_modes *m)
{
	const struct key_info *info = key_info(k->code);

	if (info == NULL || info->keypad_letter == 0 ||
	    (m->app_keypad && !(k->mods & KEY_MOD_NUM)))
		return;
	k->code = info->keypad_char == '\r' ? KEY_ENTER :
					      (uint8_t)info->keypad_char;
	k->mods = 0;
}

static void
lose_num(struct key *k, const struct input_modes *m)
{
	(void)m;
	k->mods &= (uint8_t)~KEY_MOD_NUM;
}

static void
lose_meta(struct key *k, const struct input_modes *m)
{
	(void)m;
	if (is_char_or_c0(k) && (k->mods & KEY_MOD_META))
		k->mods = (k->mods & (uint8_t)~KEY_MOD_META) | A;
}

static void
lose_super(struct key *k, const struct input_modes *m)
{
	(void)m;
	if (is_char_or_c0(k))
		k->mods &= (uint8_t) ~(KEY_MOD_SUPER | KEY_MOD_HYPER);
}

static void
lose_shift(struct key *k, const struct input_modes *m)
{
	(void)m;
	if (!key_is_char(k->code) || is_letter(k) || !(k->mods & S))
		return;
	k->code = key_symbol(k);
	k->shifted = 0;
	k->mods &= (uint8_t)~S;
}

static void
lose_shift_other(struct key *k, const struct input_modes *m)
{
	(void)m;
	if (key_is_char(k->code) && !is_letter(k)) {
		k->code = key_symbol(k);
		k->shifted = 0;
	}
}

static void
lose_ctrl_alias(struct key *k, const struct input_modes *m)
{
	static const struct {
		const char *keys;
		uint32_t code;
		uint8_t mods;
	} alias[] = {
		{ "@2` ", ' ', C },
		{ "i", KEY_TAB, 0 },
		{ "m", KEY_ENTER, 0 },
		{ "[{3", KEY_ESCAPE, 0 },
		{ "\\|4", '\\', C },
		{ "]}5", ']', C },
		{ "^~6", '^', C },
		{ "_7/", '_', C },
		{ "?8", KEY_BACKSPACE, 0 },
	};

	(void)m;
	if (!(k->mods & C) || k->code > 0x7f)
		return;
	if (k->code >= 'a' && k->code <= 'z')
		k->mods &= (uint8_t)~S;
	for (size_t i = 0; i < COUNT(alias); i++)
		if (strchr(alias[i].keys, (int)k->code) != NULL) {
			k->code = alias[i].code;
			k->mods = (k->mods & A) | alias[i].mods;
			return;
		}
}

static void
lose_ctrl(struct key *k, const struct input_modes *m)
{
	bool letter = k->code >= 'a' && k->code <= 'z';

	(void)m;
	if (key_is_char(k->code) && !letter &&
	    (k->code > 0x7f || strchr(" \\]^_", (int)k->code) == NULL))
		k->mods &= (uint8_t)~C;
}

static void
lose_c0_mods(struct key *k, const struct input_modes *m)
{
	(void)m;
	if (!is_c0(k))
		return;
	if (k->code != KEY_TAB)
		k->mods &= (uint8_t)~S;
	if (k->code != KEY_BACKSPACE)
		k->mods &= (uint8_t)~C;
}

static void
lose_backspace(struct key *k, const struct input_modes *m)
{
	bool ctrl = (k->mods & C) != 0;

	if (k->code != KEY_BACKSPACE)
		return;
	k->mods &= (uint8_t)~C;
	if (ctrl != m->backarrow_bs) {
		k->code = 'h';
		k->mods |= C;
	}
}

static void
lose_twins(struct key *k, const struct input_modes *m)
{
	const struct key_info *info = key_info(k->code);

	(void)m;
	if (info != NULL && info->legacy_final != 0)
		k->code = key_find(info->legacy_number, info->legacy_final);
}

static void
lose_alt_enter(struct key *k, const struct input_modes *m)
{
	if (m->modify_other_keys == 1 && (k->mods & A) &&
	    (k->code == KEY_ENTER || k->code == KEY_TAB))
		k->mods &= (uint8_t) ~(A | C);
}

static void
lose_locks_of_text(struct key *k, const struct input_modes *m)
{
	if (key_is_char(k->code) && !(m->kitty_flags & 8) &&
	    !(k->mods & KEY_MOD_COMMAND))
		k->mods &= (uint8_t)~KEY_MOD_LOCKS;
}

static struct loss {
	unsigned ways;
	void (*lose)(struct key *k, const struct input_modes *m);
	const char *why;
	unsigned hits;
} losses[] = {
	{ PLAIN | OTHER | KITTY, lose_repeat, "a repeat is a press", 0 },
	{ PLAIN | OTHER | KITTY, lose_text,
	    "text comes as the character it is, or not with the key", 0 },
	{ PLAIN, lose_backspace, "BSpace and Ctrl-h send the same BS", 0 },
	{ PLAIN, lose_base_plain, "Ctrl takes the US key of the same place",
	    0 },
	{ OTHER | KITTY, lose_base, "the US key is an alternate, flag 4", 0 },
	{ KITTY, lose_shifted,
	    "the shifted key is an alternate, flag 4, or the text", 0 },
	{ PLAIN, lose_caps, "Caps Lock shows only in a letter's case", 0 },
	{ OTHER, lose_caps_other, "Caps Lock shows only in a letter's case",
	    0 },
	{ PLAIN, lose_keypad, "the numeric keypad types characters", 0 },
	{ PLAIN | OTHER, lose_num, "no byte tells of Num Lock", 0 },
	{ PLAIN | OTHER, lose_meta, "Meta is the ESC that Alt is", 0 },
	{ PLAIN | OTHER, lose_super, "Super and Hyper have no byte", 0 },
	{ PLAIN, lose_shift, "Shift shows only in the character", 0 },
	{ OTHER, lose_shift_other, "xterm sends the shifted character", 0 },
	{ PLAIN, lose_ctrl_alias, "several keys make the same control", 0 },
	{ PLAIN, lose_ctrl, "there is no control for the character", 0 },
	{ PLAIN, lose_c0_mods, "C0 has one Enter, Tab, ESC, DEL each", 0 },
	{ PLAIN, lose_twins, "two keys share a sequence in xterm", 0 },
	{ OTHER, lose_alt_enter, "xterm drops Alt and Ctrl here at level 1",
	    0 },
	{ KITTY, lose_locks_of_text, "locks are not told for text", 0 },
};

struct walk {
	struct input_modes m;
	struct buf out, plain;
	struct key got;
	unsigned events;
};

static void
on_walked_key(void *arg, const struct key *k)
{
	struct walk *w = arg;

	w->got = *k;
	w->events++;
}

static void
on_walked_other(void *arg, const uint8_t *p, size_t len)
{
	(void)arg;
	fail_msg("unknown bytes %s", show_bytes(p, len).s);
}

static bool
may_be_silent(const struct key *k, const struct input_modes *m)
{
	const struct key_info *info = key_info(k->code);
	bool modifier = (k->code >= KEY_LEFT_SHIFT) ||
	    (k->code >= KEY_CAPS_LOCK && k->code <= KEY_NUM_LOCK);

	if (k->event == KEY_RELEASE && !(m->kitty_flags & 2))
		return true;
	if (m->kitty_flags == 0)
		return info != NULL && !is_c0(k) && info->keypad_letter == 0 &&
		    info->legacy_final == 0;
	if (m->kitty_flags & 8)
		return false;
	return (info != NULL && modifier) ||
	    (is_c0(k) && k->code != KEY_ESCAPE && k->event == KEY_RELEASE);
}

static enum way
way_of(const struct walk *w)
{
	if (w->out.len == w->plain.len &&
	    memcmp(w->out.data, w->plain.data, w->out.len) == 0)
		return PLAIN;
	return w->m.kitty_flags != 0 ? KITTY : OTHER;
}

static struct key
expected(const struct key *k, const struct walk *w)
{
	struct key want = *k;
	struct input_modes m = w->m;
	enum way way = way_of(w);

	if (way == PLAIN)
		m.kitty_flags = m.modify_other_keys = 0;
	for (size_t i = 0; i < COUNT(losses); i++) {
		struct key before = want;

		if (!(losses[i].ways & way))
			continue;
		losses[i].lose(&want, &m);
		losses[i].hits += !key_equal(&before, &want);
	}
	key_canonical(&want);
	return want;
}

static void
walk_key(struct walk *w, const struct key *k)
{
	static const struct key_decoder_ops walked = { .key = on_walked_key,
		.unknown = on_walked_other };
	struct input_modes plain = w->m;
	struct key_decoder d;
	struct key want;

	plain.kitty_flags = plain.modify_other_keys = 0;
	buf_clear(&w->out);
	buf_clear(&w->plain);
	assert_int_equal(key_encode(k, &w->m, &w->out), 0);
	assert_int_equal(key_encode(k, &plain, &w->plain), 0);
	if ((w->out.len == 0) != may_be_silent(k, &w->m))
		fail_msg("%s sends \"%s\" in %s", show_key(k).s,
		    show_bytes(w->out.data, w->out.len).s, show_modes(&w->m).s);
	if (w->out.len == 0)
		return;
	want = expected(k, w);
	w->events = 0;
	key_decoder_init(&d, &walked, w);
	key_decoder_feed(&d, w->out.data, w->out.len);
	key_decoder_flush(&d);
	if (w->events != 1 || !key_equal(&want, &w->got))
		fail_msg("%s sends \"%s\"; %u events, %s, not %s, in %s",
		    show_key(k).s, show_bytes(w->out.data, w->out.len).s,
		    w->events, show_key(&w->got).s, show_key(&want).s,
		    show_modes(&w->m).s);
}

/* All modifiers if `all`, else those that matter, in all three events. */
static void
walk_mods(struct walk *w, struct key k, bool all)
{
	for (unsigned mods = 0; mods < 256; mods++) {
		unsigned rare = mods & ~(unsigned)(S | A | C);

		if (!all && (rare & (rare - 1)) != 0)
			continue;
		for (int event = KEY_PRESS; event <= KEY_RELEASE; event++) {
			struct key one = k;

			one.mods = (uint8_t)mods;
			one.event = (enum key_event)event;
			key_canonical(&one);
			walk_key(w, &one);
		}
	}
}

static void
walk_keys(struct walk *w, bool all)
{
	static const struct key odd[] = {
		{ .code = 0xe9 },
		{ .code = 0x436 },
		{ .code = 0x6f22 },
		{ .code = 0x1f600 },
		{ .code = 0xdf },
		{ .code = 0xe0b0 },
		{ .code = 0x441, .base = 'c' },
		{ .code = '3', .shifted = 0xa3 },
		{ .code = 'a', .text = "å" },
	};

	for (uint32_t c = KEY_BEFORE_FIRST + 1; c < KEY_AFTER_LAST; c++)
		walk_mods(w, (struct key){ .code = c }, all);
	for (uint32_t c = 0x20; c < 0x7f; c++)
		if (c < 'A' || c > 'Z')
			walk_mods(w, (struct key){ .code = c }, all);
	for (size_t i = 0; i < COUNT(odd); i++)
		walk_mods(w, odd[i], all);
}

static void
walk_modes(struct walk *w)
{
	for (unsigned i = 0; i < 8; i++) {
		w->m = (struct input_modes){ .app_cursor = i & 1,
			.app_keypad = i & 2,
			.backarrow_bs = i & 4 };
		walk_keys(w, i == 0);
		w->m.modify_other_keys = 1 + (i & 1);
		w->m.format_other_keys = i >> 1 & 1;
		walk_keys(w, false);
	}
	for (unsigned flags = 1; flags < 32; flags++) {
		w->m = (struct input_modes){ .kitty_flags = (uint8_t)flags,
			.app_cursor = flags & 1,
			.app_keypad = flags & 2 };
		walk_keys(w, flags == 31);
	}
}

static void
every_key_comes_back_but_for_the_listed_losses(void **state)
{
	struct walk w = { .events = 0 };

	(void)state;
	buf_init(&w.out, 1000);
	buf_init(&w.plain, 1000);
	walk_modes(&w);
	for (size_t i = 0; i < COUNT(losses); i++)
		if (losses[i].hits == 0)
			fail_msg("nothing is lost because \"%s\"",
			    losses[i].why);
	buf_finish(&w.out);
	buf_finish(&w.plain);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_controls_are_decoded_as_keys),
		cmocka_unit_test(t05_known_sequences_have_names),
		cmocka_unit_test(keys_of_other_terminals_are_decoded),
		cmocka_unit_test(keys_of_the_kitty_protocol_are_decoded),
		cmocka_unit_test(replies_are_distinguished_from_keys),
		cmocka_unit_test(a_reply_has_its_numbers),
		cmocka_unit_test(an_expected_cursor_report_is_not_f3),
		cmocka_unit_test(mouse_reports_are_read),
		cmocka_unit_test(focus_is_read),
		cmocka_unit_test(a_paste_is_passed_on_untouched),
		cmocka_unit_test(a_paste_is_decoded_unchanged),
		cmocka_unit_test(a_flush_resolves_ambiguous_bytes),
		cmocka_unit_test(noise_is_reported_unchanged),
		cmocka_unit_test(endless_sequences_are_bounded),
		cmocka_unit_test(the_rest_of_an_endless_sequence_is_unknown),
		cmocka_unit_test(events_without_a_handler_are_dropped),
		cmocka_unit_test(o09_arrows_are_translated_by_decckm),
		cmocka_unit_test(legacy_bytes_survive_both_ways),
		cmocka_unit_test(
		    every_key_comes_back_but_for_the_listed_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
