#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent/look.h"
#include "agent/page.h"
#include "agent/profiles.h"
#include "base/clock.h"
#include "base/error.h"

#include "vt_make.h"

#define RULE "────────────────────────────────────────\n"

/* A profile, and a terminal that shows a text; '\n' begins a new row. */
struct scene {
	struct agent_profiles *all;
	const struct agent_profile *profile;
	struct vt *vt;
	struct agent_look look;
};

static void
begin(struct scene *s, const char *name, const char *text)
{
	struct error err = { 0 };

	s->all = agent_profiles_create();
	if (text != NULL &&
	    agent_profiles_add(s->all, name, text, strlen(text), &err) < 0)
		fail_msg("%s", err.msg);
	s->profile = agent_profiles_find(s->all, name);
	assert_non_null(s->profile);
	s->vt = make_vt_without_history(100, 30);
}

static void
finish(struct scene *s)
{
	vt_destroy(s->vt);
	agent_profiles_destroy(s->all);
}

static void
print(struct scene *s, const char *screen)
{
	vt_feed(s->vt, "\033c", 2);
	for (const char *p = screen; *p != '\0'; p++) {
		if (*p == '\n')
			vt_feed(s->vt, "\r", 1);
		vt_feed(s->vt, p, 1);
	}
}

static const struct agent_look *
look(struct scene *s, const char *version, const char *screen)
{
	print(s, screen);
	agent_look(s->profile, version, s->vt, &s->look);
	return &s->look;
}

/* --------------------------------------------------------------- the rules */

static const char rules[] = "[agent]\n"
			    "seen = 1.0-1.9\n"
			    "[box]\n"
			    "begin = \"^> ?\"\n"
			    "end = \\n===\n"
			    "[title at_work]\n"
			    "activity = working\n"
			    "match = ^busy\n"
			    "unless = not\n"
			    "[title idle]\n"
			    "seen = 2.0\n"
			    "match = ^ready\n"
			    "[screen trust]\n"
			    "activity = needs_setup\n"
			    "seen = any\n"
			    "match = ^Trust\n"
			    "[screen both]\n"
			    "activity = waiting_permission\n"
			    "match = ^May I\n"
			    "match = ^1\\. Yes$\n"
			    "unless = ^never$\n"
			    "[screen near]\n"
			    "activity = working\n"
			    "rows = 2\n"
			    "match = ^near$\n"
			    "[screen boxless]\n"
			    "activity = error\n"
			    "box = none\n"
			    "match = ^Error\n"
			    "[screen drafted]\n"
			    "activity = done\n"
			    "proof = yes\n"
			    "box = draft\n"
			    "[screen empty]\n"
			    "activity = idle\n"
			    "box = empty\n"
			    "[screen shown]\n"
			    "activity = error\n"
			    "box = shown\n";

static void
the_first_rule_that_holds_counts(void **state)
{
	static const struct {
		const char *screen, *rule;
		enum activity activity;
		unsigned row;
	} screens[] = {
		{ "", NULL, ACTIVITY_UNKNOWN, 0 },
		{ "nothing", NULL, ACTIVITY_UNKNOWN, 0 },
		{ "\n\nMay I run?\n\n1. Yes\n", "both",
		    ACTIVITY_WAITING_PERMISSION, 2 },
		{ "May I run?", NULL, ACTIVITY_UNKNOWN, 0 },
		{ "1. Yes", NULL, ACTIVITY_UNKNOWN, 0 },
		{ "May I run?\n1. Yes\nnever", NULL, ACTIVITY_UNKNOWN, 0 },
		{ "May I run?\n1. Yes\nTrust", "trust", ACTIVITY_NEEDS_SETUP,
		    2 },
		{ "x\nnear\ny", "near", ACTIVITY_WORKING, 1 },
		{ "near\nx\ny\n\n\n", NULL, ACTIVITY_UNKNOWN, 0 },
		{ "Error", "boxless", ACTIVITY_ERROR, 0 },
		{ "Error\n> \n===", "empty", ACTIVITY_IDLE, 0 },
		{ "> x\n===", "drafted", ACTIVITY_DONE, 0 },
		{ "> x\n==", NULL, ACTIVITY_UNKNOWN, 0 },
	};
	struct scene s;

	(void)state;
	begin(&s, "own", rules);
	for (size_t i = 0; i < sizeof(screens) / sizeof(*screens); i++) {
		look(&s, "1.5", screens[i].screen);
		if (s.look.activity != screens[i].activity)
			fail_msg("%s: it is %s", screens[i].screen,
			    activity_name(s.look.activity));
		if (screens[i].rule == NULL)
			assert_null(s.look.rule);
		else
			assert_string_equal(s.look.rule, screens[i].rule);
		if (screens[i].activity != ACTIVITY_IDLE &&
		    screens[i].activity != ACTIVITY_DONE)
			assert_int_equal(s.look.row, screens[i].row);
		assert_int_equal(s.look.proof,
		    screens[i].activity == ACTIVITY_DONE);
	}
	finish(&s);
}

