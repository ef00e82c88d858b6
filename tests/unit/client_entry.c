/* A line typed for tend itself. */
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "client/entry.h"
#include "vt/key.h"

/* Press keys by their names. */
static enum entry_state
press(struct entry *e, const char *names)
{
	enum entry_state state = ENTRY_OPEN;
	char name[KEY_NAME_MAX];

	while (*names != '\0') {
		size_t len = strcspn(names, " ");
		struct key k;

		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		assert_int_equal(key_parse(name, &k, NULL), 0);
		state = entry_key(e, &k);
		names += len;
		names += strspn(names, " ");
	}
	return state;
}

static void
a_line_is_edited(void **state)
{
	struct entry e;

	(void)state;
	entry_begin(&e, "name: ", "old");
	assert_int_equal(press(&e, "BSpace BSpace BSpace BSpace"), ENTRY_OPEN);
	assert_string_equal(e.text, "");
	press(&e, "n \u00e9 W Space x Up Tab C-a F1 M-x");
	assert_string_equal(e.text, "n\u00e9W x");
	press(&e, "C-w");
	assert_string_equal(e.text, "n\u00e9W ");
	press(&e, "BSpace BSpace BSpace");
	assert_string_equal(e.text, "n");
	press(&e, "C-u b");
	assert_string_equal(e.text, "b");
	assert_int_equal(press(&e, "Enter"), ENTRY_ACCEPTED);
	assert_int_equal(press(&e, "Escape"), ENTRY_CANCELLED);
	assert_int_equal(press(&e, "C-c"), ENTRY_CANCELLED);
}

static void
a_character_is_deleted_whole(void **state)
{
	struct entry e;

	(void)state;
	entry_begin(&e, "", "xe\u0301");
	press(&e, "BSpace");
	assert_string_equal(e.text, "x");
	entry_begin(&e, "", "x\u754c");
	press(&e, "BSpace");
	assert_string_equal(e.text, "x");
}

static void
a_line_has_a_maximum_length(void **state)
{
	char line[ENTRY_LINE_MAX];
	struct entry e;

	(void)state;
	entry_begin(&e, "name: ", "");
	for (unsigned i = 0; i < ENTRY_MAX; i++)
		press(&e, i % 2 ? "\u00e9" : "y");
	assert_true(e.len >= ENTRY_MAX - 2 && e.len < ENTRY_MAX);
	assert_int_equal(e.text[e.len], '\0');
	assert_int_equal(entry_draw(&e, 20, line), 19);
	assert_int_equal(strncmp(line, " name: ", 7), 0);
	assert_int_equal(entry_draw(&e, 400, line), 7 + ENTRY_MAX * 2 / 3);
}

static void
a_question_is_answered_with_one_key(void **state)
{
	struct entry e;

	(void)state;
	entry_begin_yes_no(&e, "kill it? ");
	assert_int_equal(press(&e, "y"), ENTRY_ACCEPTED);
	assert_int_equal(press(&e, "n"), ENTRY_CANCELLED);
	assert_int_equal(press(&e, "Enter"), ENTRY_CANCELLED);
	assert_int_equal(press(&e, "C-y"), ENTRY_CANCELLED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_edited),
		cmocka_unit_test(a_character_is_deleted_whole),
		cmocka_unit_test(a_line_has_a_maximum_length),
		cmocka_unit_test(a_question_is_answered_with_one_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
