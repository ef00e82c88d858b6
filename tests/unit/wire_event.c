#include "unit.h"

#include <jansson.h>
#include <string.h>

#include "base/buf.h"
#include "wire/event.h"

static json_t *
parse(struct buf *b)
{
	json_t *tree = json_loadb((const char *)b->data, b->len, 0, NULL);

	assert_non_null(tree);
	buf_finish(b);
	return tree;
}

/* Field by field, in the order of the table, and nothing else. */
static void
is_as_declared(struct buf *b, enum wire_event_id id)
{
	static const json_type types[] = {
		[WIRE_EVENT_NUMBER] = JSON_INTEGER,
		[WIRE_EVENT_BOOL] = JSON_TRUE,
		[WIRE_EVENT_TEXT] = JSON_STRING,
		[WIRE_EVENT_JSON] = JSON_OBJECT,
	};
	const struct wire_event *e = &wire_events[id];
	json_t *tree = parse(b);
	size_t n = 1;

	assert_string_equal(json_string_value(json_object_get(tree, "event")),
	    e->name);
	for (size_t i = 0; e->fields[i].name != NULL; i++, n++)
		assert_int_equal(json_typeof(
				     json_object_get(tree, e->fields[i].name)),
		    types[e->fields[i].kind]);
	assert_int_equal(json_object_size(tree), n);
	json_decref(tree);
}

/* Each encoder with a value in every field. */
static void
every_event_has_the_fields_of_the_table(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
#define BEGIN(name, NAME, summary) \
	{ \
		enum wire_event_id id = WIRE_EVENT_##NAME; \
		struct wire_event_##name e = { 0 };
#define NUMBER(name, field) e.field = 7;
#define BOOL(name, field) e.field = true;
#define TEXT(name, field) e.field = "text";
#define JSON(name, field) e.field = "{}";
#define END(name) \
	wire_event_put_##name(&b, &e); \
	is_as_declared(&b, id); \
	}
#define PLAIN(name, NAME, summary) \
	wire_event_put_plain(&b, WIRE_EVENT_##NAME); \
	is_as_declared(&b, WIRE_EVENT_##NAME);
#include "wire/event.def"
}

static void
an_event_with_one_text_takes_its_key_from_the_table(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	wire_event_put_text(&b, WIRE_EVENT_OOM, "cc1");
	buf_putc(&b, '\0');
	assert_string_equal((char *)b.data,
	    "{\"event\":\"oom\",\"process\":\"cc1\"}");
	buf_clear(&b);
	wire_event_put_text(&b, WIRE_EVENT_LEASE, NULL);
	buf_putc(&b, '\0');
	assert_string_equal((char *)b.data,
	    "{\"event\":\"lease\",\"holder\":null}");
	buf_finish(&b);
}

static void
events_are_found_by_name(void **state)
{
	(void)state;
	for (int i = 0; i < WIRE_EVENTS; i++)
		assert_int_equal(wire_event_find(wire_events[i].name), i);
	assert_int_equal(wire_event_find("frobbed"), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_has_the_fields_of_the_table),
		cmocka_unit_test(
		    an_event_with_one_text_takes_its_key_from_the_table),
		cmocka_unit_test(events_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
