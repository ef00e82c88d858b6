#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "hub/directory.h"
#include "session/manifest.h"

#define A "01J0000000000000000000000A"
#define B "01J0000000000000000000000B"

/* The events so far, as in "created:web renamed:web>api". */
struct seen {
	struct directory_follower follower;
	char text[1024];
	char json[4096]; /* of the last one */
};

static void
on_event(void *arg, const struct directory_event *e)
{
	struct seen *s = arg;
	size_t len = strlen(s->text);

	snprintf(s->text + len, sizeof(s->text) - len, "%s%s:%s%s%s",
	    len > 0 ? " " : "", directory_type_name(e->type), e->from,
	    strcmp(e->from, e->name) != 0 ? ">" : "",
	    strcmp(e->from, e->name) != 0 ? e->name : "");
	snprintf(s->json, sizeof(s->json), "%s", e->json);
}

static struct directory *
make(struct seen *s)
{
	struct directory *d = directory_create();

	memset(s, 0, sizeof(*s));
	s->follower.fn = on_event;
	s->follower.arg = s;
	directory_follow(d, &s->follower);
	return d;
}

static void
fill(struct manifest *m, const char *id, const char *name)
{
	manifest_init(m);
	memcpy(m->id, id, ID_SIZE);
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->status = STATUS_RUNNING;
	m->created_ms = 1;
	m->cols = 80;
}

/* Take it, and return the new events. */
static const char *
take(struct directory *d, struct seen *s, const struct manifest *m)
{
	s->text[0] = '\0';
	directory_take(d, m);
	return s->text;
}

static void
sessions_found_at_the_start_are_not_new(void **state)
{
	struct seen s;
	struct directory *d = make(&s);
	struct manifest m;

	(void)state;
	fill(&m, A, "web");
	assert_string_equal(take(d, &s, &m), "");
	directory_begin(d);
	assert_string_equal(take(d, &s, &m), "");
	assert_int_equal(directory_last(d), 0);
	memcpy(m.id, B, ID_SIZE);
	assert_string_equal(take(d, &s, &m), "created:web");
	directory_destroy(d);
}

static void
each_change_is_an_event_of_its_type(void **state)
{
	struct seen s;
	struct directory *d = make(&s);
	struct manifest m;

	(void)state;
	directory_begin(d);
	fill(&m, A, "web");
	assert_string_equal(take(d, &s, &m), "created:web");
	m.seq = 9;
	strcpy(m.last_line, "$");
	assert_string_equal(take(d, &s, &m), "activity:web");
	assert_non_null(strstr(s.json, "\"seq\":9"));
	m.cols = 100;
	assert_string_equal(take(d, &s, &m), "changed:web");
	strcpy(m.name, "api");
	assert_string_equal(take(d, &s, &m), "renamed:web>api");
	m.notices.bells = 1;
	assert_string_equal(take(d, &s, &m), "notification:api");
	m.notices.count = 1;
	strcpy(m.title, "t");
	assert_string_equal(take(d, &s, &m), "notification:api");
	m.status = STATUS_EXITED;
	m.outcome = OUTCOME_EXITED;
	assert_string_equal(take(d, &s, &m), "ended:api");
	s.text[0] = '\0';
	directory_drop(d, A);
	assert_string_equal(s.text, "removed:api");
	assert_string_equal(s.json, "");
	directory_drop(d, A);
	assert_int_equal(directory_last(d), 8);
	directory_destroy(d);
}

static void
one_write_may_have_several_changes(void **state)
{
	struct seen s;
	struct directory *d = make(&s);
	struct manifest m;

	(void)state;
	directory_begin(d);
	fill(&m, A, "web");
	directory_take(d, &m);
	strcpy(m.name, "api");
	m.seq = 9;
	m.notices.count = 2;
	m.cols = 100;
	assert_string_equal(take(d, &s, &m),
	    "renamed:web>api notification:api changed:api");
	directory_destroy(d);
}

static void
sessions_are_kept_by_id(void **state)
{
	struct seen s;
	struct directory *d = make(&s);
	struct manifest m;

	(void)state;
	fill(&m, B, "b");
	directory_take(d, &m);
	fill(&m, A, "a");
	directory_take(d, &m);
	assert_int_equal(directory_count(d), 2);
	assert_string_equal(directory_at(d, 0)->name, "a");
	assert_string_equal(directory_find(d, B)->name, "b");
	assert_null(directory_find(d, "01J0000000000000000000000C"));
	assert_int_equal(directory_index(d, B), 1);
	directory_drop(d, A);
	assert_null(directory_find(d, A));
	assert_string_equal(directory_at(d, 0)->name, "b");
	directory_destroy(d);
}

static void
old_events_are_forgotten_and_that_is_a_gap(void **state)
{
	struct seen s;
	struct directory *d = make(&s);
	const struct directory_event *e;
	struct manifest m;
	bool gap;

	(void)state;
	directory_begin(d);
	fill(&m, A, "web");
	list_remove(&s.follower.link);
	for (uint64_t i = 0; i < DIRECTORY_EVENTS_MAX + 10; i++) {
		m.seq = i;
		directory_take(d, &m);
	}
	assert_null(directory_after(d, directory_last(d), &gap));
	assert_false(gap);
	e = directory_after(d, 10, &gap);
	assert_non_null(e);
	assert_int_equal(e->number, 11);
	assert_null(directory_after(d, 9, &gap));
	assert_true(gap);
	/* A number that never was: of another hub. */
	assert_null(directory_after(d, directory_last(d) + 1, &gap));
	assert_true(gap);
	directory_destroy(d);
}

static void
events_take_a_bounded_amount_of_memory(void **state)
{
	struct seen s;
	struct directory *d = make(&s);
	struct manifest m;
	size_t kept = 0;
	bool gap;

	(void)state;
	directory_begin(d);
	list_remove(&s.follower.link);
	fill(&m, A, "web");
	m.cwd = xmalloc(100001);
	memset(m.cwd, 'a', 100000);
	m.cwd[100000] = '\0';
	for (uint64_t i = 0; i < 100; i++) {
		m.seq = i;
		directory_take(d, &m);
	}
	for (uint64_t i = 0; i < 100; i++)
		kept += directory_after(d, i, &gap) != NULL;
	assert_in_range(kept, 1, DIRECTORY_EVENTS_SIZE / 100000);
	free(m.cwd);
	directory_destroy(d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sessions_found_at_the_start_are_not_new),
		cmocka_unit_test(each_change_is_an_event_of_its_type),
		cmocka_unit_test(one_write_may_have_several_changes),
		cmocka_unit_test(sessions_are_kept_by_id),
		cmocka_unit_test(old_events_are_forgotten_and_that_is_a_gap),
		cmocka_unit_test(events_take_a_bounded_amount_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
