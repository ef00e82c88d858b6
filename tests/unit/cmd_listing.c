#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/look/listing.h"
#include "home/sessions.h"
#include "session/manifest.h"
#include "vt/uni.h"

#define NOW 1000000000

static void
make(struct manifest *m, const char *id, const char *name, const char *line)
{
	manifest_init(m);
	snprintf(m->id, sizeof(m->id), "%s", id);
	snprintf(m->name, sizeof(m->name), "%s", name);
	snprintf(m->last_line, sizeof(m->last_line), "%s", line);
	m->status = STATUS_RUNNING;
	m->created_ms = NOW - 120000;
	m->command = xcalloc(3, sizeof(char *));
	m->command[0] = xstrdup("make");
	m->command[1] = xstrdup("all");
}

static char *
table(const struct listing *l, const struct manifest *items, size_t n)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	listing_put(l, items, n, &b);
	assert_false(b.full);
	return buf_take(&b);
}

static void
each_session_has_a_line(void **state)
{
	const struct listing l = { .width = 80, .now_ms = NOW };
	struct manifest m[2];
	auto_free char *text = NULL;

	(void)state;
	make(&m[0], "01B", "claude", "> fix the tests");
	make(&m[1], "01A", "b", "");
	m[0].observers = 2;
	text = table(&l, m, 2);
	assert_string_equal(text,
	    "NAME    STATUS     AGE  SIZE   VIEWERS  LAST LINE\n"
	    "claude  running    2m   80x24  2        > fix the tests\n"
	    "b       running    2m   80x24  ?        [make all]\n");
	manifest_finish(&m[0]);
	manifest_finish(&m[1]);
}

/* A-02, C-02 */
static void
an_agent_adds_a_column_with_its_activity(void **state)
{
	struct listing l = { .width = 80, .now_ms = NOW };
	struct manifest m[3];
	auto_free char *text = NULL, *coloured = NULL, *ended = NULL;

	(void)state;
	make(&m[0], "01B", "claude", "> fix the tests");
	make(&m[1], "01A", "b", "");
	make(&m[2], "01C", "codex", "");
	strcpy(m[0].agent.name, "claude");
	m[0].agent.activity = ACTIVITY_WAITING_PERMISSION;
	strcpy(m[2].agent.name, "codex");
	text = table(&l, m, 3);
	assert_string_equal(text,
	    "NAME    STATUS     ACTIVITY    AGE  SIZE   VIEWERS  LAST LINE\n"
	    "claude  running    permission  2m   80x24  ?        "
	    "> fix the tests\n"
	    "b       running                2m   80x24  ?        [make all]\n"
	    "codex   running    unknown     2m   80x24  ?        [make all]\n");
	l.colours = true;
	coloured = table(&l, m, 1);
	assert_non_null(strstr(coloured, "\033[33mpermission\033[m"));
	l.colours = false;
	m[0].status = STATUS_EXITED;
	ended = table(&l, m, 1);
	assert_null(strstr(ended, "ACTIVITY"));
	for (size_t i = 0; i < 3; i++)
		manifest_finish(&m[i]);
}

/* The width of the widest line. */
static unsigned
widest(const char *text)
{
	struct utf8 u = { 0 };
	unsigned width = 0, most = 0;
	uint32_t cp;

	for (; *text != '\0'; text++) {
		assert_true(*text == '\n' || (unsigned char)*text >= ' ');
		if (utf8_step(&u, (uint8_t)*text, &cp) != UTF8_DONE)
			continue;
		width = *text == '\n' ? 0 : width + uni_width(cp);
		most = width > most ? width : most;
	}
	return most;
}

static void
no_line_is_too_wide_and_nothing_acts_on_the_terminal(void **state)
{
	static const char *const lines[] = {
		"\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c"
		"\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c"
		"\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c"
		"\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c\xe7\x95\x8c",
		"\033]0;title\007 and \x9b"
		"31m then some more to fill the line",
		"plain and long enough to be cut at any width that there is here, "
		"which is up to two hundred columns of it, or nearly so, and more",
	};
	struct manifest m;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		make(&m, "01KA0000000000000000000000",
		    "a/name/that/is/longer/than/any/column", lines[i]);
		for (unsigned width = 1; width < 180; width++)
			for (int ids = 0; ids < 2; ids++) {
				const struct listing l = { .width = width,
					.ids = ids == 1,
					.now_ms = NOW };
				auto_free char *text = table(&l, &m, 1);

				if (widest(text) > width)
					fail_msg("%u columns:\n%s", width,
					    text);
				assert_non_null(strstr(text, "…"));
			}
		manifest_finish(&m);
	}
}

