#include "unit.h"

#include <stdio.h>

#include "op/question.h"

#include "vt_make.h"

#define COLS 72
#define ROWS 24
#define HIDE "\033[?25l"
#define RULE "────────────────────────────────────────\n"

struct look {
	const char *name, *screen;
	enum question is;
	const char *own; /* the typed text; NULL: none */
};

/* Show the text, '\n' being a new line, and look for a question. */
static enum question
ask(const struct look *l)
{
	struct vt *vt = make_from(
	    &(struct vt_config){ .cols = COLS, .rows = ROWS });
	enum question q;

	for (const char *p = l->screen; *p != '\0'; p++) {
		if (*p == '\n')
			vt_feed(vt, "\r", 1);
		vt_feed(vt, p, 1);
	}
	q = question_find(vt, l->own);
	assert_int_equal(q, question_find(vt, l->own));
	vt_destroy(vt);
	return q;
}

static void
each(const struct look *looks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum question q = ask(&looks[i]);

		if (q != looks[i].is)
			fail_msg("%s: it is %s", looks[i].name,
			    q == QUESTION_NONE ? "none" : question_name(q));
	}
}

#define EACH(looks) each(looks, sizeof(looks) / sizeof(*(looks)))

static void
a_marked_list_is_a_choice(void **state)
{
	static const struct look looks[] = {
		{ "numbered, with a hint",
		    HIDE
		    "> Running: make install\n\n" RULE
		    " May this command run?\n ❯ 1. Run it\n   2. Run it, "
		    "and from now on\n      without asking\n   3. Do not\n\n"
		    " Esc to cancel · Tab to edit",
		    QUESTION_CHOICE, NULL },
		{ "numbered, the last is marked",
		    HIDE "Use this key?\n\n    1. Yes\n  ❯ 2. No\n",
		    QUESTION_CHOICE, NULL },
		{ "numbered, in a box, a bullet for a marker",
		    HIDE "╭──────────────────────────╮\n"
			 "│ Run [shell]?             │\n"
			 "│                          │\n"
			 "│ ● 1. Once                │\n"
			 "│   2. Always              │\n"
			 "╰──────────────────────────╯\n",
		    QUESTION_CHOICE, NULL },
		{ "numbered, with descriptions and a rule between",
		    HIDE
		    "Which colour?\n\n› 1. red\n     as it was\n  2. blue\n"
		    "     as it will be\n" RULE "  3. Talk about it\n",
		    QUESTION_CHOICE, NULL },
		{ "an ASCII pointer", HIDE "Trust it?\n> 1) Yes\n  2) No\n",
		    QUESTION_CHOICE, NULL },
		{ "not numbered, with a hint",
		    HIDE "Folder access\n\n ❯ No, leave\n   Yes, I trust it\n\n"
			 " Enter to confirm · Esc to cancel",
		    QUESTION_CHOICE, NULL },
		{ "not numbered, asked above",
		    HIDE "? Pick a colour (use arrow keys)\n❯ red\n  green\n",
		    QUESTION_CHOICE, NULL },
		{ "two rows each",
		    HIDE
		    "  Go on with\n\n  ❯ parser work\n    3 minutes ago\n\n"
		    "    older work\n    2 days ago\n\n"
		    "    Type to search · Esc to cancel",
		    QUESTION_CHOICE, NULL },
		{ "radio buttons",
		    HIDE "◆  Framework:\n│  ● None\n│  ○ Some\n└\n",
		    QUESTION_CHOICE, NULL },
		{ "radio buttons of ASCII",
		    HIDE "Size:\n (*) large\n ( ) small\n", QUESTION_CHOICE,
		    NULL },
		{ "radio buttons in a row",
		    HIDE "◆  Install?\n│  ● Yes / ○ No\n└\n", QUESTION_CHOICE,
		    NULL },
		{ "reverse video",
		    HIDE "Where to?\n  here\n  \033[7mthere\033[m\n  away\n",
		    QUESTION_CHOICE, NULL },
		{ "more lines below, and a hint",
		    HIDE "Model\n ❯ 1. large   the best\n   2. small   the "
			 "fastest\n\n ◐ effort ←/→ to change\n\n"
			 " Enter to use it · Esc to cancel",
		    QUESTION_CHOICE, NULL },
	};

	(void)state;
	EACH(looks);
}

