#include "web/http.h"

#include <errno.h>
#include <llhttp.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/utf8.h"

#define CHUNK_DIGITS 8 /* of the size of a chunk */

enum state { IN_HEAD, IN_BODY, COMPLETE, BAD };

/* The next byte of a body.  A body with a length has DATA and DONE only. */
enum part {
	SIZE,
	SIZE_LF,
	DATA,
	DATA_CR,
	DATA_LF,
	LAST_CR, /* behind the chunk without bytes */
	LAST_LF,
	DONE
};

struct http {
	struct buf head; /* NUL-separated once it is complete */
	struct http_request request;
	enum state state;
	enum part part;
	uint64_t left;       /* bytes until the end of DATA; in SIZE: so far */
	unsigned digits;     /* of SIZE */
	const uint8_t *body; /* of the last HTTP_GOT_BODY */
	size_t body_len;
	int status;
	const char *reason;
};

static enum http_event
bad(struct http *h, int status, const char *reason)
{
	h->state = BAD;
	h->status = status;
	h->reason = reason;
	return HTTP_BAD;
}

/* --------------------------------------------------------------------- head */

static bool
is_token_char(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	    (c >= 'a' && c <= 'z') ||
	    (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool
is_token(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!is_token_char((uint8_t)p[i]))
			return false;
	}
	return len > 0;
}

static bool
is_value(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c != '\t' && (c < 0x20 || c == 0x7f))
			return false;
	}
	return true;
}

/* The byte of an escape, or -1. */
static int
escaped(const char *p)
{
	int high = hex_digit(p[0]), low = high < 0 ? -1 : hex_digit(p[1]);

	return low < 0 ? -1 : high << 4 | low;
}

/* Paths get into logs and errors, so they control no terminal. */
static bool
is_harmless(const char *p, size_t len)
{
	struct utf8 u = { 0 };

	for (size_t i = 0; i < len; i++) {
		uint32_t cp = ' ';

		if (utf8_step(&u, (uint8_t)p[i], &cp) > UTF8_DONE ||
		    utf8_acts(cp))
			return false;
	}
	return u.need == 0;
}

/* Decode a path in place: NULL, or the reason why it is refused. */
static const char *
decode_path(char *path)
{
	char *out = path;

	for (const char *p = path; *p != '\0'; p++) {
		int c = (unsigned char)*p;

		if (c == '%') {
			c = escaped(p + 1);
			if (c < 0)
				return "the path has an invalid escape";
			if (c == '/' || c == '\\')
				return "the path has an escaped separator";
			p += 2;
		}
		*out++ = (char)c;
	}
	*out = '\0';
	if (!is_harmless(path, (size_t)(out - path)))
		return "the path has control characters, or is not UTF-8";
	for (const char *p = strchr(path, '/'); p != NULL;
	     p = strchr(p + 1, '/')) {
		size_t n = strcspn(p + 1, "/");

		if ((n == 1 && p[1] == '.') ||
		    (n == 2 && p[1] == '.' && p[2] == '.'))
			return "the path has a dot segment";
	}
	return NULL;
}

/* The request line, without its end. */
static enum http_event
take_line(struct http *h, char *line)
{
	struct http_request *r = &h->request;
	char *target = strchr(line, ' '), *version, *query;
	const char *why;

	if (target == NULL)
		return bad(h, 400, "the request line is invalid");
	*target++ = '\0';
	version = strchr(target, ' ');
	if (version == NULL || strchr(version + 1, ' ') != NULL)
		return bad(h, 400, "the request line is invalid");
	*version++ = '\0';
	if (strcmp(version, "HTTP/1.1") != 0)
		return bad(h, 505, "only HTTP/1.1 is supported");
	if (!is_token(line, strlen(line)))
		return bad(h, 400, "the method is invalid");
	if (strlen(target) > HTTP_TARGET_MAX)
		return bad(h, 414, "the target is too long");
	if (target[0] != '/' || strpbrk(target, "#\\") != NULL)
		return bad(h, 400, "the target must be a path");
	for (const char *p = target; *p != '\0'; p++) {
		if ((unsigned char)*p <= 0x20 || (unsigned char)*p >= 0x7f)
			return bad(h, 400, "the target must be ASCII");
	}
	query = strchr(target, '?');
	if (query != NULL)
		*query++ = '\0';
	r->method = line;
	r->path = target;
	r->query = query != NULL ? query : "";
	why = decode_path(target);
	return why != NULL ? bad(h, 400, why) : HTTP_MORE;
}

