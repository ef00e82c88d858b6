#include "unit.h"

#include <string.h>

#include "base/utf8.h"
#include "host/stream/notices.h"
#include "session/manifest.h"
#include "vt/vt.h"

static void
the_same_title_is_no_change(void **state)
{
	struct vt_event ev = { .type = VT_EVENT_TITLE, .text = "a" };
	struct manifest m;

	(void)state;
	manifest_init(&m);
	assert_true(notices_event(&m, &ev));
	assert_false(notices_event(&m, &ev));
	assert_string_equal(m.title, "a");
	assert_true(notices_title(&m, ""));
	assert_string_equal(m.title, "");
}

static void
bells_and_notifications_are_counted_separately(void **state)
{
	struct vt_event bell = { .type = VT_EVENT_BELL };
	struct vt_event notify = { .type = VT_EVENT_NOTIFY,
		.title = "build",
		.text = "done" };
	struct manifest m;

	(void)state;
	manifest_init(&m);
	assert_true(notices_event(&m, &bell));
	assert_true(notices_event(&m, &notify));
	assert_true(notices_event(&m, &bell));
	assert_int_equal(m.notices.bells, 2);
	assert_int_equal(m.notices.count, 1);
	assert_true(m.notices.bell_ms > 0 && m.notices.ms > 0);
	assert_string_equal(m.notices.title, "build");
	assert_string_equal(m.notices.text, "done");
}

static void
texts_are_cleaned_and_cut_between_characters(void **state)
{
	char long_text[3 * NOTICE_TEXT_SIZE + 16] = "a\xe2\x80\xae\x1b"
						    "b";
	struct vt_event ev = { .type = VT_EVENT_NOTIFY, .text = long_text };
	struct manifest m;

	(void)state;
	for (int i = 0; i < NOTICE_TEXT_SIZE; i++)
		strcat(long_text, "\xe7\x95\x8c");
	manifest_init(&m);
	assert_true(notices_event(&m, &ev));
	assert_memory_equal(m.notices.text, "ab\xe7\x95\x8c", 5);
	assert_int_equal(strlen(m.notices.text), 2 + 198);
	assert_true(utf8_valid(m.notices.text, strlen(m.notices.text)));
	assert_string_equal(m.notices.title, "");
}

static void
other_events_change_nothing(void **state)
{
	struct vt_event ev = { .type = VT_EVENT_CWD, .text = "/" };
	struct manifest m;

	(void)state;
	manifest_init(&m);
	assert_false(notices_event(&m, &ev));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_title_is_no_change),
		cmocka_unit_test(
		    bells_and_notifications_are_counted_separately),
		cmocka_unit_test(texts_are_cleaned_and_cut_between_characters),
		cmocka_unit_test(other_events_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
