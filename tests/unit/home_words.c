#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "home/words.h"
#include "session/manifest.h"

static void
words_describe_the_end_of_a_session(void **state)
{
	static const struct {
		struct manifest m;
		const char *outcome, *status;
	} cases[] = {
		{ { .status = STATUS_RUNNING }, "is running", "running" },
		{ { .status = STATUS_STARTING }, "is starting", "starting" },
		{ { .status = STATUS_EXITED,
		      .outcome = OUTCOME_EXITED,
		      .has_exit = true },
		    "exited with 0", "exited 0" },
		{ { .status = STATUS_EXITED,
		      .outcome = OUTCOME_FAILED,
		      .has_exit = true,
		      .exit_code = 3 },
		    "exited with 3", "exited 3" },
		{ { .status = STATUS_EXITED,
		      .outcome = OUTCOME_FAILED,
		      .has_exit = true,
		      .exit_code = -1,
		      .exit_signal = SIGSEGV },
		    "was ended by SIGSEGV", "SIGSEGV" },
		{ { .status = STATUS_EXITED,
		      .outcome = OUTCOME_STOPPED,
		      .has_exit = true,
		      .exit_code = 1 },
		    "was stopped (it exited with 1)", "stopped" },
		{ { .status = STATUS_EXITED,
		      .outcome = OUTCOME_KILLED,
		      .has_exit = true,
		      .exit_signal = SIGKILL },
		    "was killed", "killed" },
		{ { .status = STATUS_FAILED, .outcome = OUTCOME_LOST },
		    "is lost: the machine was restarted or its processes were "
		    "killed",
		    "lost" },
		{ { .status = STATUS_DESTROYED, .outcome = OUTCOME_STOPPED },
		    "was destroyed", "destroyed" },
	};
	char text[WORDS_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		words_outcome(&cases[i].m, text, sizeof(text));
		assert_string_equal(text, cases[i].outcome);
		words_status(&cases[i].m, text, sizeof(text));
		assert_string_equal(text, cases[i].status);
	}
}

static void
ages_have_one_unit(void **state)
{
	static const struct {
		int64_t ms;
		const char *text;
	} cases[] = { { -5, "0s" }, { 0, "0s" }, { 59999, "59s" },
		{ 60000, "1m" }, { 3599999, "59m" }, { 3600000, "1h" },
		{ 47 * 3600000LL, "47h" }, { 48 * 3600000LL, "2d" },
		{ 400 * 86400000LL, "400d" } };
	char text[16];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		words_age(cases[i].ms, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

static void
times_and_sizes_are_readable(void **state)
{
	char text[WORDS_TIME_MAX];

	(void)state;
	words_time(1794786715123, text);
	assert_string_equal(text, "2026-11-15T23:51:55.123Z");
	words_time(0, text);
	assert_string_equal(text, "1970-01-01T00:00:00.000Z");
	words_bytes(512, text, sizeof(text));
	assert_string_equal(text, "512 B");
	words_bytes(1536, text, sizeof(text));
	assert_string_equal(text, "1.5 KiB");
	words_bytes(256 << 20, text, sizeof(text));
	assert_string_equal(text, "256 MiB");
}

static void
a_command_is_quoted(void **state)
{
	char a[] = "sh", b[] = "-c", c[] = "echo it's\033[31m", d[] = "";
	char *argv[] = { a, b, c, d, NULL };
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	words_command(argv, &out);
	auto_free char *text = buf_take(&out);
	assert_string_equal(text, "sh -c 'echo it'\\''s\\x1b[31m' ''");
}

static void
signals_have_names(void **state)
{
	char text[32];

	(void)state;
	assert_int_equal(words_signal_number("TERM"), SIGTERM);
	assert_int_equal(words_signal_number("SIGTERM"), SIGTERM);
	assert_int_equal(words_signal_number("sigusr1"), SIGUSR1);
	assert_int_equal(words_signal_number("15"), 15);
	assert_int_equal(words_signal_number("0"), -1);
	assert_int_equal(words_signal_number("-1"), -1);
	assert_int_equal(words_signal_number("1000"), -1);
	assert_int_equal(words_signal_number("SIG"), -1);
	assert_int_equal(words_signal_number("FROB"), -1);
	assert_int_equal(words_signal_number(""), -1);
	words_signal(SIGHUP, text, sizeof(text));
	assert_string_equal(text, "SIGHUP");
	words_signal(SIGRTMIN + 3, text, sizeof(text));
	assert_string_equal(text, "SIGRTMIN+3");
	words_signal(200, text, sizeof(text));
	assert_string_equal(text, "signal 200");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_describe_the_end_of_a_session),
		cmocka_unit_test(ages_have_one_unit),
		cmocka_unit_test(times_and_sizes_are_readable),
		cmocka_unit_test(a_command_is_quoted),
		cmocka_unit_test(signals_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
