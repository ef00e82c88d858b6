#ifndef TEND_CAST_JSON_IN_H
#define TEND_CAST_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * A strict JSON reader (RFC 8259) that walks over bytes in memory and builds
 * no tree, so reading costs no more memory than the text itself, whatever the
 * text is.  The caller asks for what it expects:
 *
 *	json_in_enter(j, '{');
 *	while (json_in_more(j)) {
 *		json_in_key(j, key, sizeof(key));
 *		...one of string, number, skip, enter...
 *	}
 *
 * The first mistake is kept in `why` and everything after it does nothing, so
 * one look at the end is enough.  The bytes must be valid UTF-8.
 */
#define JSON_IN_DEPTH 64 /* deeper nesting is refused */

struct json_in {
	const uint8_t *start, *p, *end;
	const char *why; /* what is wrong at p, or NULL */
	bool ended;      /* ... and it is that the text ends too soon */
	bool first;      /* just entered: no comma is due */
	unsigned depth;
	char close[JSON_IN_DEPTH]; /* what ends each open container */
};

void json_in_init(struct json_in *j, const void *p, size_t len);

/* The first byte of the next value ('"', '{', '-' ...), or 0 at the end. */
char json_in_peek(struct json_in *j);

/* Go into the object ('{') or array ('[') that comes next. */
void json_in_enter(struct json_in *j, char open);

/* True if another member or element follows; when not, it has been left. */
bool json_in_more(struct json_in *j);

/* A member's name and its colon.  One that does not fit is given as "". */
void json_in_key(struct json_in *j, char *out, size_t size);

/*
 * A string, decoded, in place of what out held.  A lone surrogate becomes
 * U+FFFD.  A string that passes out's maximum is a mistake.
 */
void json_in_string(struct json_in *j, struct buf *out);

/* A number; one beyond the range of double is infinite. */
double json_in_number(struct json_in *j);

/* Any value. */
void json_in_skip(struct json_in *j);

/* Nothing but blanks may follow. */
void json_in_end(struct json_in *j);

#endif
