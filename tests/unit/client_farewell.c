#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "client/farewell.h"
#include "vt/vt.h"
#include "vt_make.h"

static void
says_in(unsigned cols, const struct farewell *f, const char *want)
{
	struct buf b;

	buf_init(&b, 4096);
	farewell_text(f, cols, &b);
	buf_putc(&b, '\0');
	assert_string_equal((const char *)b.data, want);
	buf_finish(&b);
}

static void
says(const struct farewell *f, const char *want)
{
	says_in(80, f, want);
}

static void
the_farewell_says_how_a_session_ended(void **state)
{
	struct farewell f = { .name = "mk", .outcome = "exited", .code = 2 };

	(void)state;
	says(&f, "[mk exited 2 · tend log mk]");
	f.code = -1;
	f.signo = 11;
	says(&f, "[mk killed by SIGSEGV · tend log mk]");
	f.signo = 40;
	says(&f, "[mk killed by signal 40 · tend log mk]");
	f.signo = 0;
	says(&f, "[mk lost · tend log mk]");
}

/* tend stops a session with a hangup, so the signal is not named. */
static void
a_session_ended_by_request_was_stopped_or_killed(void **state)
{
	struct farewell f = { .name = "mk", .code = -1, .signo = 1 };

	(void)state;
	f.outcome = "stopped";
	says(&f, "[mk stopped · tend log mk]");
	f.outcome = "killed";
	says(&f, "[mk killed · tend log mk]");
}

static void
the_farewell_names_the_next_commands(void **state)
{
	struct farewell f = { .name = "mk", .was_over = true };

	(void)state;
	says(&f, "[mk exited 0 · tend log mk · tend rerun mk]");
	f.destroyed = true;
	says(&f, "[mk destroyed]");
}

static void
in_a_narrow_terminal_each_part_has_a_line(void **state)
{
	const struct farewell f = { .name = "mk", .was_over = true };

	(void)state;
	says_in(43, &f, "[mk exited 0 · tend log mk · tend rerun mk]");
	says_in(42, &f, "[mk exited 0\n tend log mk\n tend rerun mk]");
}

static void
keeps(const char *bytes, unsigned max, const char *want)
{
	struct vt *vt = make_vt(20, 6);
	struct buf b;

	vt_feed(vt, bytes, strlen(bytes));
	buf_init(&b, 4096);
	farewell_rows(vt, max, &b);
	buf_putc(&b, '\0');
	assert_string_equal((const char *)b.data, want);
	buf_finish(&b);
	vt_destroy(vt);
}

static void
the_last_rows_are_kept_without_blank_ones_around(void **state)
{
	(void)state;
	keeps("", 3, "");
	keeps("one\r\ntwo", 3, "one\ntwo\n");
	keeps("one\r\n\r\nthree\r\n\r\n", 9, "one\n\nthree\n");
	keeps("one\r\n\r\nthree", 2, "three\n");
	keeps("one\r\ntwo\r\nthree", 2, "two\nthree\n");
	keeps("one", 0, "");
	keeps("\033[31m r\303\251d \033[0m", 3, " r\303\251d\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_farewell_says_how_a_session_ended),
		cmocka_unit_test(
		    a_session_ended_by_request_was_stopped_or_killed),
		cmocka_unit_test(the_farewell_names_the_next_commands),
		cmocka_unit_test(in_a_narrow_terminal_each_part_has_a_line),
		cmocka_unit_test(
		    the_last_rows_are_kept_without_blank_ones_around),
	};

	return cmocka_run_group_tests_name("client_farewell", tests, NULL,
	    NULL);
}
