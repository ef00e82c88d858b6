#include "web/http.h"

#include <ctype.h>
#include <errno.h>
#include <llhttp.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#define PIECE 16384u /* of a body, given to llhttp at once */

enum state { IN_HEAD, IN_BODY, COMPLETE, BAD };

struct http {
	llhttp_t parser;
	struct buf head; /* NUL-separated once it is complete */
	size_t scanned;  /* bytes of head without an end */
	struct http_request request;
	struct buf body; /* the decoded part of the last piece */
	enum state state;
	bool complete; /* llhttp has seen the end of the message */
	bool trailer;
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

/* ------------------------------------------------------------------- llhttp */

static struct http *
of(llhttp_t *parser)
{
	return parser->data;
}

static int
on_headers_complete(llhttp_t *parser)
{
	(void)parser;
	return HPE_PAUSED;
}

static int
on_body(llhttp_t *parser, const char *p, size_t len)
{
	return buf_append(&of(parser)->body, p, len) == 0 ? 0 : -1;
}

/* After the head there are only trailers. */
static int
on_field(llhttp_t *parser, const char *p, size_t len)
{
	struct http *h = of(parser);

	(void)p;
	(void)len;
	if (h->state == IN_BODY)
		h->trailer = true;
	return 0;
}

static int
on_message_complete(llhttp_t *parser)
{
	of(parser)->complete = true;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_header_field = on_field,
	.on_headers_complete = on_headers_complete,
	.on_body = on_body,
	.on_message_complete = on_message_complete,
};

/* --------------------------------------------------------------------- head */

static bool
is_token(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)p[i]) &&
		    (p[i] == '\0' || strchr("!#$%&'*+-.^_`|~", p[i]) == NULL))
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

static int
hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The byte of an escape, or -1. */
static int
escaped(const char *p)
{
	int high = hex(p[0]), low = high < 0 ? -1 : hex(p[1]);

	return low < 0 ? -1 : high << 4 | low;
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
			if (c == '\0' || c == '/' || c == '\\')
				return "the path has an escaped separator or "
				       "NUL";
			p += 2;
		}
		*out++ = (char)c;
	}
	*out = '\0';
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
	for (char *p = line; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
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

static unsigned
count_field(const struct http_request *r, const char *name)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_fields; i++)
		n += strcmp(r->fields[i].name, name) == 0;
	return n;
}

