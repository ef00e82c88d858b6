#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/typed.h"
#include "vt/vt.h"

#include "vt_make.h"

static void
type(struct typed *t, const struct vt *vt, const char *text)
{
	typed_add(t, vt, 1, 1, (const uint8_t *)text, strlen(text));
}

/* The only run, or the last before `next`. */
static struct typed_run *
last(struct typed *t)
{
	return &t->runs[(t->next + TYPED_RUNS - 1) % TYPED_RUNS];
}

static void
has_text(const struct typed_run *run, const char *want)
{
	assert_true(run->used);
	if (run->len != strlen(want) || memcmp(run->text, want, run->len) != 0)
		fail_msg("'%.*s' instead of '%s'", (int)run->len, run->text,
		    want);
}

static unsigned
runs_of(const struct typed *t)
{
	unsigned n = 0;

	for (unsigned i = 0; i < TYPED_RUNS; i++)
		n += t->runs[i].used;
	return n;
}

/*
 * The text is typed after a prompt on a screen of 20 x 4, and this is shown
 * then.  True if the line in the given row has the echo, in [from, to).
 */
static bool
finds(const char *text, const char *shown, unsigned row,
    struct typed_echo *echo)
{
	auto_free struct typed *t = xcalloc(1, sizeof(*t));
	struct vt *vt = make_vt(20, 4);
	struct logical line;
	bool found;

	feed(vt, "$ ");
	type(t, vt, text);
	feed(vt, shown);
	logical_read(&line, vt, row);
	*echo = (struct typed_echo){ 0 };
	found = typed_find(&t->runs[0], &line, vt, echo);
	vt_destroy(vt);
	return found;
}

static void
is_echo(const char *text, const char *shown, unsigned to)
{
	struct typed_echo echo;

	if (!finds(text, shown, 0, &echo))
		fail_msg("'%s' is no echo of '%s'", shown, text);
	assert_int_equal(echo.from, 2);
	assert_int_equal(echo.to, to);
}

static void
is_no_echo(const char *text, const char *shown)
{
	struct typed_echo echo;

	if (finds(text, shown, 0, &echo))
		fail_msg("'%s' is an echo of '%s'", shown, text);
}

static void
a_place_moves_with_its_row(void **state)
{
	struct vt *vt = make_vt(5, 3);
	struct typed_place place;

	(void)state;
	feed(vt, "one\r\nabcde");
	place = typed_cursor(vt);
	assert_true(place.known);
	assert_int_equal(place.row, 1);
	assert_int_equal(place.col, 5); /* a wrap is pending */
	assert_int_equal(typed_row(&place, vt), 1);
	feed(vt, "\r\n\r\n");
	assert_int_equal(typed_row(&place, vt), 0);
	feed(vt, "\r\n");
	assert_int_equal(typed_row(&place, vt), -1);
	place = typed_cursor(vt);
	feed(vt, "\033[?1049h");
	assert_int_equal(typed_row(&place, vt), -1);
	place.known = false;
	feed(vt, "\033[?1049l");
	assert_int_equal(typed_row(&place, vt), -1);
	vt_destroy(vt);
}

static void
enter_ends_a_run_and_only_the_first_has_a_place(void **state)
{
	auto_free struct typed *t = xcalloc(1, sizeof(*t));
	struct vt *vt = make_vt(20, 4);

	(void)state;
	type(t, vt, "one\rtwo");
	assert_int_equal(runs_of(t), 2);
	has_text(&t->runs[0], "one");
	assert_true(t->runs[0].ended && t->runs[0].entered);
	assert_true(t->runs[0].place.known);
	has_text(&t->runs[1], "two");
	assert_false(t->runs[1].ended || t->runs[1].place.known);
	type(t, vt, " more");
	has_text(last(t), "two more");
	type(t, NULL, "\r\r");
	assert_int_equal(runs_of(t), 3);
	has_text(last(t), "");
	vt_destroy(vt);
}

static void
keys_edit_or_end_a_run(void **state)
{
	auto_free struct typed *t = xcalloc(1, sizeof(*t));

	(void)state;
	type(t, NULL, "aé\177x");
	has_text(last(t), "ax");
	type(t, NULL, "\b\b\b\bo");
	has_text(last(t), "o");
	type(t, NULL, "\t");
	assert_true(last(t)->loose);
	type(t, NULL, "\033[200~p\033[201~");
	has_text(last(t), "op");
	type(t, NULL, "\033[D");
	assert_true(last(t)->ended && !last(t)->entered);
	type(t, NULL, "q\003");
	assert_int_equal(runs_of(t), 3);
	has_text(last(t), "^C");
	type(t, NULL, "\033");
	type(t, NULL, "\033[");
	assert_int_equal(runs_of(t), 3);
}

static void
the_oldest_run_is_dropped_first(void **state)
{
	auto_free struct typed *t = xcalloc(1, sizeof(*t));
	char text[] = "0\r";

	(void)state;
	for (unsigned i = 0; i <= TYPED_RUNS; i++, text[0]++)
		type(t, NULL, text);
	assert_int_equal(runs_of(t), TYPED_RUNS);
	has_text(last(t), "8");
	has_text(&t->runs[1], "1");
	has_text(&t->runs[0], "8");
}

