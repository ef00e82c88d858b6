/* The user's input as frames for the host and commands for the client. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/error.h"
#include "client/keys.h"
#include "vt_show.h"
#include "wire/frame.h"

/* The results, as words. */
struct rig {
	struct keys keys;
	struct buf out, said;
};

static void
on_command(void *arg, enum keys_command c)
{
	static const char *const names[] = {
#define COMMAND(id, name, ...) name,
#include "client/keys.def"
#undef COMMAND
		"unknown"
	};
	struct rig *r = arg;

	buf_printf(&r->said, "<%s>", names[c]);
}

static void
on_key(void *arg, const struct key *k)
{
	struct rig *r = arg;
	char name[KEY_NAME_MAX];

	assert_int_equal(key_name(k, name, sizeof(name)), 0);
	buf_printf(&r->said, "(%s)", name);
}

static void
on_mouse(void *arg, const struct mouse_event *ev)
{
	struct rig *r = arg;

	buf_printf(&r->said, "(mouse %d %u,%u)", (int)ev->button, ev->row,
	    ev->col);
}

static void
on_reply(void *arg, const struct key_reply *reply)
{
	struct rig *r = arg;

	buf_printf(&r->said, "{%d}", (int)reply->kind);
}

static const struct keys_ops ops = { on_command, on_key, on_mouse, on_reply };

static const struct keys_bound usual;

static void
set_up_bound(struct rig *r, const char *prefix, const struct keys_bound *bound)
{
	struct error err = { 0 };

	buf_init(&r->out, SIZE_MAX);
	buf_init(&r->said, SIZE_MAX);
	if (keys_init(&r->keys, prefix, bound, &ops, r, &r->out, &err) < 0)
		fail_msg("%s: %s", prefix, err.msg);
	r->keys.ask = false;
	r->keys.cols = 80;
	r->keys.rows = 24;
}

static void
set_up(struct rig *r, const char *prefix)
{
	set_up_bound(r, prefix, &usual);
}

static void
tear_down(struct rig *r)
{
	keys_finish(&r->keys);
	buf_finish(&r->out);
	buf_finish(&r->said);
}

static void
say_key(struct rig *r, const struct frame_input *in)
{
	static const char *const events[] = { "", "~", "^" };
	char name[KEY_NAME_MAX];
	struct key k;

	assert_true(input_key(in, &k));
	assert_int_equal(key_name(&k, name, sizeof(name)), 0);
	buf_printf(&r->said, "%s%s ", events[k.event], name);
}

static void
say_input(struct rig *r, const struct frame_input *in)
{
	struct mouse_event ev;
	bool focus;

	switch (in->kind) {
	case INPUT_KEY:
		say_key(r, in);
		break;
	case INPUT_MOUSE:
		assert_true(input_mouse(in, &ev));
		buf_printf(&r->said, "mouse:%d@%u,%u ", (int)ev.button, ev.row,
		    ev.col);
		break;
	case INPUT_FOCUS:
		assert_true(input_focus(in, &focus));
		buf_printf(&r->said, "focus:%d ", focus);
		break;
	default:
		buf_printf(&r->said, "%s:%s ",
		    in->kind == INPUT_TEXT      ? "text" :
			in->kind == INPUT_PASTE ? "paste" :
						  "bytes",
		    show_bytes(in->p, in->len).s);
	}
}

/* All frames since the last call, after the commands. */
static void
said(struct rig *r, const char *want)
{
	size_t at = 0;
	struct frame f;
	struct frame_input in;
	char *got;

	while (at < r->out.len) {
		assert_int_equal(frame_parse(r->out.data + at, r->out.len - at,
				     FRAME_MAX_CLIENT, &f),
		    FRAME_WHOLE);
		assert_true(frame_input(&f, &in));
		say_input(r, &in);
		at += FRAME_HEADER + f.len;
	}
	buf_clear(&r->out);
	got = buf_take(&r->said);
	assert_string_equal(got, want);
	free(got);
}

static void
type(struct rig *r, const char *s)
{
	keys_feed(&r->keys, s, strlen(s));
}

