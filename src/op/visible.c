#include "op/visible.h"

#include <stdbool.h>
#include <string.h>

#include "op/ops.h"
#include "op/type.h"

static void limit_fields(const struct visible *by, const char *fields,
    json_t *v);

/* With the permissions on the session that an object is about. */
static struct visible
inside(const struct visible *by, const json_t *v)
{
	const char *id = json_string_value(json_object_get(v, "id"));
	const char *name = json_string_value(json_object_get(v, "name"));
	struct visible in = *by;

	if (id != NULL && name != NULL)
		in.granted = by->rights(by->arg, id, name);
	return in;
}

static bool
may_see(const struct visible *by, const char *permission)
{
	return permission[0] == '\0' ||
	    (by->granted & (1u << op_permission_find(permission))) != 0;
}

/* ------------------------------------------------------------ alternatives */

/* The fields of an alternative if the object has them; NULL: another one. */
static const char *
fields_of(const struct type_term *t, const json_t *v)
{
	const struct type *named = type_find(t->name);
	struct type_field f;
	const char *at;

	if (named == NULL || named->kind != TYPE_OBJECT || t->arrays > 0 ||
	    t->map)
		return NULL;
	for (at = named->body; type_next_field(&at, &f);) {
		if (!f.optional && json_object_get(v, f.name) == NULL)
			return NULL;
	}
	return named->body;
}

static void
keep_only(const char *fields, json_t *v)
{
	struct type_field f;
	const char *name;
	json_t *member;
	void *next;

	json_object_foreach_safe(v, next, name, member)
	{
		if (!type_find_field(fields, name, &f))
			json_object_del(v, name);
	}
}

static void
limit_object(const struct visible *by, const char *type, json_t *v)
{
	const struct visible in = inside(by, v);
	bool reduce = false;
	struct type_term t;

	while (type_next_term(&type, &t)) {
		const char *fields = fields_of(&t, v);

		if (fields == NULL)
			continue;
		reduce = reduce || !may_see(&in, t.permission);
		if (!may_see(&in, t.permission))
			continue;
		if (reduce)
			keep_only(fields, v);
		limit_fields(&in, fields, v);
		return;
	}
	if (reduce)
		json_object_clear(v);
}

static void
limit_value(const struct visible *by, const char *type, json_t *v)
{
	struct type_term t;
	const char *at = type, *name;
	json_t *member;
	size_t i;

	if (!type_next_term(&at, &t))
		return;
	if (t.arrays > 0)
		json_array_foreach(v, i, member)
		    limit_value(by, t.name, member);
	else if (t.map)
		json_object_foreach(v, name, member)
		    limit_value(by, t.name, member);
	else if (json_is_object(v))
		limit_object(by, type, v);
}

/* ------------------------------------------------------------------ fields */

/* A list is left with the items that are about visible sessions. */
static void
limit_list(const struct visible *by, const char *permission, json_t *list)
{
	for (size_t i = json_array_size(list); i-- > 0;) {
		const struct visible in = inside(by, json_array_get(list, i));

		if (!may_see(&in, permission))
			json_array_remove(list, i);
	}
}

static void
limit_fields(const struct visible *by, const char *fields, json_t *v)
{
	struct type_field f;

	while (type_next_field(&fields, &f)) {
		json_t *member = json_object_get(v, f.name);

		if (json_is_array(member))
			limit_list(by, f.permission, member);
		else if (member != NULL && !may_see(by, f.permission))
			json_object_set_new(v, f.name, json_null());
		limit_value(by, f.type, json_object_get(v, f.name));
	}
}

void
visible_limit(const struct visible *by, const char *type, json_t *v)
{
	if (type[0] == '\0' || strchr(type, ':') != NULL)
		limit_fields(by, type, v);
	else
		limit_value(by, type, v);
}
