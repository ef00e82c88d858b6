/* Questions to the user's terminal, and the meaning of its answers. */
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "client/probe.h"
#include "vt/key_decode.h"
#include "vt_make.h"

static void
on_reply(void *arg, const struct key_reply *r)
{
	probe_answer(arg, r);
}

static const struct key_decoder_ops ops = { .reply = on_reply };

static struct probe
answer(const char *bytes)
{
	struct probe p = { 0 };
	struct key_decoder d;

	key_decoder_init(&d, &ops, &p);
	d.cpr_expected = PROBE_REPORTS;
	key_decoder_feed(&d, bytes, strlen(bytes));
	return p;
}

/* Our own engine answers: it must recognise itself. */
static void
a_terminal_like_ours_agrees(void **state)
{
	struct replies replies;
	struct vt *vt = make_vt_that_replies(40, 5, &replies);
	struct buf ask;
	struct probe p;
	char *bytes;

	(void)state;
	buf_init(&ask, SIZE_MAX);
	vt_set_default_colours(vt, 0x112233, 0xaabbcc);
	probe_ask(&ask);
	vt_feed(vt, ask.data, ask.len);
	shows(vt, "\n\n\n\n");
	bytes = buf_take(&replies.out);
	p = answer(bytes);
	assert_true(p.done);
	assert_false(p.widths);
	assert_true(p.kitty);
	assert_true(p.sync);
	assert_int_equal(p.measured, PROBE_REPORTS);
	assert_true(p.has_fg && p.has_bg);
	assert_int_equal(p.fg, 0x112233);
	assert_int_equal(p.bg, 0xaabbcc);
	free(bytes);
	buf_finish(&ask);
	vt_destroy(vt);
}

static void
other_widths_are_noticed(void **state)
{
	struct probe p = answer("\033[1;5R\033[1;3R\033[?62c");

	(void)state;
	assert_true(p.widths && p.done);
	p = answer("\033[1;3R\033[1;2R\033[?62c");
	assert_true(p.widths);
	p = answer("\033[1;3R\033[1;3R\033[?62c");
	assert_false(p.widths);
}

static void
a_terminal_that_knows_nothing_is_recognised_at_once(void **state)
{
	struct probe p = answer("\033[?6c");

	(void)state;
	assert_true(p.done);
	assert_false(p.widths || p.kitty || p.sync || p.has_fg || p.has_bg);
}

static void
invalid_answers_are_ignored(void **state)
{
	struct probe p = answer("\033]10;rgb:zz/00/00\033\\"
				"\033]11;rgb:f/0/8\a\033[?2026;0$y\033[?1;1$y");

	(void)state;
	assert_false(p.done || p.has_fg || p.sync);
	assert_true(p.has_bg);
	assert_int_equal(p.bg, 0xff0088);
	p = answer("\033]11;rgb:00/00\a");
	assert_false(p.has_bg);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_terminal_like_ours_agrees),
		cmocka_unit_test(other_widths_are_noticed),
		cmocka_unit_test(
		    a_terminal_that_knows_nothing_is_recognised_at_once),
		cmocka_unit_test(invalid_answers_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