static void
an_echo_ends_at_the_cursor_or_before_blanks(void **state)
{
	(void)state;
	is_echo("ls -l", "ls -l", 7);
	is_echo("ls -l\r", "ls -l\r\ntotal 0", 7);
	is_echo("ls", "l", 3);
	is_echo("漢字", "漢字", 6);
	is_echo("a漢\r", "a漢\r\nb", 5);
	is_echo("ec\t", "echo completed", 16);
	is_no_echo("d", "done");
	is_no_echo("ls", "");
	is_no_echo("ls", "\033[3Cls");
	is_no_echo("\r", "\r\n$ ");
}

static void
an_echo_continues_behind_the_margin(void **state)
{
	auto_free struct typed *t = xcalloc(1, sizeof(*t));
	struct typed_echo echo = { 0 };
	struct vt *vt = make_vt(10, 4);
	struct logical line;

	(void)state;
	is_echo("0123456789012345678901234", "0123456789012345678901234", 27);
	/* A line editor breaks the line itself. */
	feed(vt, "$ ");
	type(t, vt, "12345678abc");
	feed(vt, "12345678\r\n\033[Kabc");
	logical_read(&line, vt, 0);
	assert_true(typed_find(&t->runs[0], &line, vt, &echo));
	assert_int_equal(echo.len, 8);
	assert_int_equal(echo.to, 10);
	logical_read(&line, vt, 1);
	assert_true(typed_find(&t->runs[0], &line, vt, &echo));
	assert_int_equal(echo.len, 11);
	assert_int_equal(echo.from, 0);
	assert_int_equal(echo.to, 3);
	vt_destroy(vt);
}

/* Type `text` up to the given length, and show all of it on one screen. */
static void
long_echo(const char *text, size_t len)
{
	auto_free struct typed *t = xcalloc(1, sizeof(*t));
	auto_free char *all = xcalloc(1, len + 8);
	struct typed_echo echo = { 0 };
	struct vt *vt = make_vt(100, 30);
	struct logical line;

	for (size_t n = 0; n < len; n += strlen(text))
		strcat(all, text);
	type(t, vt, all);
	assert_int_equal(runs_of(t), 1);
	assert_true(t->runs[0].len <= TYPED_TEXT);
	assert_int_equal(t->runs[0].loose, strlen(all) > TYPED_TEXT);
	feed(vt, all);
	feed(vt, "\r\n");
	logical_read(&line, vt, 0);
	if (!typed_find(&t->runs[0], &line, vt, &echo))
		fail_msg("%zu bytes of %s are no echo", strlen(all), text);
	assert_int_equal(echo.to, logical_end(&line, vt));
	vt_destroy(vt);
}

static void
a_run_that_is_too_long_extends_to_the_end_of_the_line(void **state)
{
	(void)state;
	long_echo("a", TYPED_TEXT);
	long_echo("a", TYPED_TEXT + 1);
	long_echo("é", TYPED_TEXT + 100);
	/* The limit is inside a character. */
	long_echo("漢", TYPED_TEXT + 100);
	long_echo("aé字", TYPED_TEXT + 101);
}

/* The cell at which the text is found in the first line; -1: it is not. */
static int
search(const char *text, const char *shown, bool again)
{
	auto_free struct typed *t = xcalloc(1, sizeof(*t));
	struct vt *vt = make_vt(20, 4);
	struct logical line;
	unsigned from = 0, to = 0;
	bool found;

	type(t, NULL, text);
	t->runs[0].again = again;
	feed(vt, shown);
	logical_read(&line, vt, 0);
	found = typed_search(&t->runs[0], &line, vt, &from, &to);
	vt_destroy(vt);
	return found ? (int)from : -1;
}

static void
a_run_without_a_place_is_found_behind_a_prompt(void **state)
{
	(void)state;
	assert_int_equal(search("ls", "$ ls", false), 2);
	assert_int_equal(search("ls", "❯ ls", false), 2);
	assert_int_equal(search("字字", "> 字字", false), 2);
	assert_int_equal(search("ls", "ls", false), 0);
	assert_int_equal(search("ls", "  ls", false), 2);
	assert_int_equal(search("ls", "ls", true), -1);
	assert_int_equal(search("ls", "$ ls", true), 2);
	assert_int_equal(search("ls", "tools", false), -1);
	assert_int_equal(search("ls", "$ls", false), -1);
	assert_int_equal(search("ls", "the ls", false), -1);
	/* One key is in too many lines. */
	assert_int_equal(search("l", "$ l", false), -1);
	assert_int_equal(search("", "$ ", false), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_moves_with_its_row),
		cmocka_unit_test(
		    enter_ends_a_run_and_only_the_first_has_a_place),
		cmocka_unit_test(keys_edit_or_end_a_run),
		cmocka_unit_test(the_oldest_run_is_dropped_first),
		cmocka_unit_test(an_echo_ends_at_the_cursor_or_before_blanks),
		cmocka_unit_test(an_echo_continues_behind_the_margin),
		cmocka_unit_test(
		    a_run_that_is_too_long_extends_to_the_end_of_the_line),
		cmocka_unit_test(
		    a_run_without_a_place_is_found_behind_a_prompt),
	};

	return cmocka_run_group_tests_name("op_typed", tests, NULL, NULL);
}
