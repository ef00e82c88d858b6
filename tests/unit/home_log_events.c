#include "unit.h"

#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "home/log_sink.h"
#include "log/reader.h"
#include "log/record.h"
#include "op/type.h"

#define PAYLOAD 64
#define TYPES 256

/* Each line must match the type `event` of op/types.def. */
static void
is_declared(const struct buf *out)
{
	auto_json json_t *line = json_loadb((const char *)out->data, out->len,
	    JSON_ALLOW_NUL, NULL);
	struct error err;

	if (line == NULL || type_check_result("event", line, &err) < 0)
		fail_msg("%.*s: %s", (int)out->len, (const char *)out->data,
		    line == NULL ? "not JSON" : err.msg);
}

static void
show(const struct record *rec)
{
	struct log_sink *sink;
	struct buf out;

	buf_init(&out, 1u << 20);
	sink = log_events_create(&out, false);
	if (rec->type == RECORD_OUTPUT)
		sink->ops->output(sink, rec, 5, rec->payload, rec->len, true);
	else
		sink->ops->event(sink, rec, true);
	is_declared(&out);
	sink->ops->destroy(sink);
	buf_finish(&out);
}

/* Each fill sets other flags and names. */
static void
every_type_of_record_is_a_declared_event(void **state)
{
	static const uint8_t fills[] = { 0, 1, 2, 3 };
	uint8_t payload[PAYLOAD];

	(void)state;
	for (unsigned type = 0; type < TYPES; type++) {
		for (size_t i = 0; i < sizeof(fills); i++) {
			struct record rec = { .type = (uint8_t)type,
				.len = sizeof(payload),
				.seq = 3,
				.payload = payload };

			memset(payload, fills[i], sizeof(payload));
			show(&rec);
			rec.flags = RECORD_FRAME | RECORD_HIDDEN | RECORD_FULL;
			show(&rec);
		}
	}
}

static void
an_object_in_a_record_is_a_declared_event(void **state)
{
	static const char json[] = "{\"what\":\"name\",\"by\":\"uid:1\"}";

	(void)state;
	for (unsigned type = 0; type < TYPES; type++)
		if (record_is_json(type))
			show(&(struct record){ .type = (uint8_t)type,
			    .len = sizeof(json) - 1,
			    .payload = (const uint8_t *)json });
}

static void
bytes_that_are_not_text_are_a_declared_event(void **state)
{
	(void)state;
	show(&(struct record){ .type = RECORD_OUTPUT,
	    .len = 2,
	    .payload = (const uint8_t *)"\xFF\xFE" });
}

static void
damage_is_a_declared_event(void **state)
{
	struct log_sink *sink;
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	sink = log_events_create(&out, false);
	sink->ops->damage(sink, &(struct log_damage){ .torn = true });
	is_declared(&out);
	sink->ops->destroy(sink);
	buf_finish(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_of_record_is_a_declared_event),
		cmocka_unit_test(an_object_in_a_record_is_a_declared_event),
		cmocka_unit_test(bytes_that_are_not_text_are_a_declared_event),
		cmocka_unit_test(damage_is_a_declared_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