static void
an_offer_of_yes_and_no_is_a_question(void **state)
{
	static const struct look looks[] = {
		{ "apt", "Do you want to continue? [Y/n] ", QUESTION_YES_NO,
		    NULL },
		{ "parentheses", "Overwrite it (y/n)? ", QUESTION_YES_NO,
		    NULL },
		{ "words", "Are you sure (yes/no/[fingerprint])? ",
		    QUESTION_YES_NO, NULL },
		{ "letters in words",
		    "Log in now? [(y)es, (n)o]: ", QUESTION_YES_NO, NULL },
		{ "hunks", "(1/2) Stage this hunk [y,n,q,a,d,e,?]? ",
		    QUESTION_YES_NO, NULL },
		{ "letters alone", "Allow? y n a", QUESTION_YES_NO, NULL },
		{ "no brackets", "Go on y/n: ", QUESTION_YES_NO, NULL },
		{ "other languages", "Fortfahren? [J/n] ", QUESTION_YES_NO,
		    NULL },
		{ "with a hint below", HIDE "Delete it? (Y/n)\n\nEsc to cancel",
		    QUESTION_YES_NO, NULL },
		{ "something was typed behind it", "Go on? [y/N] fix the bug",
		    QUESTION_YES_NO, "fix the bug" },
	};

	(void)state;
	EACH(looks);
}

static void
buttons_and_keys_are_questions(void **state)
{
	static const struct look looks[] = {
		{ "two buttons",
		    HIDE "┌────────────────────┐\n│ Really?            │\n"
			 "│  <Yes>     <No>    │\n└────────────────────┘\n",
		    QUESTION_BUTTONS, NULL },
		{ "one button", HIDE "│ Done.  │\n│  <Ok>  │\n└────────┘\n",
		    QUESTION_BUTTONS, NULL },
		{ "square ones", HIDE "Quit?\n\n[ OK ]  [ Cancel ]\n",
		    QUESTION_BUTTONS, NULL },
		{ "Enter to continue",
		    HIDE "News\n\nAll is well.\n\n Enter to continue · Esc to "
			 "cancel",
		    QUESTION_KEY, NULL },
		{ "options in a row",
		    HIDE "┃  Permission\n┃\n┃  Once  Always  No    ⇆ select  "
			 "enter confirm\n┃\n",
		    QUESTION_KEY, NULL },
		{ "press Enter", "Press ENTER or type command to continue",
		    QUESTION_KEY, NULL },
		{ "press return",
		    HIDE "→ Log in to go on\n\n  Press return to open your "
			 "browser",
		    QUESTION_KEY, NULL },
		{ "a page that Escape closes",
		    HIDE "> /usage\n\n" RULE " Usage\n\n Total:  12\n Today:   "
			 "3\n\n Esc to close",
		    QUESTION_KEY, NULL },
		{ "any key", "Press any key to continue...", QUESTION_KEY,
		    NULL },
		{ "gdb", "--Type <RET> for more, q to quit--", QUESTION_KEY,
		    NULL },
	};

	(void)state;
	EACH(looks);
}

#define BOX RULE "❯ \n" RULE "  ? for help              ● ready"

static void
a_prompt_for_text_is_not_a_question(void **state)
{
	static const struct look looks[] = {
		{ "an empty screen", "", QUESTION_NONE, NULL },
		{ "a shell", "$ ls\na  b\n$ ", QUESTION_NONE, NULL },
		{ "a shell with a pointer", "❯ ls\n  one\n  two\n❯ ",
		    QUESTION_NONE, NULL },
		{ "and a command that runs", "❯ make\n  CC one\n  CC two\n",
		    QUESTION_NONE, NULL },
		{ "and one that is typed", "  one?\n  two\n❯ make",
		    QUESTION_NONE, NULL },
		{ "more of a command", "$ for i in 1 2\n> do\n> ",
		    QUESTION_NONE, NULL },
		{ "another prompt after a question",
		    "Go on? [y/N] n\nAborted.\n$ ", QUESTION_NONE, NULL },
		{ "a question that was answered without an echo",
		    "Go on? [Y/n]\nReading...\nWriting...\n", QUESTION_NONE,
		    NULL },
		{ "a hint, and a prompt", "Press Enter to continue\n$ ",
		    QUESTION_NONE, NULL },
		{ "python", ">>> 6*7\n42\n>>> ", QUESTION_NONE, NULL },
		{ "node", "> 6*7\n42\n> ", QUESTION_NONE, NULL },
		{ "a password", "Password: ", QUESTION_NONE, NULL },
		{ "vim",
		    "int main\n~\n~\n~\n\033[7mmain.c          1,1  "
		    "All\033[m\n\033[H",
		    QUESTION_NONE, NULL },
		{ "less", "one\ntwo\n:", QUESTION_NONE, NULL },
		{ "less at the end", "one\n* two\n\033[7m(END)\033[m",
		    QUESTION_NONE, NULL },
		{ "a table with a marked row",
		    HIDE "  PID USER\n    1 root\n\033[7m    2 root\033[m\n"
			 "    3 root\nF1Help F9Kill F10Quit",
		    QUESTION_NONE, NULL },
	};

	(void)state;
	EACH(looks);
}