static void
an_unseen_version_is_unknown_with_the_reason(void **state)
{
	static const char screen[] = "May I?\n1. Yes\n> x\n===";
	struct scene s;

	(void)state;
	begin(&s, "own", rules);
	look(&s, "1.0", screen);
	assert_int_equal(s.look.activity, ACTIVITY_WAITING_PERMISSION);
	assert_int_equal(s.look.box, AGENT_BOX_DRAFT);
	assert_string_equal(s.look.why, "");
	assert_false(s.look.unseen);

	look(&s, "2.2.0", screen);
	assert_int_equal(s.look.activity, ACTIVITY_UNKNOWN);
	assert_int_equal(s.look.box, AGENT_BOX_NONE);
	assert_null(s.look.rule);
	assert_true(s.look.unseen);
	assert_string_equal(s.look.why,
	    "own 2.2.0 has not been seen; tend knows 1.0 to 1.9");

	look(&s, "", screen);
	assert_true(s.look.unseen);
	assert_string_equal(s.look.why,
	    "the version of own is not known; tend knows 1.0 to 1.9");
	look(&s, NULL, screen);
	assert_string_equal(s.look.why,
	    "the version of own is not known; tend knows 1.0 to 1.9");

	look(&s, "1.5", "nothing");
	assert_false(s.look.unseen);
	assert_string_equal(s.look.why, "no rule of own fits the screen");
	finish(&s);
}

static void
a_rule_for_any_version_needs_none(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, "own", rules);
	assert_int_equal(look(&s, NULL, "Trust")->activity,
	    ACTIVITY_NEEDS_SETUP);
	assert_false(s.look.unseen);
	assert_int_equal(look(&s, "7", "Trust")->activity,
	    ACTIVITY_NEEDS_SETUP);
	finish(&s);
}

static void
a_profile_without_versions_counts_for_all(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, "own", "[screen idle]\nmatch = ^a$");
	assert_int_equal(look(&s, NULL, "a")->activity, ACTIVITY_IDLE);
	assert_int_equal(look(&s, "7", "a")->activity, ACTIVITY_IDLE);
	assert_string_equal(look(&s, NULL, "b")->why,
	    "no rule of own fits the screen");
	finish(&s);
}

static void
a_title_is_read_by_its_own_rules(void **state)
{
	const char *rule = "";
	struct scene s;

	(void)state;
	begin(&s, "own", rules);
	assert_int_equal(agent_read_title(s.profile, "1.5", "busy: x", &rule),
	    ACTIVITY_WORKING);
	assert_string_equal(rule, "at_work");
	assert_int_equal(agent_read_title(s.profile, "1.5", "busy, not", &rule),
	    ACTIVITY_UNKNOWN);
	assert_null(rule);
	assert_int_equal(agent_read_title(s.profile, "1.5", "ready", &rule),
	    ACTIVITY_UNKNOWN);
	assert_int_equal(agent_read_title(s.profile, "2.0", "ready", &rule),
	    ACTIVITY_IDLE);
	assert_int_equal(agent_read_title(s.profile, "2.0", "busy", &rule),
	    ACTIVITY_UNKNOWN);
	assert_int_equal(agent_read_title(s.profile, NULL, "ready", &rule),
	    ACTIVITY_UNKNOWN);
	assert_int_equal(agent_read_title(s.profile, "1.5", "", &rule),
	    ACTIVITY_UNKNOWN);
	/* A rule of a screen is none of a title. */
	assert_int_equal(agent_read_title(s.profile, "1.5", "Trust", &rule),
	    ACTIVITY_UNKNOWN);
	finish(&s);
}

