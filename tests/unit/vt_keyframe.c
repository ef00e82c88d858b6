#include "unit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hex.h"
#include "base/mem.h"
#include "vt/program_status.h"
#include "vt_make.h"
#include "vt_show.h"

#define COLS 12
#define ROWS 4
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A bit of everything that a terminal holds. */
static const char everything[] =
    "\033]4;1;#123456\a\033]10;#aabbcc\a"
    "\033]1;icon\a\033]2;first\a\033[22t\033]2;second\a\033]7;file:///tmp\a"
    "\033]7501;state=blocked:app=a:kind=question:msg=eMK3eQ==\a"
    "scrolled away\r\nand more of it, which is wrapped\r\n"
    "\033[1;4:3;58;5;9;38;2;1;2;3;48;5;200mstyled\033[m"
    "\033]8;id=a;http://a/\alink\033]8;;\a\r\n"
    "\033]133;A\a\u5b57 e\u0301 \U0001f468\u200d\U0001f469"
    "\033[44m\033[K\033[m\r\n"
    "a line of the width and more"
    "\033[5G\033H\033[>5u\033[>1u\033[4 q\033[>4;1m\033[?1;2004;1002;1006h"
    "\033[?69h\033[3;9s\033[2;3r\033[2;5H\033[31m\033)0\0337"
    "\033[?2004s";

static const char
    alternate[] = "\033[?1049h\033[r\033[7malternate\033[m\033[3;3H\033[>3u";

static struct vt *
make_full(bool on_alternate)
{
	struct vt *vt = make_vt(COLS, ROWS);

	feed(vt, everything);
	if (on_alternate)
		feed(vt, alternate);
	return vt;
}

static struct vt *
restore(const void *p, size_t len)
{
	struct error err = { 0 };
	struct vt *vt = keyframe_restore(p, len, NULL, NULL, &err);

	if (vt == NULL)
		fail_msg("%s: %s", err.msg, show_bytes(p, len).s);
	return vt;
}

static struct vt *
relayed(const struct vt *vt)
{
	struct buf frame = keyframe_of(vt);
	struct vt *copy = restore(frame.data, frame.len);

	buf_finish(&frame);
	return copy;
}

static void
a_restored_terminal_is_the_same(void **state)
{
	(void)state;
	for (unsigned alt = 0; alt < 2; alt++) {
		struct vt *vt = make_full(alt), *copy = relayed(vt);
		auto_free char *text = text_of(vt);
		same_state(vt, copy);
		shows(copy, text);
		vt_destroy(vt);
		vt_destroy(copy);
	}
}

static void
saving_changes_nothing_and_gives_the_same_twice(void **state)
{
	struct vt *vt = make_full(true);
	struct buf once = keyframe_of(vt), twice = keyframe_of(vt);

	(void)state;
	assert_int_equal(once.len, twice.len);
	assert_memory_equal(once.data, twice.data, once.len);
	buf_finish(&once);
	buf_finish(&twice);
	vt_destroy(vt);
}

/* At every byte of a stream, so in every state of the parser. */
static void
a_restored_terminal_continues_where_it_was(void **state)
{
	static const char *const streams[] = { everything,
		"\033[38:2:1;2\"x\033[?1 $\x18",
		"\033P1;2$qm\033\\\033P>q\xc2\x9c\033P$1x\033\\",
		"\033]2;t\xc2\x9c\033]8;;http://b/\033\\l\033_apc\033\\",
		"\xe5\xad\x97\xf0\x9f\x98\x80\xe5\xff\xc2\x9b"
		"5C",
		"e\u0301\u0302\033[3b", "\033(0q\033*A\033N#\033[1?2h",
		"\033[?2026hx\033[?2026l",
		/* A row with blanks at its end that continues in the next. */
		"abcdefghijklm\033[1;5H\033[8P\033[4;1H\n\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(streams); i++) {
		struct vt *whole = make_vt(COLS, ROWS);
		feed(whole, streams[i]);
		for (size_t cut = 0; cut <= strlen(streams[i]); cut++) {
			struct vt *vt = make_vt(COLS, ROWS), *copy;
			vt_feed(vt, streams[i], cut);
			copy = relayed(vt);
			feed(copy, streams[i] + cut);
			same_state(copy, whole);
			vt_destroy(vt);
			vt_destroy(copy);
		}
		vt_destroy(whole);
	}
}

