#include "unit.h"

#include <string.h>

#include "base/utf8.h"
#include "host/input/draft.h"
#include "keep/ring.h"

/* Write a piece to this extent. */
static enum draft
write_piece(struct ring_shared *ring, enum draft_part part,
    enum draft_extent extent)
{
	draft_begins(ring, part);
	draft_done(ring, part, extent);
	return draft_now(ring);
}

static void
a_draft_exists_until_its_key_is_written(void **state)
{
	struct ring_shared ring = { 0 };
	char text[DRAFT_TEXT_MAX];

	(void)state;
	assert_int_equal(draft_now(&ring), DRAFT_NONE);
	draft_prepare(&ring, "hello", false);
	assert_int_equal(draft_now(&ring), DRAFT_NONE);
	draft_begins(&ring, DRAFT_TEXT);
	assert_int_equal(draft_now(&ring), DRAFT_TYPING);
	draft_done(&ring, DRAFT_TEXT, DRAFT_ALL);
	assert_int_equal(draft_now(&ring), DRAFT_TYPED);
	assert_true(draft_is(&ring, "hello"));
	assert_false(draft_is(&ring, "hello "));
	draft_text(&ring, text);
	assert_string_equal(text, "hello");
	draft_begins(&ring, DRAFT_SUBMIT);
	assert_int_equal(draft_now(&ring), DRAFT_SUBMITTING);
	draft_done(&ring, DRAFT_SUBMIT, DRAFT_ALL);
	assert_int_equal(draft_now(&ring), DRAFT_NONE);
}

static void
a_write_moves_the_draft_to_its_next_state(void **state)
{
	static const struct {
		enum draft_part part;
		enum draft_extent extent;
		enum draft from, to;
	} steps[] = {
		{ DRAFT_TEXT, DRAFT_NOTHING, DRAFT_NONE, DRAFT_NONE },
		{ DRAFT_TEXT, DRAFT_SOME, DRAFT_NONE, DRAFT_TYPING },
		{ DRAFT_TEXT, DRAFT_ALL, DRAFT_TYPING, DRAFT_TYPED },
		{ DRAFT_SUBMIT, DRAFT_NOTHING, DRAFT_TYPED, DRAFT_TYPED },
		{ DRAFT_SUBMIT, DRAFT_SOME, DRAFT_TYPED, DRAFT_SUBMITTING },
		{ DRAFT_SUBMIT, DRAFT_ALL, DRAFT_TYPED, DRAFT_NONE },
		{ DRAFT_SUBMIT, DRAFT_ALL, DRAFT_NONE, DRAFT_NONE },
		{ DRAFT_SUBMIT, DRAFT_NOTHING, DRAFT_NONE, DRAFT_NONE },
		{ DRAFT_ASIDE, DRAFT_ALL, DRAFT_TYPED, DRAFT_TYPED },
		{ DRAFT_OTHER, DRAFT_ALL, DRAFT_TYPED, DRAFT_NONE },
		{ DRAFT_OTHER, DRAFT_SOME, DRAFT_TYPED, DRAFT_NONE },
		{ DRAFT_OTHER, DRAFT_NOTHING, DRAFT_TYPED, DRAFT_TYPED },
		{ DRAFT_OTHER, DRAFT_ALL, DRAFT_NONE, DRAFT_NONE },
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
	char text[DRAFT_TEXT_MAX];

	(void)state;
	draft_prepare(&ring, "hunter2", true);
	write_piece(&ring, DRAFT_TEXT, DRAFT_ALL);
	assert_true(draft_is(&ring, "hunter2"));
	draft_text(&ring, text);
	assert_string_equal(text, "");
}

static void
a_long_text_is_cut_between_characters(void **state)
{
	struct ring_shared ring = { 0 };
	char text[1000], kept[DRAFT_TEXT_MAX];

	(void)state;
	for (size_t lead = 0; lead < 4; lead++) {
		memset(text, 'x', lead);
		text[lead] = '\0';
		while (strlen(text) < 900)
			strcat(text, "\xe8\xa7\xa3");
		draft_prepare(&ring, text, false);
		draft_text(&ring, kept);
		assert_true(utf8_valid((uint8_t *)kept, strlen(kept)));
		assert_in_range(strlen(kept), 252, 255);
		assert_memory_equal(kept, text, strlen(kept));
		assert_true(draft_is(&ring, text));
	}
}

static void
an_unknown_state_counts_as_typing(void **state)
{
	struct ring_shared ring = { .prompt_at = 99 };

	(void)state;
	assert_int_equal(draft_now(&ring), DRAFT_TYPING);
	memset(ring.prompt_text, 'x', sizeof(ring.prompt_text));
	draft_clear(&ring);
	assert_int_equal(draft_now(&ring), DRAFT_NONE);
	assert_int_equal(ring.prompt_text[0], '\0');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_draft_exists_until_its_key_is_written),
		cmocka_unit_test(a_write_moves_the_draft_to_its_next_state),
		cmocka_unit_test(a_secret_is_not_kept),
		cmocka_unit_test(a_long_text_is_cut_between_characters),
		cmocka_unit_test(an_unknown_state_counts_as_typing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
