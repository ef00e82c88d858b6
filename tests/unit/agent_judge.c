#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "agent/judge.h"
#include "vt/program_status.h"

/* Short names, so that a case is a line. */
enum {
	UNKNOWN = ACTIVITY_UNKNOWN,
	IDLE = ACTIVITY_IDLE,
	WORKING = ACTIVITY_WORKING,
	DONE = ACTIVITY_DONE,
	PERMISSION = ACTIVITY_WAITING_PERMISSION,
	QUESTION = ACTIVITY_WAITING_QUESTION,
	SETUP = ACTIVITY_NEEDS_SETUP,
	FAILED = ACTIVITY_ERROR
};
enum {
	NONE = AGENT_SOURCE_NONE,
	STATUS = AGENT_SOURCE_STATUS,
	CHANNEL = AGENT_SOURCE_CHANNEL,
	HOOK = AGENT_SOURCE_HOOK,
	TITLE = AGENT_SOURCE_TITLE,
	SCREEN = AGENT_SOURCE_SCREEN
};
enum { UNSURE = AGENT_UNSURE, LIKELY = AGENT_LIKELY, CERTAIN = AGENT_CERTAIN };

/* The word of each source, and the verdict. */
struct judged {
	const char *name;
	struct agent_said status, channel, hook, title, screen;
	bool question_open, unseen;
	int activity, source, confidence;
	const char *reason; /* NULL: any */
};

#define SAYS(a, ms) \
	{ \
		.activity = (enum activity)(a), .since_ms = (ms) \
	}
#define PROVES(a, ms) \
	{ \
		.activity = (enum activity)(a), .since_ms = (ms), \
		.proof = true \
	}
#define BLOCKED(ms) \
	{ \
		.activity = ACTIVITY_WAITING_QUESTION, .since_ms = (ms), \
		.unclear = true, .what = "state=blocked" \
	}

static void
check(const struct judged *c)
{
	struct agent_evidence e = {
		.by = { { 0 }, c->status, c->channel, c->hook, c->title,
		    c->screen },
		.question_open = c->question_open,
		.unseen = c->unseen,
		.why = "nobody knows",
	};
	struct agent_verdict v;

	agent_judge(&e, &v);
	if ((int)v.activity != c->activity)
		fail_msg("%s: it is %s: %s", c->name, activity_name(v.activity),
		    v.reason);
	if ((int)v.source != c->source)
		fail_msg("%s: by the %s: %s", c->name,
		    agent_source_name(v.source), v.reason);
	if ((int)v.confidence != c->confidence)
		fail_msg("%s: %s: %s", c->name,
		    agent_confidence_name(v.confidence), v.reason);
	if (c->reason != NULL && strcmp(v.reason, c->reason) != 0)
		fail_msg("%s: the reason is: %s", c->name, v.reason);
	assert_true(v.reason[0] != '\0');
}

#define CHECK(cases) \
	for (size_t i = 0; i < sizeof(cases) / sizeof(*(cases)); i++) \
	check(&cases[i])

static void
the_best_source_that_speaks_decides(void **state)
{
	static const struct judged cases[] = {
		{ "nobody", .activity = UNKNOWN, .source = NONE,
		    .reason = "nobody knows" },
		{ "the status", .status = SAYS(WORKING, 1),
		    .channel = SAYS(IDLE, 2), .activity = WORKING,
		    .source = STATUS, .confidence = CERTAIN,
		    .reason = "the status says working" },
		{ "the channel", .channel = SAYS(DONE, 1),
		    .hook = SAYS(WORKING, 2), .title = SAYS(WORKING, 2),
		    .activity = DONE, .source = CHANNEL,
		    .confidence = CERTAIN },
		{ "the hook", .hook = SAYS(WORKING, 1), .activity = WORKING,
		    .source = HOOK, .confidence = LIKELY },
		{ "the hook, and the title agrees", .hook = SAYS(WORKING, 1),
		    .title = SAYS(WORKING, 0), .activity = WORKING,
		    .source = HOOK, .confidence = CERTAIN },
		{ "the title", .title = SAYS(IDLE, 1), .activity = IDLE,
		    .source = TITLE, .confidence = LIKELY },
		{ "the title, and the screen agrees", .title = SAYS(DONE, 1),
		    .screen = SAYS(IDLE, 1), .activity = DONE, .source = TITLE,
		    .confidence = CERTAIN },
		{ "the screen", .screen = SAYS(PERMISSION, 1),
		    .activity = PERMISSION, .source = SCREEN,
		    .confidence = LIKELY,
		    .reason = "the screen says waiting_permission" },
		{ "the screen is idle", .screen = SAYS(IDLE, 1),
		    .activity = IDLE, .source = SCREEN, .confidence = LIKELY },
	};

	(void)state;
	CHECK(cases);
}

