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
 *         the permission of its operation.  A field of a result with
 *         `@admin` is null for a reader without that permission (visible.h);
 *         a list of sessions loses those on which the reader lacks it
 * type    alternatives, as in `number|null`.  Each is a name: string, number
 *         (whole, from 0), int (whole), real, duration, bool, object, array,
 *         any, null, or one of types.def.  A range may follow, then `[]` for
 *         an array of such values or `{}` for an object of them, and then a
 *         range of the array's length: `string[1-255][][1-]` is a list of
 *         non-empty strings with at least one item.  In a result that is no
 *         list of fields, `session@observe|named_session` is an alternative
 *         for readers with a permission on the session; the answer for others
 *         is the next one, which has some of its fields or none
 * range   `[2-2000]` or `[1-]`, of a number's value, a duration's milliseconds,
 *         a string's bytes or an array's items
 */

/*
 * Parse the next field of a list.  Returns 1 and moves *at behind it; 0 at the
 * end.
 */
#define TYPE_NAME_SIZE 32
#define TYPE_SIZE 96
struct type_field {
	char name[TYPE_NAME_SIZE];
	char type[TYPE_SIZE];
	bool optional;                   /* `?` */
	bool home;                       /* `@home`: only a home accepts it */
	char permission[TYPE_NAME_SIZE]; /* needed as well, or "" */
};
int type_next_field(const char **at, struct type_field *out);

/* Find a field by name; false if there is none. */
bool type_find_field(const char *fields, const char *name,
    struct type_field *out);

/*
 * Parse the next alternative of a type.  Returns 1 and moves *at behind it; 0
 * at the end.
 */
struct type_range {
	uint64_t least, most; /* 0 and UINT64_MAX: any */
};
struct type_term {
	char name[TYPE_NAME_SIZE];
	unsigned arrays;                 /* the number of `[]` */
	bool map;                        /* `{}` */
	struct type_range range;         /* of the value */
	struct type_range items;         /* of the outermost array */
	char permission[TYPE_NAME_SIZE]; /* of its reader, or "" */
};
int type_next_term(const char **at, struct type_term *out);

/* True if the type is this name alone, whatever its range. */
bool type_is(const char *type, const char *name);

/* The rows of types.def; type_table has type_count() of them. */
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

/*
 * Copy the next word of a choice to `out`, and move *at behind it.  `words` is
 * the whole list, at which *at begins; duplicates are skipped.  Returns 1, or
 * 0 at the end.
 */
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
 * value in that message.
 *
 * In arguments, a string must not contain a NUL, and null counts as missing.
 * type_check_argument does not check the fields of a ONE_OF: its own reader
 * (input_item, batch_step) checks them and gives a better reason.
 */
int type_check(const char *type, const json_t *v, const char *where,
    struct error *err);
int type_check_argument(const char *type, const json_t *v, const char *where,
    struct error *err);

/* The same for a result: fields, a type, or "" for an empty object. */
int type_check_result(const char *result, const json_t *v, struct error *err);

/* True if a value has the JSON kind of the type, whatever its contents. */
bool type_is_kind(const char *type, const json_t *v);

/* Read a duration as milliseconds; false if it is invalid. */
bool type_read_duration(const json_t *v, uint64_t *ms);

/*
 * Write the members of a type's JSON schema into an object that the caller has
 * opened.  For an object of types.def, write a $ref: `refs`, as in "#/$defs/",
 * and its name.  If `refs` is NULL, write its schema instead.
 */
void type_put_schema(const char *type, const char *refs, struct json_out *j);

/*
 * Write the schema of an object with these fields, or of a result, with its
 * braces.
 */
void type_put_fields_schema(const char *fields, const char *refs,
    struct json_out *j);
void type_put_result_schema(const char *result, const char *refs,
    struct json_out *j);

/*
 * Write the schemas of all objects of types.def as one JSON object, by name.
 */
void type_put_definitions(const char *refs, struct json_out *j);

#endif
