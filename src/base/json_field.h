#ifndef TEND_BASE_JSON_FIELD_H
#define TEND_BASE_JSON_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct json_out;

/*
 * A JSON object as a table of a struct's members, for reading and for writing.
 * A key that is absent or null leaves its member as it was; a key that the
 * table does not know is ignored; a value of another type, or out of range, is
 * -EINVAL with the key's name in err.
 */
enum json_kind {
	JSON_FIELD_UINT, /* any unsigned member; a bool is no number */
	JSON_FIELD_INT,  /* int64_t or int */
	JSON_FIELD_BOOL, /* bool */
	JSON_FIELD_NOT,  /* bool, the other way round */
	JSON_FIELD_NAME, /* enum or bool: an index into names */
	JSON_FIELD_TEXT, /* char[]; too long is refused */
	JSON_FIELD_CUT,  /* char[]; too long is cut, at a character's border */
	JSON_FIELD_STRING, /* char *, the struct's; NULL is null */
};

struct json_field {
	const char *key; /* NULL ends a table */
	enum json_kind kind;
	size_t offset, size; /* of the member */
	uint64_t max;        /* UINT: largest; NAME: how many; STRING: bytes */
	const char *const *names;
};

/* A line of a table; `limit` as `max` above, 0 where it has no meaning. */
#define JSON_FIELD(type, member, key, kind, limit) \
	{ \
		key, JSON_FIELD_##kind, offsetof(type, member), \
		    sizeof(((type *)0)->member), limit, NULL \
	}
#define JSON_FIELD_NAMES(type, member, key, names) \
	{ \
		key, JSON_FIELD_NAME, offsetof(type, member), \
		    sizeof(((type *)0)->member), \
		    sizeof(names) / sizeof((names)[0]), names \
	}

int json_fields_read(const struct json_field *fields, const json_t *object,
    void *into, struct error *err);

/*
 * Key and value of every field, into an object that is open.  Those equal to
 * the same member of `defaults` are left out; with NULL none is.
 */
void json_fields_write(const struct json_field *fields, const void *from,
    const void *defaults, struct json_out *j);

/*
 * Which of n names s is, or -EINVAL and what there is: "input must be shared
 * or lease".
 */
int json_name_find(const char *what, const char *const *names, size_t n,
    const char *s, struct error *err);

#endif