static void
an_event_handler_given_at_restoring_is_used(void **state)
{
	struct vt *vt = make_full(false);
	struct buf frame = keyframe_of(vt);
	struct replies replies;
	struct vt *copy;

	(void)state;
	buf_init(&replies.out, SIZE_MAX);
	copy = keyframe_restore(frame.data, frame.len, &make_ops, &replies,
	    NULL);
	assert_non_null(copy);
	feed(copy, "\033[6n");
	replied(&replies, "\033[2;5R");
	vt_destroy(copy);
	vt_destroy(vt);
	buf_finish(&frame);
}

/* NULL, or a terminal whose keyframe restores to itself. */
static struct vt *
restores_soundly(const uint8_t *p, size_t len)
{
	/*
	 * A copy of the exact size, so that the sanitizer sees reads beyond
	 * it.
	 */
	auto_free uint8_t *exact = xmemdup(p, len);
	struct error err = { 0 };
	struct vt *vt = keyframe_restore(exact, len, NULL, NULL, &err), *again;

	if (vt == NULL) {
		assert_int_not_equal(err.code, 0);
		assert_true(strlen(err.msg) > 0);
		return NULL;
	}
	again = relayed(vt);
	same_state(vt, again);
	vt_destroy(again);
	return vt;
}

static void
no_prefix_of_a_keyframe_is_a_keyframe(void **state)
{
	(void)state;
	for (unsigned alt = 0; alt < 2; alt++) {
		struct vt *vt = make_full(alt);
		struct buf frame = keyframe_of(vt);
		for (size_t len = 0; len < frame.len; len++)
			assert_null(restores_soundly(frame.data, len));
		buf_putc(&frame, '\0');
		assert_null(restores_soundly(frame.data, frame.len));
		buf_finish(&frame);
		vt_destroy(vt);
	}
}

static void
is_sound_colour(uint32_t c)
{
	uint32_t kind = COLOUR_KIND(c), value = COLOUR_VALUE(c);

	assert_true((kind == COLOUR_DEFAULT && value == 0) ||
	    (kind == COLOUR_PALETTE && value < 256) || kind == COLOUR_RGB);
}

static void
is_sound(const struct vt *vt)
{
	for (unsigned y = 0; y < vt_rows(vt); y++) {
		struct vt_row row;
		vt_screen_row(vt, y, &row);
		assert_in_range(row.used, 0, vt_cols(vt));
		for (unsigned x = 0; x < row.used; x++) {
			is_sound_colour(row.cells[x].fg);
			is_sound_colour(row.cells[x].bg);
			assert_in_range(cell_underline(&row.cells[x]), 0,
			    UNDERLINE_DASHED);
		}
	}
}

/* A terminal from a damaged keyframe still takes bytes and sizes. */
static void
still_works(struct vt *vt)
{
	feed(vt, "x\u0301\u5b57");
	is_sound(vt);
	feed(vt, "\r\n\033[b\033[S\033[T\033[L\033[P\t");
	vt_resize(vt, 9, 3, NULL);
	vt_resize(vt, 30, 8, NULL);
	feed(vt, "\033[?1049h\033[?1049l\x18\033cfine");
	auto_free char *text = text_of(vt);
	assert_memory_equal(text, "fine\n", 5);
}

/* A screen of another size may be large; then a few bytes are enough. */
static bool
is_large(const struct vt *vt)
{
	return vt_cols(vt) * vt_rows(vt) > 10000;
}

