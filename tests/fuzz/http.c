/*
 * Hostile bytes from a client over HTTP.  The first byte chooses how the rest is
 * cut.  The reader gives the same requests for all of it at once, byte by byte
 * and in pieces.  Each request that it accepts is read again by a stricter and
 * simpler reader, below: nobody can smuggle a request if both agree on where
 * each one ends.
 */
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "web/http.h"

/* The text of all that a reader reports. */
struct account {
	struct buf text;
	struct buf body; /* of the present request */
	size_t begin;    /* of the present request */
	size_t head_end;
	bool over;
};

/* ---------------------------------------------------------- a second reader */

static bool
is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static bool
is_word(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!is_one_of(p[i],
			"!#$%&'*+-.^_`|~0123456789"
			"abcdefghijklmnopqrstuvwxyz"
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
			return false;
	}
	return len > 0;
}

/* The end of the line that begins at p, where CR and LF are. */
static const char *
line_end(const char *p, const char *end)
{
	while (end - p >= 2 && !(p[0] == '\r' && p[1] == '\n')) {
		MUST(*p != '\r' && *p != '\n' && *p != '\0');
		p++;
	}
	MUST(end - p >= 2);
	return p;
}

static bool
is_name(const char *p, size_t len, const char *name)
{
	return len == strlen(name) && strncasecmp(p, name, len) == 0;
}

/* A head, as far as the end of a request depends on it. */
struct framing {
	unsigned hosts, lengths, codings;
	uint64_t length;
};

static void
read_length(const char *p, const char *end, struct framing *f)
{
	MUST(p < end);
	for (; p < end; p++) {
		MUST(is_one_of(*p, "0123456789"));
		f->length = f->length * 10 + (uint64_t)(*p - '0');
	}
}

static void
check_field(const char *p, const char *end, struct framing *f)
{
	const char *colon = memchr(p, ':', (size_t)(end - p)), *value;
	size_t len;

	MUST(colon != NULL && is_word(p, (size_t)(colon - p)));
	len = (size_t)(colon - p);
	for (value = colon + 1; value < end && is_one_of(*value, " \t");)
		value++;
	while (end > value && is_one_of(end[-1], " \t"))
		end--;
	for (const char *c = value; c < end; c++)
		MUST((unsigned char)*c >= 0x20 ? *c != 0x7f : *c == '\t');
	f->hosts += is_name(p, len, "host");
	if (is_name(p, len, "content-length")) {
		f->lengths++;
		read_length(value, end, f);
	}
	if (is_name(p, len, "transfer-encoding")) {
		f->codings++;
		MUST(is_name(value, (size_t)(end - value), "chunked"));
	}
}

static void
check_line(const char *p, const char *end)
{
	static const char version[] = " HTTP/1.1";
	const char *blank = memchr(p, ' ', (size_t)(end - p));

	MUST(blank != NULL && is_word(p, (size_t)(blank - p)));
	MUST(blank[1] == '/');
	MUST((size_t)(end - blank) > strlen(version));
	end -= strlen(version);
	MUST(memcmp(end, version, strlen(version)) == 0);
	for (p = blank + 1; p < end; p++)
		MUST(*p > ' ' && *p < 0x7f && *p != '#' && *p != '\\');
}

static void
check_head(const char *p, const char *end, struct framing *f)
{
	const char *stop = line_end(p, end);

	memset(f, 0, sizeof(*f));
	MUST((size_t)(end - p) <= HTTP_HEAD_MAX);
	check_line(p, stop);
	for (p = stop + 2; (stop = line_end(p, end)) != p; p = stop + 2)
		check_field(p, stop, f);
	MUST(p + 2 == end);
	MUST(f->hosts == 1 && f->lengths <= 1 && f->codings <= 1);
	MUST(f->lengths + f->codings <= 1);
}

static void
must_be_part(const struct buf *body, size_t *at, const char *p, size_t len)
{
	MUST(len <= body->len - *at);
	MUST(len == 0 || memcmp(body->data + *at, p, len) == 0);
	*at += len;
}

static size_t
read_hex(const char *p, const char *end)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	size_t n = 0;

	MUST(p < end);
	for (; p < end; p++) {
		const char *digit = strchr(digits, *p);

		MUST(*p != '\0' && digit != NULL);
		n = n * 16 + (size_t)(digit - digits) % 16;
	}
	return n;
}

static void
check_chunks(const char *p, const char *end, const struct buf *body)
{
	size_t at = 0, n;

	do {
		const char *stop = line_end(p, end);

		n = read_hex(p, stop);
		p = stop + 2;
		MUST(n <= (size_t)(end - p) && end - p - (ptrdiff_t)n >= 2);
		must_be_part(body, &at, p, n);
		p += n;
		MUST(p[0] == '\r' && p[1] == '\n');
		p += 2;
	} while (n > 0);
	MUST(p == end && at == body->len);
}

