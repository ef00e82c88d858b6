#ifndef TEND_WIRE_EVENT_H
#define TEND_WIRE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * The events of event.def.  Each has a struct of its fields and an encoder that
 * appends its JSON; those without fields share one.  To add an event, see
 * CONTRIBUTING.md.  Pure.
 */
enum wire_event_id {
#define BEGIN(name, NAME, summary) WIRE_EVENT_##NAME,
#define NUMBER(name, field)
#define BOOL(name, field)
#define TEXT(name, field)
#define JSON(name, field)
#define END(name)
#define PLAIN(name, NAME, summary) WIRE_EVENT_##NAME,
#include "wire/event.def"
	WIRE_EVENTS
};

#define BEGIN(name, NAME, summary) struct wire_event_##name {
#define NUMBER(name, field) uint64_t field;
#define BOOL(name, field) bool field;
#define TEXT(name, field) const char *field;
#define JSON(name, field) const char *field;
#define END(name) \
	} \
	; \
	void wire_event_put_##name(struct buf *out, \
	    const struct wire_event_##name *e);
#define PLAIN(name, NAME, summary)
#include "wire/event.def"

void wire_event_put_plain(struct buf *out, enum wire_event_id id);

/* An event whose only field is a text. */
void wire_event_put_text(struct buf *out, enum wire_event_id id,
    const char *value);

/* By its name: an enum wire_event_id, or -1 for one of a later version. */
int wire_event_find(const char *name);

/* The table as data, for the document and the tests. */
#define WIRE_EVENT_FIELDS_MAX 4

enum wire_event_kind {
	WIRE_EVENT_END,
	WIRE_EVENT_NUMBER,
	WIRE_EVENT_BOOL,
	WIRE_EVENT_TEXT,
	WIRE_EVENT_JSON,
};

struct wire_event {
	const char *name, *summary;
	struct {
		const char *name;
		enum wire_event_kind kind;
	} fields[WIRE_EVENT_FIELDS_MAX + 1];
};

extern const struct wire_event wire_events[WIRE_EVENTS];

#endif
