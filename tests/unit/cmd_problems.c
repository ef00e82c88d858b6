#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cmd/look/problems.h"
#include "session/manifest.h"

static struct manifest
running(void)
{
	struct manifest m;

	manifest_init(&m);
	snprintf(m.id, sizeof(m.id), "01arz3ndektsv4rrffq69g5fav");
	snprintf(m.name, sizeof(m.name), "prog");
	m.status = STATUS_RUNNING;
	return m;
}

/* Finishes the manifest; the caller frees. */
static char *
problems_of(struct manifest *m, const char *unlogged)
{
	struct buf out;

	buf_init(&out, 1 << 16);
	problems_put(m, unlogged, &out);
	manifest_finish(m);
	return buf_take(&out);
}

static void
begins_with(const char *text, const char *want)
{
	if (strncmp(text, want, strlen(want)) != 0)
		fail_msg("'%s' does not begin with '%s'", text, want);
}

static void
has(const char *text, const char *want)
{
	if (strstr(text, want) == NULL)
		fail_msg("'%s' is not in '%s'", want, text);
}

static void
a_healthy_session_has_no_text(void **state)
{
	struct manifest m = running();
	auto_free char *text = problems_of(&m, NULL);

	(void)state;
	assert_string_equal(text, "");
}

static void
each_line_begins_in_the_column_of_the_text(void **state)
{
	struct manifest m = running();
	auto_free char *text = problems_of(&m, "the disk is full");
	unsigned lines = 0;

	(void)state;
	begins_with(text, "unlogged     the disk is full\n             The ");
	for (const char *p = text; *p != '\0'; p = strchr(p, '\n') + 1) {
		assert_true(lines++ == 0 || strspn(p, " ") == 13);
		assert_true(strcspn(p, "\n") <= 100);
	}
	assert_int_equal(lines, 5);
}

static void
a_degraded_session_gets_the_command_that_helps(void **state)
{
	struct manifest m = running();
	auto_free char *skipped = NULL, *raw = NULL;

	(void)state;
	m.degraded = xstrdup("12 bytes were skipped");
	skipped = problems_of(&m, NULL);
	begins_with(skipped, "degraded     12 bytes were skipped\n");
	has(skipped, "'tend revive prog' clears this\n");
	m = running();
	m.degraded = xstrdup("the engine is off");
	m.raw = true;
	raw = problems_of(&m, NULL);
	has(raw,
	    "'tend revive prog' restarts the engine; 'tend upgrade prog' "
	    "does");
}

static void
an_ended_session_gets_no_advice_for_a_running_one(void **state)
{
	struct manifest m = running();
	auto_free char *text = NULL;

	(void)state;
	m.status = STATUS_EXITED;
	m.degraded = xstrdup("12 bytes were skipped");
	m.unkept = true;
	text = problems_of(&m, NULL);
	assert_string_equal(text, "degraded     12 bytes were skipped\n");
}

static void
a_lost_session_is_described_by_its_name_or_id(void **state)
{
	struct manifest m = running();
	auto_free char *named = NULL, *unnamed = NULL;

	(void)state;
	m.status = STATUS_EXITED;
	m.outcome = OUTCOME_LOST;
	named = problems_of(&m, NULL);
	begins_with(named, "lost         the machine went down");
	has(named, "'tend rerun prog' starts it again.\n");
	m = running();
	m.status = STATUS_EXITED;
	m.outcome = OUTCOME_LOST;
	m.name[0] = '\0';
	unnamed = problems_of(&m, NULL);
	has(unnamed, "'tend rerun 01arz3ndektsv4rrffq69g5fav' starts");
}

static void
all_problems_are_told_in_order(void **state)
{
	struct manifest m = running();
	auto_free char *text = NULL;
	const char *degraded, *unkept;

	(void)state;
	m.degraded = xstrdup("12 bytes were skipped");
	m.unkept = true;
	text = problems_of(&m, "the disk is full");
	begins_with(text, "unlogged     ");
	degraded = strstr(text, "\ndegraded     ");
	unkept = strstr(text, "\nunkept       its keeper");
	assert_true(degraded != NULL && unkept != NULL && degraded < unkept);
}

static void
control_characters_are_escaped(void **state)
{
	struct manifest m = running();
	auto_free char *text = NULL;

	(void)state;
	snprintf(m.name, sizeof(m.name), "a\033[2Jb%%s");
	m.degraded = xstrdup("bad \033]0;x\007 bytes");
	text = problems_of(&m, "no\nspace");
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\007'));
	assert_null(strstr(text, "no\nspace"));
	has(text, "b%s' clears this");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_session_has_no_text),
		cmocka_unit_test(each_line_begins_in_the_column_of_the_text),
		cmocka_unit_test(
		    a_degraded_session_gets_the_command_that_helps),
		cmocka_unit_test(
		    an_ended_session_gets_no_advice_for_a_running_one),
		cmocka_unit_test(a_lost_session_is_described_by_its_name_or_id),
		cmocka_unit_test(all_problems_are_told_in_order),
		cmocka_unit_test(control_characters_are_escaped),
	};

	return cmocka_run_group_tests_name("cmd_problems", tests, NULL, NULL);
}
