#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "vt/input_modes.h"
#include "vt/paste.h"
#include "vt_show.h"

#define E "\033"

static void
pastes_len(const void *p, size_t len, bool brackets, const char *want)
{
	struct input_modes m = { .bracketed_paste = brackets };
	struct buf out;

	buf_init(&out, 1000);
	assert_int_equal(paste_encode(p, len, &m, &out), 0);
	if (out.len != strlen(want) ||
	    (out.len > 0 && memcmp(out.data, want, out.len) != 0))
		fail_msg("\"%s\" is pasted as \"%s\", not \"%s\"",
		    show_bytes(p, len).s, show_bytes(out.data, out.len).s,
		    show_bytes(want, strlen(want)).s);
	buf_finish(&out);
}

static void
pastes(const char *text, bool brackets, const char *want)
{
	pastes_len(text, strlen(text), brackets, want);
}

static void
a_paste_is_bracketed_when_requested(void **state)
{
	(void)state;
	pastes("ls é 漢", false, "ls é 漢");
	pastes("ls é 漢", true, E "[200~ls é 漢" E "[201~");
	pastes("", true, E "[200~" E "[201~");
	pastes("", false, "");
}

static void
lines_end_with_enter_only_without_brackets(void **state)
{
	(void)state;
	pastes("a\nb\r\nc\rd\n\ne\n\r\n", false, "a\rb\rc\rd\r\re\r\r");
	pastes("a\nb\r\nc\rd\t", true, E "[200~a\nb\r\nc\rd\t" E "[201~");
	pastes("a\r\r\nb", false, "a\r\rb");
}

static void
nothing_in_the_text_ends_the_brackets(void **state)
{
	(void)state;
	pastes("a" E "[201~rm -rf ~\n", true,
	    E "[200~a\xe2\x90\x9b[201~rm -rf ~\n" E "[201~");
	pastes("\xc2\x9b"
	       "201~",
	    true,
	    E "[200~\xef\xbf\xbd"
	      "201~" E "[201~");
	pastes("\x9b"
	       "201~",
	    true,
	    E "[200~\xef\xbf\xbd"
	      "201~" E "[201~");
	/* Removing one must not form another. */
	pastes(E "[20" E "[201~1~", true,
	    E "[200~\xe2\x90\x9b[20\xe2\x90\x9b[201~1~" E "[201~");
}

static void
controls_become_their_pictures(void **state)
{
	(void)state;
	pastes("\x03\x04\x7f\t", false,
	    "\xe2\x90\x83\xe2\x90\x84\xe2\x90\xa1\t");
	pastes_len("a\0b", 3, false,
	    "a\xe2\x90\x80"
	    "b");
	pastes("\xff\xe2\x82", false, "\xef\xbf\xbd\xef\xbf\xbd");
}

/* Whatever three bytes are pasted, the only ESCs are those of the brackets. */
static void
no_bytes_pass_that_could_act(void **state)
{
	static const uint8_t some[] = { 0, 3, 9, 10, 13, 27, '[', 'a', 127,
		0x80, 0x9b, 0x9c, 0xc2, 0xe2, 0xf0, 0xff };
	struct input_modes m = { .bracketed_paste = true };
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	for (size_t i = 0; i < 16 * 16 * 16; i++) {
		uint8_t p[3] = { some[i / 256], some[i / 16 % 16],
			some[i % 16] };
		size_t esc = 0;

		buf_clear(&out);
		assert_int_equal(paste_encode(p, 3, &m, &out), 0);
		for (size_t j = 0; j < out.len; j++)
			esc += out.data[j] == 0x1b;
		if (esc != 2 || !utf8_valid(out.data, out.len))
			fail_msg("%s is pasted as %s", show_bytes(p, 3).s,
			    show_bytes(out.data, out.len).s);
	}
	buf_finish(&out);
}

static void
a_full_buffer_gets_no_half_of_a_paste(void **state)
{
	struct input_modes m = { .bracketed_paste = true };
	struct buf out;

	(void)state;
	buf_init(&out, 14);
	assert_int_equal(paste_encode("abc", 3, &m, &out), -ENOBUFS);
	assert_int_equal(out.len, 0);
	buf_clear(&out);
	assert_int_equal(paste_encode("ab", 2, &m, &out), 0);
	assert_int_equal(out.len, 14);
	buf_finish(&out);
}

static void
focus_is_reported_when_requested(void **state)
{
	struct input_modes m = { 0 };
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	assert_int_equal(focus_encode(true, &m, &out), 0);
	assert_int_equal(out.len, 0);
	m.focus_events = true;
	assert_int_equal(focus_encode(true, &m, &out), 0);
	assert_int_equal(focus_encode(false, &m, &out), 0);
	assert_int_equal(out.len, 6);
	assert_memory_equal(out.data, E "[I" E "[O", 6);
	buf_finish(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_paste_is_bracketed_when_requested),
		cmocka_unit_test(lines_end_with_enter_only_without_brackets),
		cmocka_unit_test(nothing_in_the_text_ends_the_brackets),
		cmocka_unit_test(controls_become_their_pictures),
		cmocka_unit_test(no_bytes_pass_that_could_act),
		cmocka_unit_test(a_full_buffer_gets_no_half_of_a_paste),
		cmocka_unit_test(focus_is_reported_when_requested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