static void
keys_of_every_class_are_sent(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	type(&r, "a");
	type(&r, "\x03");
	type(&r, "\r");
	type(&r, "\t");
	type(&r, "\x7f");
	said(&r, "a C-c Enter Tab BSpace ");
	type(&r, "\033[A\033OB\033[1;5C\033[5~\033[15~\033OP\033[Z\033x");
	said(&r, "Up Down C-Right PPage F5 F1 BTab M-x ");
	type(&r, "\033[97;5u\033[97;1:3u\033[27;5;13~");
	said(&r, "C-a ^a C-Enter ");
	type(&r, "\033[<0;3;2M\033[<64;3;2M\033[I\033[O");
	said(&r, "mouse:1@1,2 mouse:4@1,2 focus:1 focus:0 ");
	type(&r, "\033[200~two\nlines\033[201~");
	said(&r, "paste:two\\x0alines ");
	type(&r, "\xff");
	said(&r, "bytes:\\xff ");
	tear_down(&r);
}

static void
a_burst_of_text_is_one_piece(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	type(&r, "echo \xc3\xbc\r");
	said(&r, "text:echo \\xc3\\xbc\\x0d ");
	type(&r,
	    "ab\x03"
	    "cd");
	said(&r, "text:ab C-c text:cd ");
	type(&r,
	    "ls\x1d"
	    "dxy");
	said(&r, "<detach>text:ls text:xy ");
	tear_down(&r);
}

static void
escape_alone_is_a_key_after_a_while(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	assert_int_equal(keys_wait_ms(&r.keys), -1);
	type(&r, "\033");
	said(&r, "");
	assert_true(keys_wait_ms(&r.keys) > 0);
	keys_flush(&r.keys);
	said(&r, "Escape ");
	assert_int_equal(keys_wait_ms(&r.keys), -1);
	tear_down(&r);
}

static void
the_prefix_leads_to_commands(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	type(&r, "\x1d");
	said(&r, "");
	type(&r, "d");
	said(&r, "<detach>");
	type(&r, "\x1d?");
	type(&r, "\x1d[");
	type(&r, "\x1d\x1a");
	type(&r, "\x1dx");
	type(&r, "\x1d$\x1d,");
	type(&r, "\x1dZ");
	said(&r, "<help><history><suspend><kill><rename><rename><unknown>");
	type(&r, "\x1d\x1d");
	said(&r, "C-] ");
	type(&r, "d");
	said(&r, "d ");
	tear_down(&r);
}

static void
escape_after_the_prefix_does_nothing(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	type(&r, "\x1d\033");
	keys_flush(&r.keys);
	said(&r, "");
	type(&r, "d");
	said(&r, "d ");
	tear_down(&r);
}

static void
every_command_has_keys_and_a_description(void **state)
{
	struct key detach;

	(void)state;
	assert_string_equal(keys_of(&usual, KEYS_DETACH), "d");
	assert_string_equal(keys_of(&usual, KEYS_HISTORY), "[");
	assert_int_equal(key_parse("d", &detach, NULL), 0);
	assert_true(keys_match(&detach, "C-d d"));
	assert_false(keys_match(&detach, "C-d D"));
	for (unsigned c = 0; c < KEYS_UNKNOWN; c++) {
		assert_true(keys_of(&usual, c)[0] != '\0');
		assert_true(strlen(keys_does(c)) <= 31);
	}
}

static void
a_command_may_have_other_keys(void **state)
{
	const struct keys_bound bound = { .names = {
					      [KEYS_DETACH] = "C-d F2" } };
	struct rig r;

	(void)state;
	assert_string_equal(keys_of(&bound, KEYS_DETACH), "C-d F2");
	set_up_bound(&r, "C-]", &bound);
	type(&r,
	    "\x1d\x04\x1d\033OQ\x1d["
	    "\x1d"
	    "d");
	said(&r, "<detach><detach><history><unknown>");
	tear_down(&r);
}

/* B-31: another prefix, and the usual one goes to the program. */
static void
another_key_may_be_the_prefix(void **state)
{
	struct keys none;
	struct error err = { 0 };
	struct rig r;

	(void)state;
	set_up(&r, "C-a");
	type(&r, "\x1d");
	type(&r,
	    "\x01"
	    "d");
	said(&r, "<detach>C-] ");
	tear_down(&r);
	assert_int_equal(keys_init(&none, "no such key", &usual, &ops, NULL,
			     NULL, &err),
	    -EINVAL);
	assert_true(err.msg[0] != '\0');
}