static void
any_byte_changed_is_refused_or_gives_a_working_terminal(void **state)
{
	unsigned taken = 0, refused = 0;

	(void)state;
	for (unsigned alt = 0; alt < 2; alt++) {
		struct vt *vt = make_full(alt);
		struct buf frame = keyframe_of(vt);
		for (size_t i = 0; i < frame.len; i++)
			for (unsigned bit = 0; bit <= 8; bit++) {
				uint8_t was = frame.data[i];
				frame.data[i] ^= bit < 8 ? 1u << bit : 0xff;
				struct vt *other = restores_soundly(frame.data,
				    frame.len);
				frame.data[i] = was;
				refused += other == NULL;
				taken += other != NULL;
				if (other != NULL && !is_large(other))
					still_works(other);
				vt_destroy(other);
			}
		buf_finish(&frame);
		vt_destroy(vt);
	}
	assert_true(taken > 1000);
	assert_true(refused > 1000);
}

static void
random_bytes_are_not_a_keyframe(void **state)
{
	static const char *const others[] = { "", "T", "TKF", "TKG\x01\x01",
		"{\"version\":2}", "\033[2J", "TKF\x01\x01\x00\x00" };

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++) {
		struct error err = { 0 };
		assert_null(keyframe_restore(others[i], strlen(others[i]), NULL,
		    NULL, &err));
		assert_int_not_equal(err.code, 0);
	}
}

static void
another_version_is_named_in_the_error(void **state)
{
	static const struct {
		const char *bytes;
		const char *says;
	} cases[] = { { "TKF\x07\x01", "version 7, engine 1" },
		{ "TKF\x01\x63", "version 1, engine 99" } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = { 0 };
		assert_null(keyframe_restore(cases[i].bytes,
		    strlen(cases[i].bytes), NULL, NULL, &err));
		assert_int_equal(err.code, EPROTONOSUPPORT);
		if (strstr(err.msg, cases[i].says) == NULL)
			fail_msg("%s", err.msg);
	}
}

/* The terminal after "\033]2;t\a\033]7;/x\aab", from before OSC 7501. */
static const uint8_t first_engine[] = { 0x54, 0x4b, 0x46, 0x01, 0x01, 0x04,
	0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa0, 0x82, 0x80, 0x80, 0x01,
	0xa0, 0x82, 0x80, 0x80, 0x01, 0x00, 0x00, 0x00, 0x03, 0x00, 0x02, 0x61,
	0x62, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x42, 0x42,
	0x42, 0x42, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x42, 0x42,
	0x42, 0x42, 0x00, 0x00, 0x00, 0x00, 0x00, 0x42, 0x42, 0x42, 0x42, 0x00,
	0x00, 0x01, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	0x74, 0x00, 0x00, 0x02, 0x2f, 0x78, 0x00, 0xff, 0xff, 0xff, 0x07, 0x00,
	0x00, 0x00, 0xff, 0xff, 0xff, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00 };

static void
a_keyframe_of_an_older_engine_is_restored(void **state)
{
	struct vt *vt = restore(first_engine, sizeof(first_engine));
	auto_free char *text = text_of(vt);

	(void)state;
	assert_string_equal(text, "ab");
	assert_string_equal(vt_title(vt), "t");
	assert_string_equal(vt_cwd(vt), "/x");
	assert_int_equal(vt_program_status(vt)->state, PROGRAM_SILENT);
	feed(vt, "\033]7501;state=idle\a");
	assert_int_equal(vt_program_status(vt)->state, PROGRAM_IDLE);
	vt_destroy(vt);
}

static void
an_older_engine_reads_a_keyframe_without_new_state(void **state)
{
	struct vt *vt = make_vt(4, 1);
	struct buf frame;

	(void)state;
	vt_limit_history(vt, 0, 0);
	feed(vt, "\033]2;t\a\033]7;/x\aab");
	frame = keyframe_of(vt);
	assert_int_equal(frame.len, sizeof(first_engine));
	assert_memory_equal(frame.data, first_engine, frame.len);
	buf_finish(&frame);
	vt_destroy(vt);
}

/*
 * Made by engine 1, of 10 by 3: four lines, the last with protected text,
 * DECSC after it, red text, modes and margins, and the beginning of a
 * sequence.
 */
