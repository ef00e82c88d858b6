#ifndef TEND_BASE_JSON_OUT_H
#define TEND_BASE_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * Writes JSON straight into a buffer, without a tree: the cells of a large
 * screen would make a tree of a gigabyte.  It writes the commas; the caller
 * closes each object and array that it opens.  Check `full` of the buffer at
 * the end.
 */
struct json_out {
	struct buf *buf;
	bool comma; /* one is due before the next value */
};

void json_out_init(struct json_out *j, struct buf *buf);

void json_out_open(struct json_out *j, char bracket);  /* '{' or '[' */
void json_out_close(struct json_out *j, char bracket); /* '}' or ']' */
void json_out_key(struct json_out *j, const char *key);

/* Bytes that are not UTF-8 become U+FFFD. */
void json_out_string(struct json_out *j, const char *p, size_t len);
void json_out_text(struct json_out *j, const char *s);
void json_out_number(struct json_out *j, uint64_t n);
void json_out_int(struct json_out *j, int64_t n);
void json_out_bool(struct json_out *j, bool b);
void json_out_null(struct json_out *j);

/*
 * A value that is JSON already, from another source.  Characters that act on a
 * terminal are escaped: they occur only inside strings, as long as the text was
 * written without line breaks.
 */
void json_out_json(struct json_out *j, const char *json);

/*
 * A key and its value.  A text that is NULL is null, and so is a number that
 * is not known.
 */
void json_put_open(struct json_out *j, const char *key, char bracket);
void json_put_string(struct json_out *j, const char *key, const char *p,
    size_t len);
void json_put_text(struct json_out *j, const char *key, const char *s);
void json_put_number(struct json_out *j, const char *key, uint64_t n);
void json_put_int(struct json_out *j, const char *key, int64_t n);
void json_put_maybe(struct json_out *j, const char *key, bool known, int64_t n);
void json_put_bool(struct json_out *j, const char *key, bool b);
/*
 * Milliseconds since 1970 in the form of RFC 3339, UTC; null if they are not
 * positive.
 */
void json_put_time(struct json_out *j, const char *key, int64_t ms);

/* The text, or NULL if it is empty. */
static inline const char *
json_filled(const char *s)
{
	return s[0] != '\0' ? s : NULL;
}

/* An object with one text: {"key":"s"}. */
void json_out_member(struct json_out *j, const char *key, const char *s);
char *json_member(const char *key, const char *s);

#endif