static void
idle_is_not_believed_while_a_dialog_is_open(void **state)
{
	static const struct judged cases[] = {
		{ "idle while /login is open", .status = SAYS(IDLE, 5),
		    .screen = { .activity = ACTIVITY_NEEDS_SETUP,
			.what = "login" },
		    .activity = SETUP, .source = SCREEN, .confidence = LIKELY,
		    .reason =
			"the screen shows login, although the status says "
			"idle" },
		{ "idle while a trust dialog is open", .channel = SAYS(IDLE, 5),
		    .screen = SAYS(SETUP, 1), .question_open = true,
		    .activity = SETUP, .source = SCREEN, .confidence = LIKELY },
		{ "done, and an unknown dialog", .status = SAYS(DONE, 5),
		    .question_open = true, .activity = QUESTION,
		    .source = SCREEN, .confidence = UNSURE,
		    .reason =
			"the screen shows a question, although the status "
			"says done" },
		{ "an unknown dialog of an unseen version",
		    .status = SAYS(IDLE, 5), .question_open = true,
		    .unseen = true, .activity = QUESTION, .source = SCREEN,
		    .confidence = UNSURE },
		{ "error, and a dialog", .status = SAYS(FAILED, 5),
		    .screen = SAYS(QUESTION, 1), .activity = QUESTION,
		    .source = SCREEN, .confidence = LIKELY },
		{ "a hook", .hook = SAYS(DONE, 5),
		    .screen = SAYS(PERMISSION, 1), .activity = PERMISSION,
		    .source = SCREEN, .confidence = LIKELY },
		{ "a title that is ready during a trust dialog",
		    .title = SAYS(IDLE, 5), .screen = SAYS(SETUP, 1),
		    .activity = SETUP, .source = SCREEN, .confidence = LIKELY },
		{ "a screen of two minds", .screen = SAYS(IDLE, 5),
		    .question_open = true, .activity = QUESTION,
		    .source = SCREEN, .confidence = UNSURE },
		{ "no source, and an unknown dialog", .question_open = true,
		    .activity = QUESTION, .source = SCREEN,
		    .confidence = UNSURE,
		    .reason = "the screen shows a question" },
		{ "no source, an unknown dialog, an unseen version",
		    .question_open = true, .unseen = true, .activity = UNKNOWN,
		    .source = NONE, .reason = "nobody knows" },
	};

	(void)state;
	CHECK(cases);
}

static void
working_ends_only_by_those_who_know(void **state)
{
	static const struct judged cases[] = {
		{ "status, and an empty box", .status = SAYS(WORKING, 1),
		    .screen = PROVES(IDLE, 9), .activity = WORKING,
		    .source = STATUS, .confidence = CERTAIN },
		{ "channel, and an empty box", .channel = SAYS(WORKING, 1),
		    .screen = PROVES(IDLE, 9), .activity = WORKING,
		    .source = CHANNEL, .confidence = CERTAIN },
		{ "title, and an empty box", .title = SAYS(WORKING, 1),
		    .screen = PROVES(IDLE, 9), .activity = WORKING,
		    .source = TITLE, .confidence = LIKELY },
		{ "hook, and an empty box", .hook = SAYS(WORKING, 1),
		    .screen = SAYS(IDLE, 9), .activity = WORKING,
		    .source = HOOK, .confidence = LIKELY },
		{ "hook, and the title is idle", .hook = SAYS(WORKING, 1),
		    .title = SAYS(IDLE, 9), .activity = WORKING, .source = HOOK,
		    .confidence = LIKELY },
		{ "hook, then proof on the screen", .hook = SAYS(WORKING, 1),
		    .screen = PROVES(IDLE, 9), .activity = IDLE,
		    .source = SCREEN, .confidence = LIKELY,
		    .reason = "the screen says idle, after the hook said "
			      "working" },
		{ "hook, after proof on the screen", .hook = SAYS(WORKING, 9),
		    .screen = PROVES(IDLE, 1), .activity = WORKING,
		    .source = HOOK, .confidence = LIKELY },
		{ "hook, with proof at the same moment",
		    .hook = SAYS(WORKING, 9), .screen = PROVES(IDLE, 9),
		    .activity = WORKING, .source = HOOK, .confidence = LIKELY },
		{ "a guess at a question", .status = SAYS(WORKING, 1),
		    .question_open = true, .activity = WORKING,
		    .source = STATUS, .confidence = CERTAIN },
		{ "a dialog that is known", .status = SAYS(WORKING, 9),
		    .screen = SAYS(PERMISSION, 1), .activity = PERMISSION,
		    .source = SCREEN, .confidence = LIKELY },
	};

	(void)state;
	CHECK(cases);
}