static void
a_version_is_found_in_a_banner(void **state)
{
	char version[AGENT_VERSION_SIZE] = "unchanged";
	struct scene s;

	(void)state;
	begin(&s, "own",
	    "[agent]\nversion = ^Own v\\K[0-9.]+\nversion = ^v=\\K[^ ]*$");
	print(&s, "nothing");
	assert_false(agent_find_version(s.profile, s.vt, version));
	print(&s, "v=\nOwn v");
	assert_false(agent_find_version(s.profile, s.vt, version));
	assert_string_equal(version, "unchanged");
	print(&s, "x\nOwn v1.20.3 here\n");
	assert_true(agent_find_version(s.profile, s.vt, version));
	assert_string_equal(version, "1.20.3");
	print(&s, "v=2.0-b");
	assert_true(agent_find_version(s.profile, s.vt, version));
	assert_string_equal(version, "2.0-b");
	print(&s, "v=0123456789012345678901234567890");
	assert_true(agent_find_version(s.profile, s.vt, version));
	print(&s, "v=01234567890123456789012345678901");
	assert_false(agent_find_version(s.profile, s.vt, version));
	finish(&s);
}

static void
a_banner_that_has_scrolled_away_is_found(void **state)
{
	char version[AGENT_VERSION_SIZE];
	struct scene s;

	(void)state;
	begin(&s, "own", "[agent]\nversion = ^Own v\\K[0-9.]+");
	vt_destroy(s.vt);
	s.vt = make_vt(100, 30);
	vt_limit_history(s.vt, 2 * AGENT_HISTORY_LINES,
	    vt_history_bytes(2 * AGENT_HISTORY_LINES));
	print(&s, "Own v1.2");
	for (unsigned i = 0; i < AGENT_HISTORY_LINES; i++)
		vt_feed(s.vt, "\r\nline", 6);
	assert_false(agent_find_version(s.profile, s.vt, version));
	assert_true(
	    agent_find_past_version(s.profile, s.vt, UINT64_MAX, version));
	assert_string_equal(version, "1.2");
	assert_false(agent_find_past_version(s.profile, s.vt, 100, version));
	for (unsigned i = 0; i < vt_rows(s.vt); i++)
		vt_feed(s.vt, "\r\nline", 6);
	assert_false(
	    agent_find_past_version(s.profile, s.vt, UINT64_MAX, version));
	finish(&s);
}

/* ----------------------------------------------------------------- the box */

