#ifndef TEND_WEB_HTTP_H
#define TEND_WEB_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads HTTP/1.1 requests, strictly.  llhttp parses them, without any of its
 * lenient flags.  Requests that it accepts and other servers read differently
 * are refused here: bare LF or CR, folded fields, a blank before the colon, no
 * Host, fields that are there twice and are no list, absolute and other targets
 * that are no path, dot segments, escaped slashes and control characters,
 * Content-Length beside Transfer-Encoding, codings other than chunked,
 * extensions of chunks, trailers, and versions other than 1.1.
 *
 * The result does not depend on how the bytes are split.
 */
#define HTTP_HEAD_MAX (16u << 10)
#define HTTP_FIELDS_MAX 64
#define HTTP_TARGET_MAX (8u << 10)

struct http;

enum http_event {
	HTTP_MORE,     /* all bytes were used; more are needed */
	HTTP_GOT_HEAD, /* http_request */
	HTTP_GOT_BODY, /* http_body */
	HTTP_END,      /* the request is complete; http_next begins another */
	HTTP_UPGRADED, /* likewise; later bytes are another protocol's */
	HTTP_BAD,      /* http_status and http_reason; there is no next one */
};

struct http_field {
	const char *name; /* in lower case */
	const char *value;
};

/* Valid from HTTP_GOT_HEAD until http_next. */
struct http_request {
	const char *method; /* "GET" and so on, as sent */
	const char *path;   /* decoded; UTF-8 without utf8_acts */
	const char *query;  /* as sent, without the question mark; "": none */
	struct http_field fields[HTTP_FIELDS_MAX];
	unsigned n_fields;
	bool keep_alive;
	bool upgrade;  /* to a WebSocket */
	bool has_body; /* of content_length bytes, or chunked: UINT64_MAX */
	uint64_t content_length;
};

struct http *http_create(void);
void http_destroy(struct http *h); /* NULL is fine */

/* Use some bytes: *used of them, up to the next event. */
enum http_event http_read(struct http *h, const void *p, size_t len,
    size_t *used);

const struct http_request *http_request(const struct http *h);

/* Bytes of the body, which are among those of the last http_read. */
void http_body(const struct http *h, const uint8_t **p, size_t *len);
void http_next(struct http *h);
int http_status(const struct http *h);
const char *http_reason(const struct http *h);

/* The value of a field by its name in lower case; NULL if there is none. */
const char *http_field(const struct http_request *r, const char *name);

/*
 * Take the next pair of a query, decoded: 1 and *at moves behind it; 0 at the
 * end; -EINVAL for a wrong escape or a part that does not fit.
 */
int http_query_next(const char **at, char *name, size_t name_size, char *value,
    size_t value_size);

/* True if the query has a parameter of this name, whatever its value. */
bool http_query_has(const struct http_request *r, const char *name);

#endif
