#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "home/label.h"
#include "session/manifest.h"

static void
set(struct manifest *m, const char *text)
{
	struct error err = { 0 };

	if (label_set(m, text, &err) != 0)
		fail_msg("%s: %s", text, err.msg);
}

static void
a_label_is_set_and_replaced(void **state)
{
	struct manifest m;

	(void)state;
	manifest_init(&m);
	set(&m, "role=builder");
	set(&m, "role=a=b");
	set(&m, "größe=漢");
	assert_int_equal(m.n_labels, 2);
	assert_string_equal(manifest_label(&m, "role"), "a=b");
	assert_string_equal(manifest_label(&m, "größe"), "漢");
	manifest_finish(&m);
}

static void
an_empty_value_removes_the_label(void **state)
{
	struct manifest m;

	(void)state;
	manifest_init(&m);
	set(&m, "role=builder");
	set(&m, "role=");
	assert_int_equal(m.n_labels, 0);
	set(&m, "role=");
	assert_int_equal(m.n_labels, 0);
	manifest_finish(&m);
}

static void
text_that_is_no_label_is_refused(void **state)
{
	static const char *const bad[] = { "", "role", "=", "=builder",
		"a\nb=1" };
	struct manifest m;
	struct error err;

	(void)state;
	manifest_init(&m);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (label_set(&m, bad[i], &err) != -EINVAL)
			fail_msg("'%s' is accepted", bad[i]);
	label_set(&m, "role", &err);
	assert_string_equal(err.msg,
	    "not a label: role; give KEY=VALUE, or KEY= to remove one");
	assert_int_equal(m.n_labels, 0);
	manifest_finish(&m);
}

/* KEY=VALUE of these lengths. */
static int
set_of_length(struct manifest *m, int key, int value)
{
	char text[LABEL_KEY_MAX + LABEL_VALUE_MAX + 8];

	snprintf(text, sizeof(text), "%0*d=%0*d", key, 0, value, 0);
	return label_set(m, text, NULL);
}

static void
key_and_value_have_a_greatest_length(void **state)
{
	struct manifest m;

	(void)state;
	manifest_init(&m);
	assert_int_equal(set_of_length(&m, LABEL_KEY_MAX + 1, 1), -EINVAL);
	assert_int_equal(set_of_length(&m, 1, LABEL_VALUE_MAX + 1), -EINVAL);
	assert_int_equal(m.n_labels, 0);
	assert_int_equal(set_of_length(&m, LABEL_KEY_MAX, LABEL_VALUE_MAX), 0);
	assert_int_equal(m.n_labels, 1);
	manifest_finish(&m);
}

static bool
matches(const struct manifest *m, const char *text)
{
	return label_matches_all(m, (const char *const[]){ text, NULL });
}

static void
a_label_matches_its_key_or_the_whole(void **state)
{
	struct manifest m;

	(void)state;
	manifest_init(&m);
	assert_false(matches(&m, "role"));
	set(&m, "role=builder");
	assert_true(matches(&m, "role"));
	assert_true(matches(&m, "role=builder"));
	assert_false(matches(&m, "role="));
	assert_false(matches(&m, "role=build"));
	assert_false(matches(&m, "role=builders"));
	assert_false(matches(&m, "rol=builder"));
	assert_false(matches(&m, "roles"));
	assert_false(matches(&m, ""));
	manifest_finish(&m);
}

static void
a_session_matches_only_if_all_labels_do(void **state)
{
	struct manifest m;

	(void)state;
	manifest_init(&m);
	set(&m, "role=builder");
	set(&m, "team=red");
	assert_true(label_matches_all(&m, NULL));
	assert_true(label_matches_all(&m, (const char *const[]){ NULL }));
	assert_true(label_matches_all(&m,
	    (const char *const[]){ "role", "team=red", NULL }));
	assert_false(label_matches_all(&m,
	    (const char *const[]){ "role", "team=blue", NULL }));
	assert_false(label_matches_all(&m,
	    (const char *const[]){ "size", "team=red", NULL }));
	manifest_finish(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_label_is_set_and_replaced),
		cmocka_unit_test(an_empty_value_removes_the_label),
		cmocka_unit_test(text_that_is_no_label_is_refused),
		cmocka_unit_test(key_and_value_have_a_greatest_length),
		cmocka_unit_test(a_label_matches_its_key_or_the_whole),
		cmocka_unit_test(a_session_matches_only_if_all_labels_do),
	};

	return cmocka_run_group_tests_name("home_label", tests, NULL, NULL);
}