static void
a_hook_is_an_edge(void **state)
{
	static const struct judged cases[] = {
		{ "done, then a title that works", .hook = SAYS(DONE, 1),
		    .title = SAYS(WORKING, 9), .activity = WORKING,
		    .source = TITLE, .confidence = LIKELY },
		{ "done, then a screen that works", .hook = SAYS(DONE, 1),
		    .screen = SAYS(WORKING, 9), .activity = WORKING,
		    .source = SCREEN, .confidence = LIKELY },
		{ "done, and a screen that still works", .hook = SAYS(DONE, 9),
		    .title = SAYS(WORKING, 1), .screen = SAYS(WORKING, 1),
		    .activity = WORKING, .source = SCREEN,
		    .confidence = LIKELY },
		{ "a request, and a screen that still works",
		    .hook = SAYS(PERMISSION, 9), .screen = SAYS(WORKING, 1),
		    .activity = PERMISSION, .source = HOOK,
		    .confidence = LIKELY },
		{ "done, and a title that was left", .hook = SAYS(DONE, 9),
		    .title = SAYS(WORKING, 1), .activity = DONE, .source = HOOK,
		    .confidence = LIKELY },
		{ "a request, and a person said yes",
		    .hook = SAYS(PERMISSION, 1), .title = SAYS(WORKING, 9),
		    .activity = WORKING, .source = TITLE,
		    .confidence = LIKELY },
		{ "a request, and a person said no",
		    .hook = SAYS(PERMISSION, 1), .screen = PROVES(IDLE, 9),
		    .activity = IDLE, .source = SCREEN, .confidence = LIKELY },
		{ "a request, and nothing since", .hook = SAYS(PERMISSION, 9),
		    .screen = PROVES(IDLE, 1), .activity = PERMISSION,
		    .source = HOOK, .confidence = LIKELY },
		{ "a request, and its dialog", .hook = SAYS(PERMISSION, 1),
		    .screen = SAYS(PERMISSION, 9), .activity = PERMISSION,
		    .source = HOOK, .confidence = CERTAIN },
	};

	(void)state;
	CHECK(cases);
}

static void
a_title_at_rest_is_not_believed_of_a_busy_screen(void **state)
{
	static const struct judged cases[] = {
		{ "before", .title = SAYS(IDLE, 9), .screen = SAYS(WORKING, 1),
		    .activity = WORKING, .source = SCREEN,
		    .confidence = LIKELY },
		{ "since", .title = SAYS(IDLE, 1), .screen = SAYS(WORKING, 9),
		    .activity = WORKING, .source = SCREEN,
		    .confidence = LIKELY },
	};

	(void)state;
	CHECK(cases);
}

static void
a_title_at_rest_is_not_believed_of_an_error(void **state)
{
	static const struct judged cases[] = {
		{ "before", .title = SAYS(IDLE, 9), .screen = SAYS(FAILED, 1),
		    .activity = FAILED, .source = SCREEN,
		    .confidence = LIKELY },
		{ "since", .title = SAYS(IDLE, 1), .screen = SAYS(FAILED, 9),
		    .activity = FAILED, .source = SCREEN,
		    .confidence = LIKELY },
		{ "an earlier error", .title = SAYS(WORKING, 9),
		    .screen = SAYS(FAILED, 1), .activity = WORKING,
		    .source = TITLE, .confidence = LIKELY },
	};

	(void)state;
	CHECK(cases);
}

