#include "unit.h"

#include <string.h>

#include "base/utf8.h"
#include "host/input/standing.h"
#include "keep/ring.h"

/* Write a piece of which so much was taken. */
static enum standing
write_piece(struct ring_shared *ring, enum standing_part part,
    enum standing_extent extent)
{
	standing_begins(ring, part);
	standing_done(ring, part, extent);
	return standing_now(ring);
}

static void
a_text_stands_until_its_key_is_written(void **state)
{
	struct ring_shared ring = { 0 };
	char text[STANDING_TEXT_MAX];

	(void)state;
	assert_int_equal(standing_now(&ring), STANDING_NONE);
	standing_prepare(&ring, "hello", false);
	assert_int_equal(standing_now(&ring), STANDING_NONE);
	standing_begins(&ring, STANDING_TEXT);
	assert_int_equal(standing_now(&ring), STANDING_TYPING);
	standing_done(&ring, STANDING_TEXT, STANDING_ALL);
	assert_int_equal(standing_now(&ring), STANDING_TYPED);
	assert_true(standing_is(&ring, "hello"));
	assert_false(standing_is(&ring, "hello "));
	standing_text(&ring, text);
	assert_string_equal(text, "hello");
	standing_begins(&ring, STANDING_SUBMIT);
	assert_int_equal(standing_now(&ring), STANDING_SUBMITTING);
	standing_done(&ring, STANDING_SUBMIT, STANDING_ALL);
	assert_int_equal(standing_now(&ring), STANDING_NONE);
}

static void
each_extent_leads_where_it_must(void **state)
{
	static const struct {
		enum standing_part part;
		enum standing_extent extent;
		enum standing from, to;
	} steps[] = {
		{ STANDING_TEXT, STANDING_NOTHING, STANDING_NONE,
		    STANDING_NONE },
		{ STANDING_TEXT, STANDING_SOME, STANDING_NONE,
		    STANDING_TYPING },
		{ STANDING_TEXT, STANDING_ALL, STANDING_TYPING,
		    STANDING_TYPED },
		{ STANDING_SUBMIT, STANDING_NOTHING, STANDING_TYPED,
		    STANDING_TYPED },
		{ STANDING_SUBMIT, STANDING_SOME, STANDING_TYPED,
		    STANDING_SUBMITTING },
		{ STANDING_SUBMIT, STANDING_ALL, STANDING_TYPED,
		    STANDING_NONE },
		{ STANDING_SUBMIT, STANDING_ALL, STANDING_NONE, STANDING_NONE },
		{ STANDING_SUBMIT, STANDING_NOTHING, STANDING_NONE,
		    STANDING_NONE },
		{ STANDING_ASIDE, STANDING_ALL, STANDING_TYPED,
		    STANDING_TYPED },
		{ STANDING_OTHER, STANDING_ALL, STANDING_TYPED, STANDING_NONE },
		{ STANDING_OTHER, STANDING_SOME, STANDING_TYPED,
		    STANDING_NONE },
		{ STANDING_OTHER, STANDING_NOTHING, STANDING_TYPED,
		    STANDING_TYPED },
		{ STANDING_OTHER, STANDING_ALL, STANDING_NONE, STANDING_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct ring_shared ring = { 0 };

		ring.prompt_at = steps[i].from;
		if (write_piece(&ring, steps[i].part, steps[i].extent) !=
		    steps[i].to)
			fail_msg("step %zu", i);
	}
}

static void
a_secret_is_not_kept(void **state)
{
	struct ring_shared ring = { 0 };
	char text[STANDING_TEXT_MAX];

	(void)state;
	standing_prepare(&ring, "hunter2", true);
	write_piece(&ring, STANDING_TEXT, STANDING_ALL);
	assert_true(standing_is(&ring, "hunter2"));
	standing_text(&ring, text);
	assert_string_equal(text, "");
}

static void
a_long_text_is_cut_between_characters(void **state)
{
	struct ring_shared ring = { 0 };
	char text[1000], kept[STANDING_TEXT_MAX];

	(void)state;
	for (size_t lead = 0; lead < 4; lead++) {
		memset(text, 'x', lead);
		text[lead] = '\0';
		while (strlen(text) < 900)
			strcat(text, "\xe8\xa7\xa3");
		standing_prepare(&ring, text, false);
		standing_text(&ring, kept);
		assert_true(utf8_valid((uint8_t *)kept, strlen(kept)));
		assert_in_range(strlen(kept), 252, 255);
		assert_memory_equal(kept, text, strlen(kept));
		assert_true(standing_is(&ring, text));
	}
}

static void
what_nobody_knows_is_not_typed_behind(void **state)
{
	struct ring_shared ring = { .prompt_at = 99 };

	(void)state;
	assert_int_equal(standing_now(&ring), STANDING_TYPING);
	memset(ring.prompt_text, 'x', sizeof(ring.prompt_text));
	standing_clear(&ring);
	assert_int_equal(standing_now(&ring), STANDING_NONE);
	assert_int_equal(ring.prompt_text[0], '\0');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_stands_until_its_key_is_written),
		cmocka_unit_test(each_extent_leads_where_it_must),
		cmocka_unit_test(a_secret_is_not_kept),
		cmocka_unit_test(a_long_text_is_cut_between_characters),
		cmocka_unit_test(what_nobody_knows_is_not_typed_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
