#ifndef TEND_LOG_PAYLOAD_JSON_H
#define TEND_LOG_PAYLOAD_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct buf;
struct record;

/*
 * The payloads that are JSON as structs.  records.def lists them; to add one, see
 * CONTRIBUTING.md.
 *
 *	struct payload_restart restart;
 *	auto_json json_t *tree = NULL;
 *
 *	if (payload_restart_of(&restart, rec, &tree))
 *		count = restart.count;
 *
 * Encoders take objects and arrays in the first member of a field; decoders give
 * them in the member NAME_tree.
 */
#define JSON_PART(id, summary) struct payload_##id {
#define JSON_RECORD(number, name, id, ID, summary) JSON_PART(id, summary)
#define STRING(id, field) const char *field;
#define STRING_OR_NULL(id, field) STRING(id, field)
#define STRING_OR_NONE(id, field) STRING(id, field)
#define NUMBER(id, field) uint64_t field;
#define INT(id, field) int64_t field;
#define INT_OR_NULL(id, field) INT(id, field)
#define BOOL(id, field) bool field;
#define STRINGS(id, field) \
	char *const *field; /* NULL at the end */ \
	const json_t *field##_tree;
#define OBJECT_OR_NULL(id, field) \
	const char *field; /* JSON */ \
	const json_t *field##_tree;
#define LIST(id, field, part) \
	const struct payload_##part *field; \
	size_t field##_count; \
	const json_t *field##_tree;
#define JSON_END(id) \
	} \
	; \
	void payload_##id##_read(struct payload_##id *out, \
	    const json_t *object);
/*
 * read: the fields of a tree, from which they borrow.  A member that is absent
 * or of another type gives NULL, 0 or false; an INT_OR_NULL gives -1.
 */
#include "log/records.def"

#define JSON_RECORD(number, name, id, ID, summary) \
	bool payload_##id##_of(struct payload_##id *out, \
	    const struct record *rec, json_t **tree); \
	bool payload_##id##_decode(struct payload_##id *out, const void *p, \
	    size_t len, json_t **tree); \
	void payload_##id##_encode(const struct payload_##id *in, \
	    struct buf *b);
/*
 * of: the payload of a record, whose fields borrow from *tree; the caller drops
 * that.  False, with *tree untouched, when the record has another type or its
 * payload is no object.
 * decode: the same, of a payload alone.
 * encode: append the payload; b->full is set if it did not fit.
 */
#include "log/records.def"

#endif
