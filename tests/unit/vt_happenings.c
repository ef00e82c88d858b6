#include "unit.h"

#include "vt/happenings.h"
#include "vt/types.h"

static const struct vt_event done = {
	.type = VT_EVENT_MARK,
	.number = 'D',
	.value = 3,
};
static const struct vt_event prompt = { .type = VT_EVENT_MARK, .number = 'A' };

static void
is(const struct happenings *h, uint64_t seq, int value)
{
	assert_int_equal(h->last[HAPPENING_DONE].seq, seq);
	assert_int_equal(h->last[HAPPENING_DONE].value, value);
}

static void
an_event_gets_the_seq_of_its_output(void **state)
{
	struct happenings h;

	(void)state;
	happenings_init(&h);
	is(&h, 0, -1);
	happenings_note(&h, &prompt);
	happenings_number(&h, 4);
	is(&h, 0, -1);
	happenings_note(&h, &done);
	is(&h, 0, -1);
	happenings_number(&h, 5);
	is(&h, 5, 3);
	happenings_number(&h, 6);
	is(&h, 5, 3);
}

static void
only_later_events_are_learned(void **state)
{
	struct happenings h, other;

	(void)state;
	happenings_init(&h);
	happenings_init(&other);
	other.last[HAPPENING_DONE] = (struct happening){ 5, 1 };
	happenings_learn(&h, &other);
	is(&h, 5, 1);
	other.last[HAPPENING_DONE] = (struct happening){ 4, 0 };
	happenings_learn(&h, &other);
	is(&h, 5, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_gets_the_seq_of_its_output),
		cmocka_unit_test(only_later_events_are_learned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
