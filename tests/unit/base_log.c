#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/mem.h"

#define CUT " cut=true\n"
#define HEAD "time=2026-01-31T12:00:00.250Z level=info"

/* The line of one field at a fixed moment; the caller frees. */
static char *
line_of(struct log_field field)
{
	struct timespec when = { .tv_sec = 1769860800, .tv_nsec = 250999999 };
	struct log_field fields[] = { field, { .key = NULL } };
	struct buf b;

	buf_init(&b, LOG_LINE_MAX);
	log_format(&b, &when, LOG_INFO, fields);
	return buf_take(&b);
}

static void
check(const char *value, const char *want)
{
	auto_free char *line = line_of(log_str("k", value));
	char expected[256];

	snprintf(expected, sizeof(expected), HEAD " k=%s\n", want);
	assert_string_equal(line, expected);
}

static void
log_writes_plain_values_as_they_are(void **state)
{
	(void)state;
	check("abc", "abc");
	check("/a/b-c.d:e,f", "/a/b-c.d:e,f");
}

static void
log_quotes_values_that_could_be_misread(void **state)
{
	(void)state;
	check("", "\"\"");
	check(NULL, "\"\"");
	check("two words", "\"two words\"");
	check("a=b", "\"a=b\"");
	check("say \"hi\"", "\"say \\\"hi\\\"\"");
	check("back\\slash", "\"back\\\\slash\"");
}

static void
log_escapes_control_sequences(void **state)
{
	(void)state;
	check("a\nlevel=error", "\"a\\nlevel=error\"");
	check("\r\t", "\"\\r\\t\"");
	check("\033[31m", "\"\\u001b[31m\"");
	check("\x7f", "\"\\u007f\"");
	check("\xc2\x9b", "\"\\u009b\"");
	check("\xe2\x80\xae", "\"\\u202e\"");
}

static void
log_keeps_utf8_and_replaces_invalid_bytes(void **state)
{
	(void)state;
	check("gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\"");
	check("\xff", "\"\xef\xbf\xbd\"");
	check("\xe2\x82", "\"\xef\xbf\xbd\"");
	check("\xe2\x82z", "\"\xef\xbf\xbdz\"");
}

static void
log_writes_numbers(void **state)
{
	auto_free char *line = line_of(log_int("pid", -42));

	(void)state;
	assert_string_equal(line, HEAD " pid=-42\n");
}

static void
log_leaves_out_and_reports_a_field_that_does_not_fit(void **state)
{
	auto_free char *long_value = xcalloc(1, LOG_LINE_MAX + 1);
	char *line;

	(void)state;
	memset(long_value, 'x', LOG_LINE_MAX);
	line = line_of(log_str("k", long_value));
	assert_string_equal(line, HEAD " cut=true\n");
	free(line);
	/* A field full of escapes is cut between escapes, not within one. */
	memset(long_value, '\n', LOG_LINE_MAX / 2);
	long_value[LOG_LINE_MAX / 2] = '\0';
	line = line_of(log_str("k", long_value));
	assert_string_equal(line, HEAD " cut=true\n");
	free(line);
}

static void
log_format_refuses_a_buffer_without_room_for_a_line(void **state)
{
	struct log_field fields[] = { log_int("n", 1), { .key = NULL } };
	struct timespec when = { 0 };
	struct buf b;

	(void)state;
	for (size_t room = 0; room < 60; room++) {
		buf_init(&b, 100 + room);
		buf_printf(&b, "%100s", "");
		log_format(&b, &when, LOG_INFO, fields);
		assert_int_equal(b.max, 100 + room);
		if (!b.full)
			assert_int_equal(b.data[b.len - 1], '\n');
		assert_int_equal(b.full, room < strlen(HEAD CUT));
		buf_finish(&b);
	}
}

/* The pipe's content as a string. */
static void
read_pipe(int fd, char *out, size_t size)
{
	ssize_t n = read(fd, out, size - 1);

	out[n > 0 ? n : 0] = '\0';
}

static void
log_write_writes_one_line_with_the_time_of_now(void **state)
{
	char line[LOG_LINE_MAX];
	time_t before, after;
	struct tm tm = { 0 };
	struct log log;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	log = (struct log){ .fd = fds[1], .least = LOG_INFO };
	before = time(NULL);
	log_write(&log, LOG_WARN, "host ended", log_int("signal", 9));
	after = time(NULL);
	read_pipe(fds[0], line, sizeof(line));
	const char *rest = strptime(line, "time=%Y-%m-%dT%H:%M:%S", &tm);
	assert_non_null(rest);
	assert_in_range(timegm(&tm), before, after);
	assert_string_equal(rest + strlen(".000"),
	    "Z level=warn msg=\"host ended\" signal=9\n");
	fd_close(&fds[0]);
	fd_close(&fds[1]);
}

static void
log_write_is_silent_below_its_level_and_without_a_descriptor(void **state)
{
	struct log nowhere = { .fd = -1 };
	char line[LOG_LINE_MAX];
	struct log log;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	log = (struct log){ .fd = fds[1], .least = LOG_WARN };
	log_write(&log, LOG_INFO, "quiet");
	log_write(&nowhere, LOG_ERROR, "quiet");
	read_pipe(fds[0], line, sizeof(line));
	assert_string_equal(line, "");
	log_write(&log, LOG_ERROR, "loud");
	read_pipe(fds[0], line, sizeof(line));
	assert_non_null(strstr(line, " level=error msg=loud\n"));
	fd_close(&fds[0]);
	fd_close(&fds[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_writes_plain_values_as_they_are),
		cmocka_unit_test(log_quotes_values_that_could_be_misread),
		cmocka_unit_test(log_escapes_control_sequences),
		cmocka_unit_test(log_keeps_utf8_and_replaces_invalid_bytes),
		cmocka_unit_test(log_writes_numbers),
		cmocka_unit_test(
		    log_leaves_out_and_reports_a_field_that_does_not_fit),
		cmocka_unit_test(
		    log_format_refuses_a_buffer_without_room_for_a_line),
		cmocka_unit_test(
		    log_write_writes_one_line_with_the_time_of_now),
		cmocka_unit_test(
		    log_write_is_silent_below_its_level_and_without_a_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
