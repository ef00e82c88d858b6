#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/mem.h"
#include "cmd/attach/picker.h"
#include "vt/key.h"
#include "vt/text.h"
#include "vt/vt.h"
#include "vt_make.h"

/* Rows whose ids and names are the given words. */
static void
renew(struct picker *p, const char *const *names)
{
	struct picker_row *rows;
	size_t n = 0;

	while (names[n] != NULL)
		n++;
	rows = xcalloc(n + 1, sizeof(*rows));
	for (size_t i = 0; i < n; i++) {
		snprintf(rows[i].id, sizeof(rows[i].id), "id-%s", names[i]);
		snprintf(rows[i].name, sizeof(rows[i].name), "%s", names[i]);
		snprintf(rows[i].about, sizeof(rows[i].about), "1s sh %s",
		    names[i]);
	}
	picker_renew(p, rows, n);
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static enum picker_result
press(struct picker *p, const char *keys)
{
	enum picker_result result = PICKER_GOES_ON;
	char name[32];
	int used;

	while (sscanf(keys, "%31s%n", name, &used) == 1) {
		struct key k;

		assert_int_equal(key_parse(name, &k, NULL), 0);
		result = picker_key(p, &k);
		keys += used;
	}
	return result;
}

static const char *
selected(const struct picker *p)
{
	const struct picker_row *r = picker_selected(p);

	return r != NULL ? r->name : "";
}

static void
keys_move_the_selection_and_choose(void **state)
{
	struct picker p;

	(void)state;
	picker_init(&p);
	renew(&p, NAMES("a", "b", "c"));
	assert_string_equal(selected(&p), "a");
	assert_int_equal(press(&p, "Down"), PICKER_GOES_ON);
	assert_string_equal(selected(&p), "b");
	press(&p, "j j j");
	assert_string_equal(selected(&p), "c");
	press(&p, "k Up Up");
	assert_string_equal(selected(&p), "a");
	press(&p, "End");
	assert_string_equal(selected(&p), "c");
	press(&p, "Home");
	assert_string_equal(selected(&p), "a");
	assert_int_equal(press(&p, "Enter"), PICKER_CHOSEN);
	picker_finish(&p);
}

static void
q_escape_and_c_c_leave(void **state)
{
	struct picker p;

	(void)state;
	picker_init(&p);
	renew(&p, NAMES("a", "b"));
	assert_int_equal(press(&p, "q"), PICKER_LEFT);
	assert_int_equal(press(&p, "Escape"), PICKER_LEFT);
	assert_int_equal(press(&p, "C-c"), PICKER_LEFT);
	assert_int_equal(press(&p, "/ C-c"), PICKER_LEFT);
	picker_finish(&p);
}

static void
a_filter_shows_sessions_that_contain_its_text(void **state)
{
	struct picker p;

	(void)state;
	picker_init(&p);
	renew(&p, NAMES("web", "api", "Query"));
	press(&p, "Down");
	press(&p, "/ q");
	assert_string_equal(selected(&p), "Query");
	press(&p, "z");
	assert_string_equal(selected(&p), "");
	assert_int_equal(press(&p, "Enter"), PICKER_GOES_ON);
	press(&p, "BSpace");
	assert_string_equal(selected(&p), "Query");
	assert_int_equal(press(&p, "Escape"), PICKER_GOES_ON);
	assert_string_equal(selected(&p), "Query");
	press(&p, "Up");
	assert_string_equal(selected(&p), "api");
	picker_finish(&p);
}

static void
a_filter_has_a_limit(void **state)
{
	struct picker p;

	(void)state;
	picker_init(&p);
	renew(&p, NAMES("a"));
	press(&p, "/");
	for (int i = 0; i < 3 * PICKER_FILTER_MAX; i++)
		press(&p, "ä");
	assert_int_equal(strlen(p.filter) % 2, 0);
	assert_true(strlen(p.filter) < PICKER_FILTER_MAX);
	for (int i = 0; i < 3 * PICKER_FILTER_MAX; i++)
		press(&p, "BSpace");
	assert_string_equal(p.filter, "");
	assert_string_equal(selected(&p), "a");
	picker_finish(&p);
}

static void
the_selection_stays_with_its_session(void **state)
{
	struct picker p;

	(void)state;
	picker_init(&p);
	renew(&p, NAMES("a", "b", "c"));
	press(&p, "Down");
	renew(&p, NAMES("new", "a", "b", "c"));
	assert_string_equal(selected(&p), "b");
	renew(&p, NAMES("new", "a", "c"));
	assert_string_equal(selected(&p), "c");
	renew(&p, NAMES("new"));
	assert_string_equal(selected(&p), "new");
	renew(&p, (const char *const[]){ NULL });
	assert_string_equal(selected(&p), "");
	assert_int_equal(press(&p, "Up Down Enter"), PICKER_GOES_ON);
	picker_finish(&p);
}

/* The picker's output, on a screen wider than it. */
static char *
drawn(const struct picker *p, unsigned rows, const char *preview)
{
	struct vt *vt = make_vt(200, (uint16_t)rows);
	struct buf b, text;

	buf_init(&b, 1u << 20);
	buf_init(&text, 1u << 20);
	picker_draw(p, 80, rows, preview, &b);
	vt_feed(vt, b.data, b.len);
	vt_text(vt, &text);
	buf_finish(&b);
	vt_destroy(vt);
	return buf_take(&text);
}

static void
the_preview_is_the_end_of_the_screen(void **state)
{
	struct picker p;
	char *text;

	(void)state;
	picker_init(&p);
	renew(&p, NAMES("a", "b", "c", "d", "e"));
	text = drawn(&p, 8, "one\ntwo\nthree\nfour\nfive\n\n\n");
	assert_non_null(strstr(text,
	    "\n a  1s sh a\n b  1s sh b\n"
	    " c  1s sh c\n\u2500\u2500 a"));
	assert_non_null(strstr(text, "a\nthree\nfour\nfive"));
	free(text);
	press(&p, "End");
	text = drawn(&p, 8, "one");
	assert_non_null(strstr(text, "\n e  1s sh e\n\u2500\u2500 e\none"));
	free(text);
	text = drawn(&p, 3, "one"); /* too low for one */
	assert_non_null(strstr(text, "\n d  1s sh d\n e  1s sh e"));
	free(text);
	text = drawn(&p, 1, "one");
	assert_non_null(text);
	free(text);
	picker_finish(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_move_the_selection_and_choose),
		cmocka_unit_test(q_escape_and_c_c_leave),
		cmocka_unit_test(a_filter_shows_sessions_that_contain_its_text),
		cmocka_unit_test(a_filter_has_a_limit),
		cmocka_unit_test(the_selection_stays_with_its_session),
		cmocka_unit_test(the_preview_is_the_end_of_the_screen),
	};

	return cmocka_run_group_tests_name("cmd_picker", tests, NULL, NULL);
}