/* The request that was read from p to end has this body. */
static void
check_request(const char *p, const char *head_end, const char *end,
    const struct buf *body)
{
	struct framing f;
	size_t at = 0;

	check_head(p, head_end, &f);
	if (f.codings > 0) {
		check_chunks(head_end, end, body);
		return;
	}
	MUST((size_t)(end - head_end) == f.length);
	must_be_part(body, &at, head_end, (size_t)f.length);
	MUST(at == body->len);
}

/* ------------------------------------------------------------------- account */

static void
check_path(const char *path)
{
	MUST(path[0] == '/' && utf8_valid(path, strlen(path)));
	MUST(strstr(path, "/../") == NULL && strstr(path, "/./") == NULL);
	for (const char *p = path; *p != '\0'; p++)
		MUST((unsigned char)*p >= 0x20 && *p != 0x7f && *p != '\\');
}

static void
check_query(const struct http_request *r)
{
	char name[64], value[64];
	const char *at = r->query;
	int rc;

	while ((rc = http_query_next(&at, name, sizeof(name), value,
		    sizeof(value))) > 0)
		MUST(http_query_has(r, name));
	MUST(rc < 0 || *at == '\0');
}

static void
put_head(struct account *a, const struct http_request *r)
{
	check_path(r->path);
	check_query(r);
	MUST(r->n_fields <= HTTP_FIELDS_MAX);
	MUST(http_field(r, "host") != NULL);
	MUST(!(r->upgrade && r->has_body));
	buf_printf(&a->text, "%s %s %s %d%d%d %llu\n", r->method, r->path,
	    r->query, r->keep_alive, r->upgrade, r->has_body,
	    (unsigned long long)r->content_length);
	for (unsigned i = 0; i < r->n_fields; i++)
		buf_printf(&a->text, "%s=%s\n", r->fields[i].name,
		    r->fields[i].value);
}

static void
put_body(struct account *a)
{
	buf_append(&a->text, a->body.data, a->body.len);
	buf_clear(&a->body);
}

/* `all` is the input, of which the reader has used `at` bytes. */
static void
take(struct account *a, struct http *h, enum http_event e, const char *all,
    size_t at)
{
	const uint8_t *p;
	size_t n;

	switch (e) {
	case HTTP_MORE:
		break;
	case HTTP_GOT_HEAD:
		a->head_end = at;
		put_head(a, http_request(h));
		break;
	case HTTP_GOT_BODY:
		http_body(h, &p, &n);
		MUST(n > 0 && p >= (const uint8_t *)all &&
		    p + n <= (const uint8_t *)all + at);
		buf_append(&a->body, p, n);
		break;
	case HTTP_END:
		check_request(all + a->begin, all + a->head_end, all + at,
		    &a->body);
		put_body(a);
		buf_puts(&a->text, "end\n");
		http_next(h);
		a->begin = at;
		break;
	case HTTP_UPGRADED:
	case HTTP_BAD:
		put_body(a);
		if (e == HTTP_BAD)
			buf_printf(&a->text, "%d %s\n", http_status(h),
			    http_reason(h));
		a->over = true;
		break;
	}
}

/* Read it in pieces of a size that depends on the seed; 0: all at once. */
static void
read_all(const char *p, size_t len, unsigned seed, struct buf *text)
{
	struct http *h = http_create();
	struct account a = { .begin = 0 };
	size_t at = 0, end = 0;

	buf_init(&a.text, SIZE_MAX);
	buf_init(&a.body, SIZE_MAX);
	while (!a.over) {
		size_t used = 0;
		enum http_event e = http_read(h, p + at, end - at, &used);

		MUST(used <= end - at);
		at += used;
		take(&a, h, e, p, at);
		if (e != HTTP_MORE)
			continue;
		MUST(at == end);
		if (end == len)
			break;
		seed = seed * 1103515245 + 12345;
		end += seed == 12345 ? len : 1 + (seed >> 16) % 17;
		end = end < len ? end : len;
		if (seed == 12345)
			seed = 0;
	}
	put_body(&a);
	buf_finish(&a.body);
	*text = a.text;
	http_destroy(h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	const char *text = (const char *)p + 1;
	struct buf whole, cut;

	if (len == 0)
		return 0;
	read_all(text, len - 1, 0, &whole);
	read_all(text, len - 1, 1 + p[0], &cut);
	MUST(buf_equals(&whole, &cut));
	buf_finish(&whole);
	buf_finish(&cut);
	return 0;
}