/* Fields that decide where the request ends, and for whom it is. */
static enum http_event
check_fields(struct http *h)
{
	const struct http_request *r = &h->request;
	const char *coding = http_field(r, "transfer-encoding");

	if (count_field(r, "host") != 1)
		return bad(h, 400, "a request has exactly one Host");
	if (count_field(r, "content-length") > 1)
		return bad(h, 400, "Content-Length is there twice");
	if (coding != NULL && http_field(r, "content-length") != NULL)
		return bad(h, 400,
		    "Content-Length and Transfer-Encoding exclude each other");
	if (coding != NULL &&
	    (count_field(r, "transfer-encoding") > 1 ||
		strcasecmp(coding, "chunked") != 0))
		return bad(h, 501, "the only transfer coding is chunked");
	if (count_field(r, "authorization") > 1 ||
	    count_field(r, "cookie") > 1 || count_field(r, "origin") > 1)
		return bad(h, 400, "a header field is there twice");
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

static enum http_event
take_head(struct http *h)
{
	struct http_request *r = &h->request;
	struct buf copy;
	llhttp_errno_t e;

	/* llhttp reads the head as it was sent. */
	buf_init(&copy, HTTP_HEAD_MAX);
	(void)buf_append(&copy, h->head.data, h->head.len);
	if (split(h) != HTTP_MORE) {
		buf_finish(&copy);
		return HTTP_BAD;
	}
	e = llhttp_execute(&h->parser, (const char *)copy.data, copy.len);
	buf_finish(&copy);
	if (e != HPE_PAUSED)
		return bad(h, 400, "the request is malformed");
	r->keep_alive = llhttp_should_keep_alive(&h->parser);
	r->upgrade = wants_websocket(r);
	r->has_body = (h->parser.flags & F_CHUNKED) != 0 ||
	    ((h->parser.flags & F_CONTENT_LENGTH) != 0 &&
		h->parser.content_length > 0);
	r->content_length = (h->parser.flags & F_CHUNKED) != 0 ?
	    UINT64_MAX :
	    h->parser.content_length;
	if (http_field(r, "upgrade") != NULL && !r->upgrade)
		return bad(h, 400, "the only upgrade is to a WebSocket");
	if (r->upgrade && r->has_body)
		return bad(h, 400, "an upgrade has no body");
	llhttp_resume(&h->parser);
	h->state = IN_BODY;
	return HTTP_GOT_HEAD;
}

/* Add bytes up to the end of the head; its end may be split. */
static enum http_event
collect_head(struct http *h, const uint8_t *p, size_t len, size_t *used)
{
	size_t room = HTTP_HEAD_MAX - h->head.len, from, n;
	const uint8_t *end;

	n = len < room ? len : room;
	(void)buf_append(&h->head, p, n);
	from = h->scanned > 3 ? h->scanned - 3 : 0;
	end = memmem(h->head.data + from, h->head.len - from, "\r\n\r\n", 4);
	if (end == NULL) {
		*used = n;
		h->scanned = h->head.len;
		/* Without this, a client of another protocol waits. */
		if (h->head.data != NULL && h->head.data[0] == '\n')
			return bad(h, 400, "the request line is missing");
		if (h->head.len == HTTP_HEAD_MAX)
			return bad(h, 431, "the head is too long");
		return HTTP_MORE;
	}
	n = (size_t)(end - h->head.data) + 4;
	*used = n - (h->head.len - (len < room ? len : room));
	h->head.len = n;
	return take_head(h);
}

/* --------------------------------------------------------------------- body */

static enum http_event
take_body(struct http *h, const uint8_t *p, size_t len, size_t *used)
{
	size_t n = len < PIECE ? len : PIECE;
	llhttp_errno_t e;

	if (h->request.upgrade || !h->request.has_body) {
		h->state = COMPLETE;
		return h->request.upgrade ? HTTP_UPGRADED : HTTP_END;
	}
	if (h->complete) {
		h->state = COMPLETE;
		return HTTP_END;
	}
	if (n == 0)
		return HTTP_MORE;
	buf_clear(&h->body);
	e = llhttp_execute(&h->parser, (const char *)p, n);
	if (h->trailer)
		return bad(h, 400, "trailers are not supported");
	if (e == HPE_PAUSED && h->complete)
		*used = (size_t)(llhttp_get_error_pos(&h->parser) -
		    (const char *)p);
	else if (e == HPE_OK)
		*used = n;
	else
		return bad(h, 400, "the body is malformed");
	if (h->body.len > 0)
		return HTTP_GOT_BODY;
	return h->complete ? take_body(h, p, 0, used) : HTTP_MORE;
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
	llhttp_init(&h->parser, HTTP_REQUEST, &settings);
	h->parser.data = h;
	h->state = IN_HEAD;
	h->scanned = 0;
	h->complete = h->trailer = false;
	memset(&h->request, 0, sizeof(h->request));
	buf_finish(&h->head);
	buf_finish(&h->body);
	buf_init(&h->head, HTTP_HEAD_MAX);
	buf_init(&h->body, PIECE);
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
	buf_finish(&h->body);
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
	*p = h->body.data;
	*len = h->body.len;
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
	char key[HTTP_TARGET_MAX], value[HTTP_TARGET_MAX];
	const char *at = r->query;

	while (
	    http_query_next(&at, key, sizeof(key), value, sizeof(value)) > 0) {
		if (strcmp(key, name) == 0)
			return true;
	}
	return false;
}