static void
a_box_is_empty_or_has_a_draft(void **state)
{
	static const struct {
		const char *name, *screen;
		enum agent_box box;
		bool folded;
		unsigned row;
	} boxes[] = {
		{ "none", "text\n" RULE, AGENT_BOX_NONE, false, 0 },
		{ "an option", RULE "\n❯ 1. Yes\n" RULE, AGENT_BOX_NONE, false,
		    0 },
		{ "without an end", RULE "❯ \n", AGENT_BOX_NONE, false, 0 },
		{ "empty", RULE "❯ \n" RULE, AGENT_BOX_EMPTY, false, 1 },
		{ "empty, no blank", RULE "❯\n" RULE, AGENT_BOX_EMPTY, false,
		    1 },
		{ "empty, a no-break space", RULE "❯\302\240\n" RULE,
		    AGENT_BOX_EMPTY, false, 1 },
		{ "empty, with a drawn cursor", RULE "❯ \033[7m \033[m\n" RULE,
		    AGENT_BOX_EMPTY, false, 1 },
		{ "a word", RULE "❯ hello\n" RULE, AGENT_BOX_DRAFT, false, 1 },
		{ "a letter after a no-break space", RULE "❯\302\240x\n" RULE,
		    AGENT_BOX_DRAFT, false, 1 },
		{ "a wide letter", RULE "❯ 漢\n" RULE, AGENT_BOX_DRAFT, false,
		    1 },
		{ "text in its second row", RULE "❯ \n  two\n" RULE,
		    AGENT_BOX_DRAFT, false, 1 },
		{ "blank rows", RULE "❯ \n\n\n" RULE, AGENT_BOX_EMPTY, false,
		    1 },
		{ "a placeholder", RULE "❯ \033[2mTry \"fix it\"\033[m\n" RULE,
		    AGENT_BOX_EMPTY, false, 1 },
		{ "a placeholder under the cursor",
		    RULE "❯ \033[7mT\033[0;2mry this\033[m\n" RULE,
		    AGENT_BOX_EMPTY, false, 1 },
		{ "two letters that stand out before faint text",
		    RULE "❯ \033[7mab\033[0;2mc\033[m\n" RULE, AGENT_BOX_DRAFT,
		    false, 1 },
		{ "one letter under the cursor", RULE "❯ \033[7ma\033[m\n" RULE,
		    AGENT_BOX_DRAFT, false, 1 },
		{ "a draft before faint text",
		    RULE "❯ /co\033[2mmpact\033[m\n" RULE, AGENT_BOX_DRAFT,
		    false, 1 },
		{ "faint text in two rows, then a draft",
		    RULE "❯ \033[2mfaint\nfaint\033[m\nx\n" RULE,
		    AGENT_BOX_DRAFT, false, 1 },
		{ "faint wide text", RULE "❯ \033[2m漢字 x\033[m\n" RULE,
		    AGENT_BOX_EMPTY, false, 1 },
		{ "a fold", RULE "❯ [Pasted text #1 +3 lines]\n" RULE,
		    AGENT_BOX_DRAFT, true, 1 },
		{ "a fold and text",
		    RULE "❯ see [Pasted text #12 +3 lines] and\n" RULE,
		    AGENT_BOX_DRAFT, true, 1 },
		{ "a fold that was sent",
		    "❯ [Pasted text #1 +3 lines]\n" RULE "❯ \n" RULE,
		    AGENT_BOX_EMPTY, false, 2 },
		{ "the last of two", RULE "❯ one\n" RULE "\n" RULE "❯ \n" RULE,
		    AGENT_BOX_EMPTY, false, 5 },
		{ "for a command", RULE "! \n" RULE, AGENT_BOX_DRAFT, false,
		    1 },
	};
	struct scene s;

	(void)state;
	begin(&s, "claude", NULL);
	for (size_t i = 0; i < sizeof(boxes) / sizeof(*boxes); i++) {
		look(&s, "2.1.325", boxes[i].screen);
		if (s.look.box != boxes[i].box)
			fail_msg("%s: it is %d", boxes[i].name, s.look.box);
		if (s.look.folded != boxes[i].folded)
			fail_msg("%s: folded is wrong", boxes[i].name);
		if (s.look.box_row != boxes[i].row)
			fail_msg("%s: it is in row %u", boxes[i].name,
			    s.look.box_row);
	}
	finish(&s);
}

static void
a_box_with_a_margin_is_read_without_it(void **state)
{
	static const struct {
		const char *screen;
		enum agent_box box;
	} boxes[] = {
		{ "x\n ┃\n ┃\n ┃\n ┃  Build · m\n ╹▀▀▀", AGENT_BOX_EMPTY },
		{ "x\n ┃\n ┃  hi\n ┃\n ┃  Build · m\n ╹▀▀▀", AGENT_BOX_DRAFT },
		{ "x\n ┃\n ┃\n ┃  hi\n ┃\n ┃  Build · m\n ╹▀▀▀",
		    AGENT_BOX_DRAFT },
		{ "x\n ┃\n ┃  Ask anything… \"a b\"\n ┃\n ┃  Build · m\n ╹▀▀▀",
		    AGENT_BOX_EMPTY },
		{ "x\n ┃\n ┃  Ask anything… \"a b\" c\n ┃\n ┃  B · m\n ╹▀▀▀",
		    AGENT_BOX_DRAFT },
		{ "x\n ┃\n ┃  sent before\n ┃\n", AGENT_BOX_NONE },
	};
	struct scene s;

	(void)state;
	begin(&s, "opencode", NULL);
	for (size_t i = 0; i < sizeof(boxes) / sizeof(*boxes); i++)
		if (look(&s, "1.18.33", boxes[i].screen)->box != boxes[i].box)
			fail_msg("%s: it is %d", boxes[i].screen, s.look.box);
	finish(&s);
}