static void
blocked_alone_is_read_off_the_screen(void **state)
{
	static const struct judged cases[] = {
		{ "a dialog", .status = BLOCKED(1),
		    .screen = SAYS(PERMISSION, 1), .activity = PERMISSION,
		    .source = SCREEN, .confidence = LIKELY },
		{ "a login", .status = BLOCKED(1), .screen = SAYS(SETUP, 1),
		    .question_open = true, .activity = SETUP, .source = SCREEN,
		    .confidence = LIKELY },
		{ "nothing", .status = BLOCKED(1), .activity = QUESTION,
		    .source = STATUS, .confidence = UNSURE,
		    .reason = "the status says state=blocked, and the screen "
			      "does not show for what" },
		{ "an unknown dialog", .status = BLOCKED(1),
		    .question_open = true, .activity = QUESTION,
		    .source = STATUS, .confidence = UNSURE },
		{ "a notice at work", .status = BLOCKED(1),
		    .screen = SAYS(WORKING, 1), .activity = WORKING,
		    .source = SCREEN, .confidence = LIKELY },
		{ "a box that was there before", .status = BLOCKED(9),
		    .screen = PROVES(IDLE, 1), .activity = QUESTION,
		    .source = STATUS, .confidence = UNSURE },
		{ "a turn that has ended since", .status = BLOCKED(1),
		    .screen = SAYS(IDLE, 9), .activity = IDLE, .source = SCREEN,
		    .confidence = LIKELY },
		{ "the same, but it asks", .status = BLOCKED(1),
		    .screen = SAYS(IDLE, 9), .question_open = true,
		    .activity = QUESTION, .source = STATUS,
		    .confidence = UNSURE },
	};

	(void)state;
	CHECK(cases);
}

static void
what_blocks_is_known_before_its_dialog_is_drawn(void **state)
{
	static const struct judged cases[] = {
		{ "an empty box", .status = SAYS(PERMISSION, 9),
		    .screen = SAYS(IDLE, 1), .activity = PERMISSION,
		    .source = STATUS, .confidence = CERTAIN },
		{ "a busy screen", .status = SAYS(QUESTION, 9),
		    .title = SAYS(WORKING, 1), .screen = SAYS(WORKING, 1),
		    .activity = QUESTION, .source = STATUS,
		    .confidence = CERTAIN },
		{ "another dialog", .status = SAYS(SETUP, 9),
		    .screen = SAYS(QUESTION, 1), .activity = SETUP,
		    .source = STATUS, .confidence = CERTAIN },
	};

	(void)state;
	CHECK(cases);
}

/* No evidence gives idle or done while a dialog is known or guessed. */
static void
no_evidence_gives_idle_beside_a_dialog(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (int n = 0; n < 8 * 8 * 8 * 8 * 8; n++) {
		struct agent_evidence e = { .question_open = n % 3 == 0 };
		struct agent_verdict v;

		for (int s = STATUS, rest = n; s <= SCREEN; s++, rest /= 8) {
			e.by[s].activity = (enum activity)(rest % 8);
			e.by[s].proof = s == SCREEN;
			e.by[s].since_ms = (n * 7 + s * 5) % 11;
		}
		if (!e.question_open &&
		    e.by[SCREEN].activity != ACTIVITY_WAITING_PERMISSION &&
		    e.by[SCREEN].activity != ACTIVITY_WAITING_QUESTION &&
		    e.by[SCREEN].activity != ACTIVITY_NEEDS_SETUP)
			continue;
		agent_judge(&e, &v);
		assert_int_not_equal(v.activity, ACTIVITY_IDLE);
		assert_int_not_equal(v.activity, ACTIVITY_DONE);
		seen++;
	}
	assert_true(seen > 10000);
}

