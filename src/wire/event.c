#include "wire/event.h"

#include <assert.h>
#include <string.h>

#include "base/json_out.h"

const struct wire_event wire_events[WIRE_EVENTS] = {
#define BEGIN(id, ID, text) \
	[WIRE_EVENT_##ID] = { .name = #id, .summary = text, .fields = {
#define NUMBER(id, field) { #field, WIRE_EVENT_NUMBER },
#define BOOL(id, field) { #field, WIRE_EVENT_BOOL },
#define TEXT(id, field) { #field, WIRE_EVENT_TEXT },
#define JSON(id, field) { #field, WIRE_EVENT_JSON },
#define END(id) \
	} \
	} \
	,
#define PLAIN(id, ID, text) \
	[WIRE_EVENT_##ID] = { .name = #id, .summary = text },
#include "wire/event.def"
};

static void
begin(struct json_out *j, struct buf *out, const char *name)
{
	json_out_init(j, out);
	json_out_open(j, '{');
	json_put_text(j, "event", name);
}

#define BEGIN(name, NAME, summary) \
	void wire_event_put_##name(struct buf *out, \
	    const struct wire_event_##name *e) \
	{ \
		struct json_out j; \
		begin(&j, out, #name);
#define NUMBER(name, field) json_put_number(&j, #field, e->field);
#define BOOL(name, field) json_put_bool(&j, #field, e->field);
#define TEXT(name, field) json_put_text(&j, #field, e->field);
#define JSON(name, field) \
	json_out_key(&j, #field); \
	json_out_json(&j, e->field);
#define END(name) \
	json_out_close(&j, '}'); \
	}
#define PLAIN(name, NAME, summary)
#include "wire/event.def"

void
wire_event_put_plain(struct buf *out, enum wire_event_id id)
{
	struct json_out j;

	assert(wire_events[id].fields[0].name == NULL);
	begin(&j, out, wire_events[id].name);
	json_out_close(&j, '}');
}

void
wire_event_put_text(struct buf *out, enum wire_event_id id, const char *value)
{
	const struct wire_event *e = &wire_events[id];
	struct json_out j;

	assert(
	    e->fields[0].kind == WIRE_EVENT_TEXT && e->fields[1].name == NULL);
	begin(&j, out, e->name);
	json_put_text(&j, e->fields[0].name, value);
	json_out_close(&j, '}');
}

int
wire_event_find(const char *name)
{
	for (int i = 0; i < WIRE_EVENTS; i++)
		if (strcmp(wire_events[i].name, name) == 0)
			return i;
	return -1;
}