static void
a_box_without_an_end_goes_to_the_first_blank_row(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, "own", "[box]\nbegin = \"^> \"\nrows = 4\n");
	assert_int_equal(look(&s, NULL, "> a\nb\n\nc")->box, AGENT_BOX_DRAFT);
	assert_int_equal(look(&s, NULL, "> \033[m\n\nc")->box, AGENT_BOX_NONE);
	assert_int_equal(look(&s, NULL, "> .\n2\n3\n4")->box, AGENT_BOX_DRAFT);
	assert_int_equal(look(&s, NULL, "> .\n2\n3\n4\n5")->box,
	    AGENT_BOX_NONE);
	finish(&s);
}

/* ---------------------------------------------------------------- the rest */

static void
only_the_bottom_of_a_screen_is_read(void **state)
{
	struct scene s;
	char text[3 * AGENT_PAGE_ROWS + 32] = "";

	(void)state;
	begin(&s, "own", "[screen idle]\nrows = 60\nmatch = ^top$");
	vt_destroy(s.vt);
	s.vt = make_vt_without_history(20, AGENT_PAGE_ROWS + 10);
	strcat(text, "top");
	for (int i = 1; i < AGENT_PAGE_ROWS; i++)
		strcat(text, "\n.");
	look(&s, NULL, text);
	assert_int_equal(s.look.activity, ACTIVITY_IDLE);
	assert_int_equal(s.look.row, 0);
	strcat(text, "\n.");
	assert_int_equal(look(&s, NULL, text)->activity, ACTIVITY_UNKNOWN);
	finish(&s);
}

/* Each cell of the screen has as much text as a cell can hold. */
static void
a_page_has_so_many_bytes_and_no_more(void **state)
{
	struct scene s;
	struct agent_page page;

	(void)state;
	begin(&s, "own", "[screen idle]\nrows = 60\nmatch = ^end$");
	for (int i = 0; i < 100 * 29; i++) {
		vt_feed(s.vt, "e", 1);
		for (int mark = 0; mark < 40; mark++)
			vt_feed(s.vt, "\314\201", 2);
	}
	vt_feed(s.vt, "end", 3);
	agent_page_init(&page, s.vt);
	assert_true(page.text.len <= AGENT_PAGE_BYTES);
	assert_true(page.n > 1 && page.n < 29);
	assert_int_equal(page.first + page.n, 30);
	assert_memory_equal(page.text.data + page.at[page.n - 1], "end", 3);
	agent_page_finish(&page);
	agent_look(s.profile, NULL, s.vt, &s.look);
	assert_int_equal(s.look.activity, ACTIVITY_IDLE);
	assert_int_equal(s.look.row, 29);
	finish(&s);
}