static enum http_event
take_field(struct http *h, char *line)
{
	struct http_request *r = &h->request;
	char *colon = strchr(line, ':'), *value, *end;

	if (line[0] == ' ' || line[0] == '\t')
		return bad(h, 400, "a header field is folded");
	if (colon == NULL || !is_token(line, (size_t)(colon - line)))
		return bad(h, 400, "the name of a header field is invalid");
	if (r->n_fields == HTTP_FIELDS_MAX)
		return bad(h, 431, "there are too many header fields");
	*colon = '\0';
	for (char *p = line; *p != '\0'; p++) {
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	}
	value = colon + 1;
	value += strspn(value, " \t");
	end = value + strlen(value);
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	if (!is_value(value, (size_t)(end - value)))
		return bad(h, 400, "a header field has a control character");
	r->fields[r->n_fields++] = (struct http_field){ .name = line,
		.value = value };
	return HTTP_MORE;
}

/*
 * Fields that may be there several times, because their values are lists and
 * nothing here depends on them.  Two of any other field mean that somebody else
 * may have read the other one.
 */
static bool
may_repeat(const char *name)
{
	static const char *const names[] = { "accept", "accept-charset",
		"accept-encoding", "accept-language", "cache-control",
		"connection", "forwarded", "pragma", "via", "warning" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return strncmp(name, "x-forwarded-", 12) == 0;
}

static bool
has_duplicate(const struct http_request *r)
{
	for (unsigned i = 1; i < r->n_fields; i++) {
		const char *name = r->fields[i].name;

		if (http_field(r, name) != r->fields[i].value &&
		    !may_repeat(name))
			return true;
	}
	return false;
}

/* A number without sign, blank or list; llhttp would ignore an empty one. */
static bool
is_length(const char *value)
{
	uint64_t n;

	return number_take(&value, UINT64_MAX - 1, &n) && *value == '\0';
}

/* Fields that decide where the request ends, and for whom it is. */
static enum http_event
check_fields(struct http *h)
{
	const struct http_request *r = &h->request;
	const char *coding = http_field(r, "transfer-encoding");
	const char *length = http_field(r, "content-length");

	if (http_field(r, "host") == NULL)
		return bad(h, 400, "a request has exactly one Host");
	if (has_duplicate(r))
		return bad(h, 400, "a header field is there twice");
	if (coding != NULL && length != NULL)
		return bad(h, 400,
		    "Content-Length and Transfer-Encoding exclude each other");
	if (length != NULL && !is_length(length))
		return bad(h, 400, "Content-Length is no number");
	if (coding != NULL && strcasecmp(coding, "chunked") != 0)
		return bad(h, 501, "the only transfer coding is chunked");
	return HTTP_MORE;
}

/*
 * Split the complete head into lines, in place.  Every line ends with CRLF;
 * there is no other CR, LF or NUL.
 */
static enum http_event
split(struct http *h)
{
	char *p = (char *)h->head.data, *end = p + h->head.len - 2;
	enum http_event e = HTTP_MORE;
	bool first = true;

	if (memchr(p, '\0', h->head.len) != NULL)
		return bad(h, 400, "the head has a NUL");
	while (p < end && e == HTTP_MORE) {
		char *cr = memchr(p, '\r', (size_t)(end - p));

		if (cr == NULL || cr[1] != '\n')
			return bad(h, 400, "a line must end with CR and LF");
		*cr = '\0';
		if (memchr(p, '\n', (size_t)(cr - p)) != NULL)
			return bad(h, 400, "a line must end with CR and LF");
		e = first ? take_line(h, p) : take_field(h, p);
		first = false;
		p = cr + 2;
	}
	if (first)
		return bad(h, 400, "the request line is missing");
	return e == HTTP_MORE ? check_fields(h) : e;
}

static bool
wants_websocket(const struct http_request *r)
{
	const char *upgrade = http_field(r, "upgrade");

	return upgrade != NULL && strcasecmp(upgrade, "websocket") == 0;
}

static int
on_headers_complete(llhttp_t *parser)
{
	(void)parser;
	return HPE_PAUSED;
}

/* True if llhttp accepts the head, which nobody has changed yet. */
static bool
parse(const struct http *h, llhttp_t *parser)
{
	static const llhttp_settings_t settings = {
		.on_headers_complete = on_headers_complete,
	};

	llhttp_init(parser, HTTP_REQUEST, &settings);
	return llhttp_execute(parser, (const char *)h->head.data,
		   h->head.len) == HPE_PAUSED;
}

static void
begin_body(struct http *h, const llhttp_t *parser)
{
	struct http_request *r = &h->request;
	bool chunked = (parser->flags & F_CHUNKED) != 0;

	r->has_body = chunked || parser->content_length > 0;
	r->content_length = chunked ? UINT64_MAX : parser->content_length;
	h->state = IN_BODY;
	h->part = chunked ? SIZE : r->has_body ? DATA : DONE;
	h->left = chunked ? 0 : parser->content_length;
}

static enum http_event
take_head(struct http *h)
{
	struct http_request *r = &h->request;
	llhttp_t parser;
	bool accepted = parse(h, &parser);

	if (split(h) != HTTP_MORE)
		return HTTP_BAD;
	if (!accepted)
		return bad(h, 400, "the request is malformed");
	begin_body(h, &parser);
	r->keep_alive = llhttp_should_keep_alive(&parser);
	r->upgrade = wants_websocket(r);
	if (http_field(r, "upgrade") != NULL && !r->upgrade)
		return bad(h, 400, "the only upgrade is to a WebSocket");
	if (r->upgrade && r->has_body)
		return bad(h, 400, "an upgrade has no body");
	return HTTP_GOT_HEAD;
}

/*
 * Without these, a client of another protocol waits for an answer: NULL, or
 * the reason to refuse the head at once.  `from`: bytes that were looked at.
 */
static const char *
look_at(const struct buf *head, size_t from)
{
	const uint8_t *p = head->data;

	if (head->len > 0 && !is_token_char(p[0]))
		return "the request line is invalid";
	for (size_t i = from; i < head->len; i++) {
		if (p[i] == '\n' && p[i - 1] != '\r')
			return "a line must end with CR and LF";
	}
	return NULL;
}

/* Add bytes up to the end of the head; its end may be split. */
static enum http_event
collect_head(struct http *h, const uint8_t *p, size_t len, size_t *used)
{
	size_t before = h->head.len, room = HTTP_HEAD_MAX - before, from;
	size_t n = len < room ? len : room;
	const uint8_t *end;
	const char *why;

	(void)buf_append(&h->head, p, n);
	from = before > 3 ? before - 3 : 0;
	end = memmem(h->head.data + from, h->head.len - from, "\r\n\r\n", 4);
	if (end != NULL)
		h->head.len = (size_t)(end - h->head.data) + 4;
	*used = h->head.len - before;
	why = look_at(&h->head, before);
	if (why != NULL)
		return bad(h, 400, why);
	if (end != NULL)
		return take_head(h);
	if (h->head.len == HTTP_HEAD_MAX)
		return bad(h, 431, "the head is too long");
	return HTTP_MORE;
}

/* --------------------------------------------------------------------- body */

static bool
expect(struct http *h, uint8_t c, char want, enum part next)
{
	if (c != (uint8_t)want)
		return false;
	h->part = next;
	return true;
}

static bool
take_digit(struct http *h, uint8_t c)
{
	int digit = hex_digit((char)c);

	if (digit < 0)
		return h->digits > 0 && expect(h, c, '\r', SIZE_LF);
	h->left = h->left << 4 | (unsigned)digit;
	return ++h->digits <= CHUNK_DIGITS;
}

/* Take a byte around the bytes of chunks; false if there is another one. */
static bool
take_frame(struct http *h, uint8_t c)
{
	switch (h->part) {
	case SIZE:
		return take_digit(h, c);
	case SIZE_LF:
		return expect(h, c, '\n', h->left > 0 ? DATA : LAST_CR);
	case DATA_CR:
		return expect(h, c, '\r', DATA_LF);
	case DATA_LF:
		h->digits = 0;
		return expect(h, c, '\n', SIZE);
	case LAST_CR:
		return expect(h, c, '\r', LAST_LF);
	case LAST_LF:
		return expect(h, c, '\n', DONE);
	case DATA:
	case DONE:
		break;
	}
	return false;
}

static enum http_event
take_data(struct http *h, const uint8_t *p, size_t len, size_t *used)
{
	size_t n = len < h->left ? len : (size_t)h->left;
	bool chunked = h->request.content_length == UINT64_MAX;

	h->body = p;
	h->body_len = n;
	h->left -= n;
	*used += n;
	if (h->left == 0)
		h->part = chunked ? DATA_CR : DONE;
	return HTTP_GOT_BODY;
}

static enum http_event
take_body(struct http *h, const uint8_t *p, size_t len, size_t *used)
{
	for (; h->part != DONE && *used < len; ++*used) {
		if (h->part == DATA)
			return take_data(h, p + *used, len - *used, used);
		if (h->part == LAST_CR && p[*used] != '\r')
			return bad(h, 400, "trailers are not supported");
		if (h->part == SIZE && p[*used] == ';')
			return bad(h, 400,
			    "extensions of chunks are not supported");
		if (!take_frame(h, p[*used]))
			return bad(h, 400, "the body is malformed");
	}
	if (h->part != DONE)
		return HTTP_MORE;
	h->state = COMPLETE;
	return h->request.upgrade ? HTTP_UPGRADED : HTTP_END;
}

enum http_event
http_read(struct http *h, const void *p, size_t len, size_t *used)
{
	*used = 0;
	switch (h->state) {
	case IN_HEAD:
		return collect_head(h, p, len, used);
	case IN_BODY:
		return take_body(h, p, len, used);
	case COMPLETE:
		return h->request.upgrade ? HTTP_UPGRADED : HTTP_END;
	case BAD:
		break;
	}
	return HTTP_BAD;
}

static void
begin(struct http *h)
{
	buf_finish(&h->head);
	memset(h, 0, sizeof(*h));
	buf_init(&h->head, HTTP_HEAD_MAX);
}

struct http *
http_create(void)
{
	struct http *h = xcalloc(1, sizeof(*h));

	begin(h);
	return h;
}

void
http_destroy(struct http *h)
{
	if (h == NULL)
		return;
	buf_finish(&h->head);
	free(h);
}

void
http_next(struct http *h)
{
	begin(h);
}

const struct http_request *
http_request(const struct http *h)
{
	return &h->request;
}

void
http_body(const struct http *h, const uint8_t **p, size_t *len)
{
	*p = h->body;
	*len = h->body_len;
}

int
http_status(const struct http *h)
{
	return h->status;
}

const char *
http_reason(const struct http *h)
{
	return h->reason;
}

const char *
http_field(const struct http_request *r, const char *name)
{
	for (unsigned i = 0; i < r->n_fields; i++) {
		if (strcmp(r->fields[i].name, name) == 0)
			return r->fields[i].value;
	}
	return NULL;
}

/* -------------------------------------------------------------------- query */

/* Decode up to one of the bytes in `ends`; moves *at to it. */
static int
decode_part(const char **at, const char *ends, char *out, size_t size)
{
	size_t n = 0;

	for (; **at != '\0' && strchr(ends, **at) == NULL; (*at)++) {
		int c = **at == '+' ? ' ' : (unsigned char)**at;

		if (c == '%') {
			c = escaped(*at + 1);
			if (c <= 0)
				return -EINVAL;
			*at += 2;
		}
		if (n + 1 >= size)
			return -EINVAL;
		out[n++] = (char)c;
	}
	out[n] = '\0';
	return 0;
}

int
http_query_next(const char **at, char *name, size_t name_size, char *value,
    size_t value_size)
{
	*at += strspn(*at, "&");
	if (**at == '\0')
		return 0;
	if (decode_part(at, "=&", name, name_size) < 0)
		return -EINVAL;
	value[0] = '\0';
	if (**at != '=')
		return 1;
	(*at)++;
	return decode_part(at, "&", value, value_size) < 0 ? -EINVAL : 1;
}

bool
http_query_has(const struct http_request *r, const char *name)
{
	char key[256];

	for (const char *at = r->query; *at != '\0';) {
		/* An invalid name or value must not hide later ones. */
		if (decode_part(&at, "=&", key, sizeof(key)) == 0 &&
		    strcmp(key, name) == 0)
			return true;
		at += strcspn(at, "&");
		at += strspn(at, "&");
	}
	return false;
}
