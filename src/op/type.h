#ifndef TEND_OP_TYPE_H
#define TEND_OP_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct error;
struct json_out;

/*
 * The language in which ops.def, types.def and commands.def declare arguments
 * and results.
 *
 * fields  words `name:type`, with a `?` at the end if the field is optional.
 *         Marks of an argument follow: `@home` if only a home accepts it, and
 *         the name of a permission, as in `@admin`, if it needs that besides
 *         the permission of its operation
 * type    alternatives, as in `number|null`.  Each is a name: string, number
 *         (whole, from 0), int (whole), real, duration, bool, object, array,
 *         any, null, or one of types.def.  A range may follow, then `[]` for
 *         an array of such values or `{}` for an object of them, and then a
 *         range of the array's length: `string[1-255][][1-]` is a list of
 *         non-empty strings with at least one item.
 * range   `[2-2000]` or `[1-]`, of a number's value, a duration's milliseconds,
 *         a string's bytes or an array's items
 */

/* Parse one word of fields: 1, with *at at the next; 0 at the end. */
#define TYPE_NAME_SIZE 32
#define TYPE_SIZE 96
struct type_field {
	char name[TYPE_NAME_SIZE];
	char type[TYPE_SIZE];
	bool optional;
	bool home;
	char permission[TYPE_NAME_SIZE]; /* needed as well, or "" */
};
int type_next_field(const char **at, struct type_field *out);

/* Find a field by name; false if there is none. */
bool type_find_field(const char *fields, const char *name,
    struct type_field *out);

/* Parse one alternative of a type: 1, with *at at the next; 0 at the end. */
struct type_range {
	uint64_t least, most; /* 0 and UINT64_MAX: any */
};
struct type_term {
	char name[TYPE_NAME_SIZE];
	unsigned arrays;         /* the number of `[]` */
	bool map;                /* `{}` */
	struct type_range range; /* of the value */
	struct type_range items; /* of the outermost array */
};
int type_next_term(const char **at, struct type_term *out);

/* True if the type is this name alone, whatever its range. */
bool type_is(const char *type, const char *name);

/* The rows of types.def. */
enum type_kind { TYPE_OBJECT, TYPE_ONE_OF, TYPE_CHOICE, TYPE_ALIAS };
struct type {
	const char *name;
	enum type_kind kind;
	const char *body; /* fields, words, or a type */
	const char *text;
};
extern const struct type type_table[];
size_t type_count(void);

/* Find a type by name; NULL if there is none. */
const struct type *type_find(const char *name);

/* True if values of the type are objects. */
bool type_is_object(const struct type *t);

/* The next word of a choice, without duplicates: 1, or 0 at the end. */
int type_next_word(const char *words, const char **at, char *out, size_t size);

/* A type in words, as in "a whole number from 2 to 2000". */
#define TYPE_WORDS_SIZE 200
void type_words(const char *type, char out[TYPE_WORDS_SIZE]);

/* The same for one alternative, appended to `out`. */
void type_term_words(const struct type_term *t, char out[TYPE_WORDS_SIZE]);

/*
 * Check a value against a type, or an object against fields.  The object must
 * have all required fields and no others.  Returns 0, or -EINVAL and the wrong
 * part: "'steps[2].seq' must be a whole number".  `where` is the name of the
 * value in that message.  In arguments, a string must not contain a NUL, and
 * null counts as missing.
 * An argument that is a ONE_OF has a reader of its own, which checks the value
 * and gives a better reason; this checks only its place in the argument.
 */
int type_check(const char *type, const json_t *v, const char *where,
    struct error *err);
int type_check_argument(const char *type, const json_t *v, const char *where,
    struct error *err);

/* The same for a result: fields, a type, or "" for an empty object. */
int type_check_result(const char *result, const json_t *v, struct error *err);

/* True if a value has the JSON kind of the type, whatever its contents. */
bool type_is_kind(const char *type, const json_t *v);

/* The milliseconds of a duration; false if it is invalid. */
bool type_read_duration(const json_t *v, uint64_t *ms);

/*
 * Write the members of a type's JSON schema into an open object.  An object of
 * types.def becomes a $ref: `refs`, as in "#/$defs/", and its name.  If
 * `refs` is NULL, its schema stands in place of the $ref.
 */
void type_put_schema(const char *type, const char *refs, struct json_out *j);

/* The schema of an object with these fields, or of any result. */
void type_put_fields_schema(const char *fields, const char *refs,
    struct json_out *j);
void type_put_result_schema(const char *result, const char *refs,
    struct json_out *j);

/* The schemas of all objects of types.def, by name, as one JSON object. */
void type_put_definitions(const char *refs, struct json_out *j);

#endif