/* The dialog that was not found might be there. */
static void
a_look_that_takes_too_long_says_nothing(void **state)
{
	static const char slow[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n> x";
	static const char
	    why[] = "the rules of own take too long on this screen";
	const char *rule;
	struct scene s;

	(void)state;
	begin(&s, "own",
	    "[box]\nbegin = ^>\n"
	    "[screen needs_setup]\nmatch = ^(a+)+$\n"
	    "[screen done]\nmatch = ^a\n"
	    "[title working]\nmatch = ^(a+)+$\n"
	    "[title idle]\nmatch = ^a\n");
	assert_int_equal(look(&s, NULL, "aaaa")->activity,
	    ACTIVITY_NEEDS_SETUP);
	assert_int_equal(look(&s, NULL, slow)->activity, ACTIVITY_UNKNOWN);
	assert_string_equal(s.look.why, why);
	assert_null(s.look.rule);
	assert_int_equal(s.look.box, AGENT_BOX_NONE);
	assert_int_equal(agent_read_title(s.profile, NULL, "ab", &rule),
	    ACTIVITY_IDLE);
	assert_int_equal(agent_read_title(s.profile, NULL, slow, &rule),
	    ACTIVITY_UNKNOWN);
	finish(&s);

	begin(&s, "own", "[screen idle]\nmatch = ^a\nunless = ^(a+)+$\n");
	assert_int_equal(look(&s, NULL, "ab")->activity, ACTIVITY_IDLE);
	assert_int_equal(look(&s, NULL, slow)->activity, ACTIVITY_UNKNOWN);
	assert_string_equal(s.look.why, why);
	finish(&s);
}

#define BOX " ┃\n ┃  hi\n ┃\n ┃  Build · m\n ╹▀▀▀\n"
#define AT_REST "   ~/demo    ctrl+p commands"
#define BUSY "   ⬝⬝  esc interrupt    ctrl+p commands"
#define PAST "     ▣  Build · m · 6.1s\n\n"
#define SENT " ┃\n ┃  sent before\n ┃\n\n"
#define OPEN "     ▣  Build · m\n\n"

static void
a_turn_of_opencode_is_judged_by_the_line_above_the_box(void **state)
{
	static const struct {
		const char *screen;
		enum activity activity;
	} turns[] = {
		{ PAST BOX AT_REST, ACTIVITY_IDLE },
		{ "     ▣  Build · m · interrupted\n\n" BOX AT_REST,
		    ACTIVITY_IDLE },
		{ PAST BOX BUSY, ACTIVITY_WORKING },
		{ PAST SENT BOX AT_REST, ACTIVITY_UNKNOWN },
		{ PAST SENT "     words\n\n" OPEN BOX AT_REST,
		    ACTIVITY_UNKNOWN },
		{ PAST SENT "     ← Edit a\n\n" OPEN BOX AT_REST,
		    ACTIVITY_IDLE },
		{ PAST SENT "     ← Edit a\n\n" OPEN BOX, ACTIVITY_UNKNOWN },
		{ PAST SENT " ┃\n ┃  bad key\n ┃\n\n" OPEN BOX AT_REST,
		    ACTIVITY_ERROR },
		{ PAST SENT " ┃\n ┃  bad key\n ┃\n\n" OPEN BOX BUSY,
		    ACTIVITY_WORKING },
	};
	struct scene s;

	(void)state;
	begin(&s, "opencode", NULL);
	for (size_t i = 0; i < sizeof(turns) / sizeof(*turns); i++)
		if (look(&s, "1.18.33", turns[i].screen)->activity !=
		    turns[i].activity)
			fail_msg("%s: it is %s", turns[i].screen,
			    activity_name(s.look.activity));
	finish(&s);
}

#define GEMINI_BOX \
	"────────────────────────\n Shift+Tab\n▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄\n" \
	" >   Type your message or @path/to/file\n▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀\n"
#define GEMINI_SENT \
	"▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄\n > two\n▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀\n"
#define GEMINI_ERROR "✕ [API Error: a\n  b]\n\nℹ This request failed. c\n"
#define GEMINI_READY "      ? for shortcuts\n"

static void
an_error_of_gemini_counts_until_the_next_prompt(void **state)
{
	static const struct {
		const char *screen;
		enum activity activity;
	} turns[] = {
		{ GEMINI_READY GEMINI_BOX, ACTIVITY_IDLE },
		{ GEMINI_ERROR GEMINI_READY GEMINI_BOX, ACTIVITY_ERROR },
		{ GEMINI_ERROR GEMINI_BOX, ACTIVITY_ERROR },
		{ "ℹ This request failed. c\n" GEMINI_READY GEMINI_BOX,
		    ACTIVITY_ERROR },
		{ GEMINI_ERROR "✦ words\n" GEMINI_READY GEMINI_BOX,
		    ACTIVITY_UNKNOWN },
		{ GEMINI_ERROR " ⠋ a (esc to cancel, 0s)\n" GEMINI_BOX,
		    ACTIVITY_WORKING },
		{ GEMINI_ERROR GEMINI_SENT "✦ words\n" GEMINI_READY GEMINI_BOX,
		    ACTIVITY_IDLE },
	};
	struct scene s;

	(void)state;
	begin(&s, "gemini", NULL);
	for (size_t i = 0; i < sizeof(turns) / sizeof(*turns); i++)
		if (look(&s, "0.61.0", turns[i].screen)->activity !=
		    turns[i].activity)
			fail_msg("%s: it is %s", turns[i].screen,
			    activity_name(s.look.activity));
	finish(&s);
}

/* Each screen is full of what the patterns look for. */
static void
the_built_in_rules_look_at_any_screen(void **state)
{
	static const char *const fills[] = { "x", "─", "│ ", "❯ ", "❯ a\n",
		"› a\n", "› 1. a\n", "─────────────────────────\n", "┃  ",
		" ┃\n", "✻ a for 1…\n", "✻ a for 1\n", "! \n", "  a\n", "▄",
		"● API Error: a\n", "esc to interrupt ", "Claude Code v1",
		"ctrl+p commands\n", " · ", "\n", "  › 1. x\n",
		"✕ [API Error: a\n", "ℹ This request failed.\n",
		"ℹ This request failed.\n\n\n────────────────────\n",
		"     ▣  a · b\n\n ┃\n", " ┃  a\n ┃\n\n     ▣  a · b\n\n" };
	static const struct {
		const char *name, *version;
	} agents[] = { { "claude", "2.1.325" }, { "codex", "0.166.0" },
		{ "gemini", "0.61.0" }, { "opencode", "1.18.33" } };

	(void)state;
	for (size_t a = 0; a < sizeof(agents) / sizeof(*agents); a++) {
		struct scene s;

		begin(&s, agents[a].name, NULL);
		vt_destroy(s.vt);
		s.vt = make_vt_without_history(200, AGENT_PAGE_ROWS);
		for (size_t i = 0; i < sizeof(fills) / sizeof(*fills); i++) {
			vt_feed(s.vt, "\033c\033[20h", 7);
			for (int n = 0; n < 200 * AGENT_PAGE_ROWS; n++)
				vt_feed(s.vt, fills[i], strlen(fills[i]));
			agent_look(s.profile, agents[a].version, s.vt, &s.look);
			if (strstr(s.look.why, "too long") != NULL)
				fail_msg("%s: %s: %s", agents[a].name, fills[i],
				    s.look.why);
		}
		finish(&s);
	}
}

#define LOOKS 2000
#define COST_MAX_US 2000 /* 65 on a busy machine, 225 with a sanitizer */

/* A screen that fits none of the busiest profile's rules, and is full. */
static void
a_look_is_cheap(void **state)
{
	struct timespec begun, ended;
	struct scene s;
	double us;

	(void)state;
	begin(&s, "claude", NULL);
	for (int y = 0; y < 26; y++)
		print(&s, "");
	for (int i = 0; i < 100 * 26; i++)
		vt_feed(s.vt, i % 7 == 0 ? " " : "x", 1);
	vt_feed(s.vt, "\033[27H" RULE, strlen("\033[27H" RULE));
	vt_feed(s.vt, "\r❯ draft\r\n", strlen("\r❯ draft\r\n"));
	vt_feed(s.vt, RULE, strlen(RULE));
	agent_look(s.profile, "2.1.325", s.vt, &s.look);
	assert_int_equal(s.look.activity, ACTIVITY_UNKNOWN);
	assert_int_equal(s.look.box, AGENT_BOX_DRAFT);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
	for (int i = 0; i < LOOKS; i++)
		agent_look(s.profile, "2.1.325", s.vt, &s.look);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
	us = ((double)(ended.tv_sec - begun.tv_sec) * 1e6 +
		 (double)(ended.tv_nsec - begun.tv_nsec) / 1e3) /
	    LOOKS;
	print_message("a look takes %.1f us\n", us);
	assert_true(us < COST_MAX_US);
	finish(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_rule_that_holds_counts),
		cmocka_unit_test(an_unseen_version_is_unknown_with_the_reason),
		cmocka_unit_test(a_rule_for_any_version_needs_none),
		cmocka_unit_test(a_profile_without_versions_counts_for_all),
		cmocka_unit_test(a_title_is_read_by_its_own_rules),
		cmocka_unit_test(a_version_is_found_in_a_banner),
		cmocka_unit_test(a_banner_that_has_scrolled_away_is_found),
		cmocka_unit_test(a_box_is_empty_or_has_a_draft),
		cmocka_unit_test(a_box_with_a_margin_is_read_without_it),
		cmocka_unit_test(
		    a_box_without_an_end_goes_to_the_first_blank_row),
		cmocka_unit_test(only_the_bottom_of_a_screen_is_read),
		cmocka_unit_test(a_page_has_so_many_bytes_and_no_more),
		cmocka_unit_test(a_look_that_takes_too_long_says_nothing),
		cmocka_unit_test(
		    a_turn_of_opencode_is_judged_by_the_line_above_the_box),
		cmocka_unit_test(
		    an_error_of_gemini_counts_until_the_next_prompt),
		cmocka_unit_test(the_built_in_rules_look_at_any_screen),
		cmocka_unit_test(a_look_is_cheap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
