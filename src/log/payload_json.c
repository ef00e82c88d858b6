#include "log/payload_json.h"

#include "base/json_out.h"
#include "base/json_tree.h"
#include "log/record.h"

static void
put_strings(struct json_out *j, const char *name, char *const *strings)
{
	json_put_open(j, name, '[');
	for (; strings != NULL && *strings != NULL; strings++)
		json_out_text(j, *strings);
	json_out_close(j, ']');
}

static void
put_object(struct json_out *j, const char *name, const char *json)
{
	json_out_key(j, name);
	if (json == NULL)
		json_out_null(j);
	else
		json_out_json(j, json);
}

#define JSON_PART(id, summary) \
	static void put_##id(struct json_out *j, \
	    const struct payload_##id *in) \
	{ \
		json_out_open(j, '{');
#define JSON_RECORD(number, name, id, ID, summary) JSON_PART(id, summary)
#define STRING(id, field) json_put_text(j, #field, in->field);
#define STRING_OR_NULL(id, field) json_put_text(j, #field, in->field);
#define STRING_OR_NONE(id, field) \
	if (in->field != NULL) \
		json_put_text(j, #field, in->field);
#define NUMBER(id, field) json_put_number(j, #field, in->field);
#define INT(id, field) json_put_int(j, #field, in->field);
#define INT_OR_NULL(id, field) \
	json_put_maybe(j, #field, in->field >= 0, in->field);
#define BOOL(id, field) json_put_bool(j, #field, in->field);
#define STRINGS(id, field) put_strings(j, #field, in->field);
#define OBJECT_OR_NULL(id, field) put_object(j, #field, in->field);
#define LIST(id, field, part) \
	json_put_open(j, #field, '['); \
	for (size_t i = 0; i < in->field##_count; i++) \
		put_##part(j, &in->field[i]); \
	json_out_close(j, ']');
#define JSON_END(id) \
	json_out_close(j, '}'); \
	}
#include "log/records.def"

#define JSON_RECORD(number, name, id, ID, summary) \
	void payload_##id##_encode(const struct payload_##id *in, \
	    struct buf *b) \
	{ \
		struct json_out j; \
		json_out_init(&j, b); \
		put_##id(&j, in); \
	}
#include "log/records.def"

static const char *
string(const json_t *value)
{
	return json_string_value(value);
}

static uint64_t
number(const json_t *value)
{
	json_int_t n = json_integer_value(value);

	return n > 0 ? (uint64_t)n : 0;
}

static int64_t
known(const json_t *value)
{
	return json_is_integer(value) ? json_integer_value(value) : -1;
}

static const json_t *
if_object(const json_t *value)
{
	return json_is_object(value) ? value : NULL;
}

static const json_t *
if_array(const json_t *value)
{
	return json_is_array(value) ? value : NULL;
}

#define MEMBER(field) json_object_get(object, #field)
#define JSON_PART(id, summary) \
	void payload_##id##_read(struct payload_##id *out, \
	    const json_t *object) \
	{ \
		*out = (struct payload_##id){ 0 };
#define JSON_RECORD(number, name, id, ID, summary) JSON_PART(id, summary)
#define STRING(id, field) out->field = string(MEMBER(field));
#define STRING_OR_NULL(id, field) STRING(id, field)
#define STRING_OR_NONE(id, field) STRING(id, field)
#define NUMBER(id, field) out->field = number(MEMBER(field));
#define INT(id, field) out->field = json_integer_value(MEMBER(field));
#define INT_OR_NULL(id, field) out->field = known(MEMBER(field));
#define BOOL(id, field) out->field = json_is_true(MEMBER(field));
#define STRINGS(id, field) out->field##_tree = if_array(MEMBER(field));
#define OBJECT_OR_NULL(id, field) out->field##_tree = if_object(MEMBER(field));
#define LIST(id, field, part) out->field##_tree = if_array(MEMBER(field));
#define JSON_END(id) }
#include "log/records.def"

#define JSON_RECORD(number, name, id, ID, summary) \
	bool payload_##id##_decode(struct payload_##id *out, const void *p, \
	    size_t len, json_t **tree) \
	{ \
		json_t *object = json_tree_object(p, len, NULL); \
		if (object == NULL) \
			return false; \
		payload_##id##_read(out, object); \
		*tree = object; \
		return true; \
	} \
	bool payload_##id##_of(struct payload_##id *out, \
	    const struct record *rec, json_t **tree) \
	{ \
		return rec->type == RECORD_##ID && \
		    payload_##id##_decode(out, rec->payload, rec->len, tree); \
	}
#include "log/records.def"