static void
an_agents_input_box_is_not_a_question(void **state)
{
	static const struct look looks[] = {
		{ "idle", HIDE "● Done.\n\n" BOX, QUESTION_NONE, NULL },
		{ "working",
		    HIDE "❯ do it\n\n✽ Thinking… (esc to interrupt)\n\n" BOX,
		    QUESTION_NONE, NULL },
		{ "a numbered list in its answer",
		    HIDE "● Plan:\n  1. read\n  2. write\n  3. test\n\n" BOX,
		    QUESTION_NONE, NULL },
		{ "a list that the person typed",
		    HIDE "❯ 1. read\n  2. write\n\n● Done.\n\n" BOX,
		    QUESTION_NONE, NULL },
		{ "bullets in its answer",
		    HIDE "* one that is\n  long\n* two?\n\n" BOX, QUESTION_NONE,
		    NULL },
		{ "bullets, and no box", HIDE "* one?\n* two\n  and more\n* x",
		    QUESTION_NONE, NULL },
		{ "an offer in its answer", HIDE "● Shall I? (y/n)\n\n" BOX,
		    QUESTION_NONE, NULL },
		{ "a hint in its answer",
		    HIDE "● Then press Enter to continue.\n\n" BOX,
		    QUESTION_NONE, NULL },
		{ "a menu that was answered",
		    HIDE "Trust it?\n❯ 1. Yes\n  2. No\n\n● Thanks.\n\n" BOX,
		    QUESTION_NONE, NULL },
		{ "a menu that has scrolled up",
		    "Trust it?\n❯ 1. Yes\n  2. No\nworking\non\nall\nof it\n",
		    QUESTION_NONE, NULL },
		{ "a footer that begins with a key",
		    HIDE "● Done.\n\n" RULE "❯ \n" RULE "  Esc to exit\n",
		    QUESTION_NONE, NULL },
		{ "a box with an example in it",
		    "• Worked for 7s\n\n\n› Ask for anything\n\n  model · "
		    "~/demo\n  ? for help\033[4;3H",
		    QUESTION_NONE, NULL },
		{ "a box with a frame, and a footer",
		    HIDE "⠏ Thinking (esc to cancel, 3s)\n╭────────────╮\n"
			 "│ >   Type a message │\n╰────────────╯\n ~/demo",
		    QUESTION_NONE, NULL },
	};

	(void)state;
	EACH(looks);
}

static void
typed_text_is_not_a_question(void **state)
{
	static const struct look looks[] = {
		{ "an offer", HIDE RULE "❯ shall we? (y/n)\n" RULE "  ? help",
		    QUESTION_NONE, "shall we? (y/n)" },
		{ "at a shell", "$ echo 'go on? [y/N]'", QUESTION_NONE,
		    "echo 'go on? [y/N]'" },
		{ "a list",
		    HIDE RULE "❯ 1. read it\n  2. write it\n" RULE "  ? help",
		    QUESTION_NONE, "1. read it\n2. write it" },
		{ "a list, the cursor behind it",
		    "> do:\n  1. read it\n  2. write it", QUESTION_NONE,
		    "do:\n1. read it\n2. write it" },
		{ "a dialog that has opened over it",
		    HIDE "Run it?\n❯ 1. Yes\n  2. No\n", QUESTION_CHOICE,
		    "fix the bug" },
	};

	(void)state;
	EACH(looks);
}

/* At no size does the check read out of bounds. */
static void
screens_of_every_size_can_be_checked(void **state)
{
	static const char text[] = HIDE
	    "漢字 [y/N]\r\n❯ 1. 漢\r\n  2. 字\r\n<Ok> <No>\r\nEnter to go on\r\n";

	(void)state;
	for (unsigned cols = 2; cols < 60; cols += 3) {
		for (unsigned rows = 1; rows < 60; rows += 7) {
			struct vt *vt = make_from(
			    &(struct vt_config){ .cols = (uint16_t)cols,
				.rows = (uint16_t)rows });

			for (int i = 0; i < 20; i++) {
				vt_feed(vt, text, sizeof(text) - 1);
				question_find(vt, NULL);
				question_find(vt, "漢\n字");
			}
			vt_destroy(vt);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_marked_list_is_a_choice),
		cmocka_unit_test(an_offer_of_yes_and_no_is_a_question),
		cmocka_unit_test(buttons_and_keys_are_questions),
		cmocka_unit_test(a_prompt_for_text_is_not_a_question),
		cmocka_unit_test(an_agents_input_box_is_not_a_question),
		cmocka_unit_test(typed_text_is_not_a_question),
		cmocka_unit_test(screens_of_every_size_can_be_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
