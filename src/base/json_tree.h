#ifndef TEND_BASE_JSON_TREE_H
#define TEND_BASE_JSON_TREE_H

#include <jansson.h>
#include <stddef.h>

struct buf;
struct error;

/*
 * JSON from outside as jansson's tree, the caller's to json_decref.  Refused,
 * with why: what is no JSON, more than one value, duplicate keys, U+0000 in a
 * string, and nesting deeper than JSON_TREE_DEPTH, which is looked at before
 * any memory is taken.  Bounding the length is the caller's business.
 */
#define JSON_TREE_DEPTH 32

/*
 * Have jansson take memory as mem.h does: without, it leaves bytes out of a
 * string and says nothing.  For the first line of a program.
 */
void json_tree_guard(void);

json_t *json_tree_read(const char *p, size_t len, struct error *err);

/* The same, and it must be an object. */
json_t *json_tree_object(const char *p, size_t len, struct error *err);

/*
 * A string of any text: bytes that are not UTF-8, such as the half of a
 * character at the end of a message that was cut, become U+FFFD.
 */
json_t *json_tree_text(const char *text);

/*
 * Append a tree as compact JSON.  Characters that act on a terminal are escaped,
 * as json_out.h does.
 */
void json_tree_write(const json_t *tree, struct buf *out);

/* The end of auto_json's scope; NULL is fine. */
static inline void
json_tree_drop(json_t **tree)
{
	json_decref(*tree);
}

/* A local tree that is given back on every way out of its scope. */
#define auto_json __attribute__((cleanup(json_tree_drop)))

#endif