static const char engine_1
    [] = "544b4601010a030080200000020000000100000000a040a08080800100020108"
	 "000374776f000574687265650010050480106b65707405010272656405000301"
	 "0004020000000042424242000000000000000042424242000081808008000042"
	 "4242420000000001010000000000000000000000ffffff07000000ffffff0700"
	 "00000000";

static void
a_keyframe_of_an_earlier_engine_is_read(void **state)
{
	uint8_t bytes[sizeof(engine_1) / 2];
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(hex_digit(engine_1[2 * i]) << 4 |
		    hex_digit(engine_1[2 * i + 1]));
	struct vt *vt = keyframe_restore(bytes, sizeof(bytes), NULL, NULL,
	    &err);
	if (vt == NULL)
		fail_msg("%s", err.msg);
	shows(vt, "two\nthree\nkeptred");
	feed(vt, "Hx\033[?2J\0338y");
	shows(vt, "\n\nkepty");
	vt_destroy(vt);
}

static void
a_buffer_that_is_too_small_is_reported(void **state)
{
	struct vt *vt = make_full(true);
	struct buf whole = keyframe_of(vt), out;

	(void)state;
	for (size_t max = 0; max < whole.len; max++) {
		buf_init(&out, max);
		assert_int_equal(keyframe_save(vt, &out), -ENOBUFS);
		buf_finish(&out);
	}
	buf_init(&out, whole.len);
	assert_int_equal(keyframe_save(vt, &out), 0);
	buf_finish(&out);
	buf_finish(&whole);
	vt_destroy(vt);
}

static struct buf
screen_of(const struct vt *vt)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	assert_int_equal(keyframe_save_screen(vt, &out), 0);
	return out;
}

static void
without_the_history_the_screen_continues_the_same(void **state)
{
	struct vt *vt = make_full(true), *twin;
	struct buf whole = keyframe_of(vt), frame = screen_of(vt), a, b;

	(void)state;
	assert_true(frame.len < whole.len);
	twin = keyframe_restore(frame.data, frame.len, NULL, NULL, NULL);
	assert_non_null(twin);
	feed(vt, "more\r\n\033[1mtext\033[3;4H\u00e9\033[r\n\n");
	feed(twin, "more\r\n\033[1mtext\033[3;4H\u00e9\033[r\n\n");
	a = screen_of(vt);
	b = screen_of(twin);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	buf_finish(&a);
	buf_finish(&b);
	buf_finish(&frame);
	buf_finish(&whole);
	vt_destroy(twin);
	vt_destroy(vt);
}

static void
a_fresh_terminal_is_a_few_bytes(void **state)
{
	struct vt *vt = make_vt(80, 24);
	struct buf frame = keyframe_of(vt);

	(void)state;
	assert_in_range(frame.len, 3, 300);
	buf_finish(&frame);
	vt_destroy(vt);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_restored_terminal_is_the_same),
		cmocka_unit_test(
		    saving_changes_nothing_and_gives_the_same_twice),
		cmocka_unit_test(a_restored_terminal_continues_where_it_was),
		cmocka_unit_test(an_event_handler_given_at_restoring_is_used),
		cmocka_unit_test(no_prefix_of_a_keyframe_is_a_keyframe),
		cmocka_unit_test(
		    any_byte_changed_is_refused_or_gives_a_working_terminal),
		cmocka_unit_test(random_bytes_are_not_a_keyframe),
		cmocka_unit_test(another_version_is_named_in_the_error),
		cmocka_unit_test(a_keyframe_of_an_older_engine_is_restored),
		cmocka_unit_test(
		    an_older_engine_reads_a_keyframe_without_new_state),
		cmocka_unit_test(a_keyframe_of_an_earlier_engine_is_read),
		cmocka_unit_test(a_buffer_that_is_too_small_is_reported),
		cmocka_unit_test(
		    without_the_history_the_screen_continues_the_same),
		cmocka_unit_test(a_fresh_terminal_is_a_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