static void
a_wide_terminal_shows_the_log_and_the_command(void **state)
{
	const struct listing l = { .width = 120, .now_ms = NOW };
	struct manifest m;
	auto_free char *text = NULL;

	(void)state;
	make(&m, "01A", "build", "done");
	m.log_bytes = 4 << 20;
	m.observers = 0;
	text = table(&l, &m, 1);
	assert_string_equal(text,
	    "NAME   STATUS     AGE  SIZE   VIEWERS  LOG      COMMAND   "
	    "LAST LINE\n"
	    "build  running    2m   80x24  0        4.0 MiB  make all  "
	    "done\n");
	manifest_finish(&m);
}

static void
a_narrow_terminal_loses_the_least_important_columns(void **state)
{
	struct listing l = { .width = 40, .now_ms = NOW };
	struct manifest m;
	auto_free char *text = NULL, *ids = NULL, *cut = NULL, *tiny = NULL;

	(void)state;
	make(&m, "01KA0000000000000000000000", "claude",
	    "\xe7\x95\x8c and more than fits here");
	text = table(&l, &m, 1);
	assert_string_equal(text,
	    "NAME    STATUS     AGE  LAST LINE\n"
	    "claude  running    2m   \xe7\x95\x8c and more tha…\n");
	l.ids = true;
	ids = table(&l, &m, 1);
	assert_string_equal(ids, text);
	snprintf(m.name, sizeof(m.name), "build/with/a/long/name");
	cut = table(&l, &m, 1);
	assert_string_equal(cut,
	    "NAME        STATUS     LAST LINE\n"
	    "build/wit…  running    \xe7\x95\x8c and more than…\n");
	snprintf(m.name, sizeof(m.name), "claude");
	l.width = 5;
	tiny = table(&l, &m, 1);
	assert_string_equal(tiny, "NAME\nclau…\n");
	manifest_finish(&m);
}

static void
the_status_has_a_colour_on_request(void **state)
{
	struct listing l = { .width = 80, .now_ms = NOW, .colours = true };
	struct manifest m;
	auto_free char *with = NULL, *failed = NULL;

	(void)state;
	make(&m, "01A", "a", "x");
	with = table(&l, &m, 1);
	assert_non_null(strstr(with, "\033[32mrunning\033[m"));
	m.status = STATUS_EXITED;
	m.outcome = OUTCOME_FAILED;
	m.has_exit = true;
	m.exit_code = 3;
	failed = table(&l, &m, 1);
	assert_non_null(strstr(failed, "\033[31mexited 3\033[m"));
	manifest_finish(&m);
}

static void
degraded_and_unkept_are_shown_as_the_status(void **state)
{
	const struct listing l = { .width = 80, .now_ms = NOW };
	struct manifest m;
	auto_free char *unkept = NULL, *degraded = NULL;

	(void)state;
	make(&m, "01A", "a", "x");
	m.degraded = xstrdup("why");
	degraded = table(&l, &m, 1);
	assert_non_null(strstr(degraded, "a     degraded "));
	m.unkept = true;
	unkept = table(&l, &m, 1);
	assert_non_null(strstr(unkept, "a     unkept "));
	manifest_finish(&m);
}

static void
running_sessions_come_first_then_the_last_ended(void **state)
{
	struct manifest m[4];
	const char *const want[] = { "04", "01", "02", "03" };

	(void)state;
	make(&m[0], "01", "a", "");
	make(&m[1], "02", "b", "");
	make(&m[2], "03", "c", "");
	make(&m[3], "04", "d", "");
	m[1].status = m[2].status = STATUS_EXITED;
	m[1].ended_ms = NOW - 1;
	m[2].ended_ms = NOW - 2;
	sessions_sort(m, 4);
	for (int i = 0; i < 4; i++) {
		assert_string_equal(m[i].id, want[i]);
		manifest_finish(&m[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_session_has_a_line),
		cmocka_unit_test(an_agent_adds_a_column_with_its_activity),
		cmocka_unit_test(
		    no_line_is_too_wide_and_nothing_acts_on_the_terminal),
		cmocka_unit_test(a_wide_terminal_shows_the_log_and_the_command),
		cmocka_unit_test(
		    a_narrow_terminal_loses_the_least_important_columns),
		cmocka_unit_test(the_status_has_a_colour_on_request),
		cmocka_unit_test(degraded_and_unkept_are_shown_as_the_status),
		cmocka_unit_test(
		    running_sessions_come_first_then_the_last_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