static void
a_title_that_waits_is_read_off_the_screen(void **state)
{
	static const struct judged cases[] = {
		{ "another kind", .title = SAYS(PERMISSION, 9),
		    .screen = SAYS(QUESTION, 1), .activity = QUESTION,
		    .source = SCREEN, .confidence = LIKELY },
		{ "the same kind", .title = SAYS(PERMISSION, 9),
		    .screen = SAYS(PERMISSION, 1), .activity = PERMISSION,
		    .source = TITLE, .confidence = CERTAIN },
		{ "nothing drawn", .title = SAYS(PERMISSION, 9),
		    .screen = SAYS(WORKING, 1), .activity = PERMISSION,
		    .source = TITLE, .confidence = LIKELY },
	};

	(void)state;
	CHECK(cases);
}

static void
the_status_of_a_program_has_a_meaning(void **state)
{
	static const struct {
		enum program_state state;
		enum program_kind kind;
		enum activity activity;
		bool unclear;
		const char *what;
	} meanings[] = {
		{ PROGRAM_SILENT, PROGRAM_NO_KIND, ACTIVITY_UNKNOWN, false,
		    NULL },
		{ PROGRAM_IDLE, PROGRAM_NO_KIND, ACTIVITY_IDLE, false,
		    "state=idle" },
		{ PROGRAM_WORKING, PROGRAM_NO_KIND, ACTIVITY_WORKING, false,
		    "state=working" },
		{ PROGRAM_DONE, PROGRAM_NO_KIND, ACTIVITY_DONE, false,
		    "state=done" },
		{ PROGRAM_ERROR, PROGRAM_NO_KIND, ACTIVITY_ERROR, false,
		    "state=error" },
		{ PROGRAM_BLOCKED, PROGRAM_NO_KIND, ACTIVITY_WAITING_QUESTION,
		    true, "state=blocked" },
		{ PROGRAM_BLOCKED, PROGRAM_PERMISSION,
		    ACTIVITY_WAITING_PERMISSION, false,
		    "state=blocked kind=permission" },
		{ PROGRAM_BLOCKED, PROGRAM_QUESTION, ACTIVITY_WAITING_QUESTION,
		    false, "state=blocked kind=question" },
		{ PROGRAM_BLOCKED, PROGRAM_AUTH, ACTIVITY_NEEDS_SETUP, false,
		    "state=blocked kind=auth" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
		struct program_status s = { .state = meanings[i].state,
			.kind = meanings[i].kind };
		struct agent_said said = agent_hear_status(&s, 42);

		assert_int_equal(said.activity, meanings[i].activity);
		assert_int_equal(said.unclear, meanings[i].unclear);
		assert_int_equal(said.since_ms, 42);
		if (meanings[i].what == NULL)
			assert_null(said.what);
		else
			assert_string_equal(said.what, meanings[i].what);
	}
}

static void
sources_and_confidences_have_names(void **state)
{
	(void)state;
	for (int s = 0; s < AGENT_SOURCES; s++)
		assert_non_null(agent_source_name((enum agent_source)s));
	for (int c = 0; c < AGENT_CONFIDENCES; c++)
		assert_non_null(
		    agent_confidence_name((enum agent_confidence)c));
	assert_string_equal(agent_source_name(AGENT_SOURCE_HOOK), "hook");
	assert_string_equal(agent_confidence_name(AGENT_UNSURE), "unsure");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_source_that_speaks_decides),
		cmocka_unit_test(idle_is_not_believed_while_a_dialog_is_open),
		cmocka_unit_test(working_ends_only_by_those_who_know),
		cmocka_unit_test(a_hook_is_an_edge),
		cmocka_unit_test(
		    a_title_at_rest_is_not_believed_of_a_busy_screen),
		cmocka_unit_test(a_title_at_rest_is_not_believed_of_an_error),
		cmocka_unit_test(blocked_alone_is_read_off_the_screen),
		cmocka_unit_test(
		    what_blocks_is_known_before_its_dialog_is_drawn),
		cmocka_unit_test(a_title_that_waits_is_read_off_the_screen),
		cmocka_unit_test(no_evidence_gives_idle_beside_a_dialog),
		cmocka_unit_test(the_status_of_a_program_has_a_meaning),
		cmocka_unit_test(sources_and_confidences_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