/* Kitty's protocol reports key releases and modifiers. */
static void
the_prefix_works_with_kittys_keyboard(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	type(&r, "\033[93;5u\033[93;5:3u");
	said(&r, "");
	type(&r, "\033[57441;2u\033[47:63;2u\033[47;2:3u\033[57441;1:3u");
	said(&r, "<help>^LeftShift ");
	type(&r, "\033[93;5u\033[93;5:3u\033[93;5u");
	said(&r, "C-] ");
	tear_down(&r);
}

static void
answers_of_the_terminal_are_never_typed(void **state)
{
	unsigned answers = 0;
	struct rig r;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	r.keys.decoder.cpr_expected = 1;
	type(&r,
	    "\033[24;80R\033[?62;22c\033]11;rgb:0000/0000/0000\033\\"
	    "\033P>|xterm\033\\\033[?0u\033[?2026;2$y\033_Gi=1;OK\033\\");
	for (size_t i = 0; i < r.said.len; i++)
		answers += r.said.data[i] == '{';
	assert_int_equal(answers, 7);
	assert_int_equal(r.out.len, 0);
	tear_down(&r);
}

static void
a_read_only_client_types_nothing(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	r.keys.muted = true;
	type(&r, "text\x03\033[A\033[200~paste\033[201~\033[<0;1;1M\033[I\xff");
	said(&r, "");
	type(&r,
	    "\x1d"
	    "d");
	said(&r, "<detach>");
	tear_down(&r);
}

static void
mouse_positions_are_relative_to_the_session(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	r.keys.left = 10;
	r.keys.top = 5;
	type(&r, "\033[<0;1;1M");
	said(&r, "mouse:1@5,10 ");
	type(&r, "\033[<0;71;1M\033[<0;1;20M"); /* on the line around it */
	said(&r, "");
	tear_down(&r);
}

static void
while_grabbed_the_client_has_the_keys(void **state)
{
	struct rig r;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	r.keys.grabbed = true;
	type(&r, "q\033[5~\033[<65;1;1M\033[200~x\033[201~");
	said(&r, "(q)(PPage)(mouse 5 0,0)");
	type(&r,
	    "\x1d"
	    "d");
	said(&r, "<detach>");
	tear_down(&r);
}

static void
a_long_paste_comes_in_pieces_of_whole_characters(void **state)
{
	struct rig r;
	struct frame_input in;
	struct frame f;
	size_t at = 0, total = 0;

	(void)state;
	set_up(&r, KEYS_DEFAULT_PREFIX);
	type(&r, "\033[200~x");
	for (unsigned i = 0; i < KEYS_PASTE_MAX; i++)
		type(&r, "\xe5\xad\x97");
	type(&r, "\033[201~");
	while (at < r.out.len) {
		assert_int_equal(frame_parse(r.out.data + at, r.out.len - at,
				     FRAME_MAX_CLIENT, &f),
		    FRAME_WHOLE);
		assert_true(frame_input(&f, &in));
		assert_int_equal(in.kind, INPUT_PASTE);
		assert_true(in.id != 0);
		assert_true((in.p[0] & 0xc0) != 0x80);
		assert_true(in.len <= KEYS_PASTE_MAX);
		total += in.len;
		at += FRAME_HEADER + f.len;
	}
	assert_int_equal(total, 3 * KEYS_PASTE_MAX + 1);
	tear_down(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_every_class_are_sent),
		cmocka_unit_test(a_burst_of_text_is_one_piece),
		cmocka_unit_test(escape_alone_is_a_key_after_a_while),
		cmocka_unit_test(the_prefix_leads_to_commands),
		cmocka_unit_test(escape_after_the_prefix_does_nothing),
		cmocka_unit_test(every_command_has_keys_and_a_description),
		cmocka_unit_test(a_command_may_have_other_keys),
		cmocka_unit_test(another_key_may_be_the_prefix),
		cmocka_unit_test(the_prefix_works_with_kittys_keyboard),
		cmocka_unit_test(answers_of_the_terminal_are_never_typed),
		cmocka_unit_test(a_read_only_client_types_nothing),
		cmocka_unit_test(mouse_positions_are_relative_to_the_session),
		cmocka_unit_test(while_grabbed_the_client_has_the_keys),
		cmocka_unit_test(
		    a_long_paste_comes_in_pieces_of_whole_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
