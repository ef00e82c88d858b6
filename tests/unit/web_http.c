#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "web/http.h"

#define HOST "Host: h\r\n"

/* The text of everything that a reader reports about some bytes. */
struct account {
	struct buf text;
	struct buf body;
	bool ended; /* by an upgrade or a bad request */
};

static void
put_body(struct account *a)
{
	if (a->body.len > 0)
		buf_printf(&a->text, "body %.*s\n", (int)a->body.len,
		    (char *)a->body.data);
	buf_clear(&a->body);
}

static void
put_head(struct account *a, const struct http_request *r)
{
	buf_printf(&a->text, "%s %s", r->method, r->path);
	if (r->query[0] != '\0')
		buf_printf(&a->text, "?%s", r->query);
	for (unsigned i = 0; i < r->n_fields; i++)
		buf_printf(&a->text, " %s=%s", r->fields[i].name,
		    r->fields[i].value);
	if (r->has_body && r->content_length == UINT64_MAX)
		buf_puts(&a->text, " chunked");
	else if (r->has_body)
		buf_printf(&a->text, " length %llu",
		    (unsigned long long)r->content_length);
	buf_puts(&a->text, r->keep_alive ? "\n" : " last\n");
}

/* One call; returns false if nothing more can come without more bytes. */
static bool
step(struct account *a, struct http *h, const char *p, size_t len, size_t *at)
{
	const uint8_t *body;
	size_t used = 0, n;
	enum http_event e = http_read(h, p + *at, len - *at, &used);

	assert_true(used <= len - *at);
	*at += used;
	switch (e) {
	case HTTP_MORE:
		assert_int_equal(*at, len);
		return false;
	case HTTP_GOT_HEAD:
		put_head(a, http_request(h));
		return true;
	case HTTP_GOT_BODY:
		http_body(h, &body, &n);
		assert_true(n > 0);
		buf_append(&a->body, body, n);
		return true;
	case HTTP_END:
		put_body(a);
		buf_puts(&a->text, "end\n");
		http_next(h);
		return *at < len;
	case HTTP_UPGRADED:
		buf_puts(&a->text, "upgraded\n");
		break;
	case HTTP_BAD:
		put_body(a);
		buf_printf(&a->text, "%d %s\n", http_status(h), http_reason(h));
		break;
	}
	a->ended = true;
	return false;
}

/* Read the bytes in pieces that end at `cuts`, which has n of them. */
static char *
read_cut(const char *p, size_t len, const size_t *cuts, size_t n)
{
	struct http *h = http_create();
	struct account a = { .ended = false };
	size_t from = 0;

	buf_init(&a.text, SIZE_MAX);
	buf_init(&a.body, SIZE_MAX);
	for (size_t i = 0; i <= n && !a.ended; i++) {
		size_t to = i < n ? cuts[i] : len, at = 0;

		while (step(&a, h, p + from, to - from, &at))
			continue;
		from = to;
	}
	put_body(&a);
	buf_finish(&a.body);
	http_destroy(h);
	return buf_take(&a.text);
}

static void
must_be_same(const char *p, size_t len, const size_t *cuts, size_t n,
    const char *want)
{
	auto_free char *got = read_cut(p, len, cuts, n);

	assert_string_equal(got, want);
}

/* The bytes give this text, however they are cut. */
static void
must_read(const char *p, size_t len, const char *want)
{
	auto_free size_t *cuts = xmalloc(len * sizeof(*cuts));
	size_t step_by = len > 2000 ? 97 : 1;

	must_be_same(p, len, NULL, 0, want);
	for (size_t i = 0; i <= len; i += step_by) {
		cuts[0] = i;
		must_be_same(p, len, cuts, 1, want);
	}
	for (size_t i = 0; i < len; i++)
		cuts[i] = i;
	must_be_same(p, len, cuts, len, want);
}

static void
gives(const char *bytes, const char *want)
{
	must_read(bytes, strlen(bytes), want);
}

/* A request with this line, or these fields, is refused. */
static void
refuses(const char *bytes, const char *status)
{
	auto_free char *got = read_cut(bytes, strlen(bytes), NULL, 0);

	if (strncmp(got, status, strlen(status)) != 0)
		fail_msg("%s\ngives %s", bytes, got);
	must_read(bytes, strlen(bytes), got);
}

static void
refuses_line(const char *line, const char *status)
{
	char text[512];

	snprintf(text, sizeof(text), "%s\r\n" HOST "\r\n", line);
	refuses(text, status);
}

static void
refuses_fields(const char *fields, const char *status)
{
	char text[512];

	snprintf(text, sizeof(text), "POST / HTTP/1.1\r\n" HOST "%s\r\nhello",
	    fields);
	refuses(text, status);
}

static void
a_request_is_read_however_it_is_cut(void **state)
{
	(void)state;
	gives("GET /a/b?c=d&e HTTP/1.1\r\nHost: here:1\r\nX-A:  b c\t\r\n\r\n",
	    "GET /a/b?c=d&e host=here:1 x-a=b c\nend\n");
	gives("POST /p HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello",
	    "POST /p host=h content-length=5 length 5\nbody hello\nend\n");
	gives("HEAD / HTTP/1.1\r\n" HOST "Empty:\r\n\r\n",
	    "HEAD / host=h empty=\nend\n");
}

static void
chunks_are_joined(void **state)
{
	(void)state;
	gives("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n\r\n"
	      "2\r\nhe\r\n03\r\nllo\r\nA\r\n0123456789\r\n0\r\n\r\n",
	    "POST / host=h transfer-encoding=Chunked chunked\n"
	    "body hello0123456789\nend\n");
	gives("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
	      "0\r\n\r\n",
	    "POST / host=h transfer-encoding=chunked chunked\nend\n");
}

static void
requests_follow_each_other(void **state)
{
	(void)state;
	gives("GET /1 HTTP/1.1\r\n" HOST "\r\n"
	      "POST /2 HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nok"
	      "POST /3 HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
	      "1\r\nx\r\n0\r\n\r\n"
	      "GET /4 HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n",
	    "GET /1 host=h\nend\n"
	    "POST /2 host=h content-length=2 length 2\nbody ok\nend\n"
	    "POST /3 host=h transfer-encoding=chunked chunked\nbody x\nend\n"
	    "GET /4 host=h connection=close last\nend\n");
}

static void
a_request_without_a_body_ends_without_more_bytes(void **state)
{
	static const char *const requests[] = {
		"GET / HTTP/1.1\r\n" HOST "\r\n",
		"POST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		struct http *h = http_create();
		size_t used = 1, len = strlen(requests[i]);

		assert_int_equal(http_read(h, NULL, 0, &used), HTTP_MORE);
		assert_int_equal(used, 0);
		assert_int_equal(http_read(h, requests[i], len, &used),
		    HTTP_GOT_HEAD);
		assert_int_equal(used, len);
		assert_false(http_request(h)->has_body);
		assert_int_equal(http_read(h, NULL, 0, &used), HTTP_END);
		assert_int_equal(http_read(h, "GET", 3, &used), HTTP_END);
		assert_int_equal(used, 0);
		http_destroy(h);
	}
}

static void
a_body_ends_without_more_bytes(void **state)
{
	const char *text = "POST / HTTP/1.1\r\n" HOST
			   "Content-Length: 2\r\n\r\nok";
	struct http *h = http_create();
	size_t used, len = strlen(text);
	const uint8_t *body;
	size_t n;

	(void)state;
	assert_int_equal(http_read(h, text, len, &used), HTTP_GOT_HEAD);
	assert_int_equal(used, len - 2);
	assert_int_equal(http_read(h, text + used, 2, &used), HTTP_GOT_BODY);
	http_body(h, &body, &n);
	assert_int_equal(n, 2);
	assert_int_equal(http_read(h, NULL, 0, &used), HTTP_END);
	http_destroy(h);
	http_destroy(NULL);
}

static void
a_websocket_takes_the_connection(void **state)
{
	(void)state;
	gives("GET /s HTTP/1.1\r\n" HOST "Upgrade: WebSocket\r\n"
	      "Connection: Upgrade\r\n\r\n\x81\x80more",
	    "GET /s host=h upgrade=WebSocket connection=Upgrade\nupgraded\n");
	refuses("GET /s HTTP/1.1\r\n" HOST "Upgrade: h2c\r\n"
		"Connection: Upgrade\r\n\r\n",
	    "400");
	refuses("GET /s HTTP/1.1\r\n" HOST "Upgrade: websocket\r\n"
		"Connection: Upgrade\r\nContent-Length: 1\r\n\r\nx",
	    "400");
}

static void
keep_alive_is_what_connection_says(void **state)
{
	(void)state;
	gives("GET / HTTP/1.1\r\n" HOST "Connection: keep-alive\r\n\r\n",
	    "GET / host=h connection=keep-alive\nend\n");
	gives("GET / HTTP/1.1\r\n" HOST "Connection: Close\r\n\r\n",
	    "GET / host=h connection=Close last\nend\n");
}

static void
other_versions_are_refused(void **state)
{
	static const char *const lines[] = { "GET / HTTP/1.0", "GET / HTTP/0.9",
		"GET / HTTP/2.0", "GET / HTTP/1.2", "GET / http/1.1",
		"GET / HTTP/1.1x", "GET / HTTP/11", "GET / ICE/1.0",
		"PRI * HTTP/2.0" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		refuses_line(lines[i], "505");
}

static void
lines_that_are_no_request_are_refused(void **state)
{
	static const char *const lines[] = { "", "GET", "GET /",
		" GET / HTTP/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1",
		"GET / HTTP/1.1 ", "GET\t/ HTTP/1.1", "G(T / HTTP/1.1",
		"get / HTTP/1.1", "FOO / HTTP/1.1", "GET / x HTTP/1.1",
		"GET /\tx HTTP/1.1" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		refuses_line(lines[i], "400");
}

static void
a_target_is_a_path(void **state)
{
	static const char *const targets[] = { "http://h/", "https://h/", "*",
		"h:80", "//h@x\\y", "a", "?a", "/a#b", "/a\\b", "/\x7f",
		"/\xc3\xa9", "/\x01" };
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		snprintf(line, sizeof(line), "GET %s HTTP/1.1", targets[i]);
		refuses_line(line, "400");
	}
	refuses_line("CONNECT h:80 HTTP/1.1", "400");
	refuses_line("OPTIONS * HTTP/1.1", "400");
}

static void
paths_are_decoded(void **state)
{
	(void)state;
	gives("GET /a%20b/%c3%a9%25%2e%3f?x%2fy%00 HTTP/1.1\r\n" HOST "\r\n",
	    "GET /a b/\xc3\xa9%.??x%2fy%00 host=h\nend\n");
	gives("GET /.../a..b/.c HTTP/1.1\r\n" HOST "\r\n",
	    "GET /.../a..b/.c host=h\nend\n");
}

/* S14: a path gets into logs and errors. */
static void
paths_that_mean_another_place_are_refused(void **state)
{
	static const char *const paths[] = { "/..", "/.", "/a/../b", "/a/./b",
		"/a/..", "/%2e%2e/b", "/%2E./b", "/a%2fb", "/a%2Fb", "/a%5cb",
		"/a%00", "/%00", "/a%", "/a%2", "/a%2g", "/a%g2", "/a%0a",
		"/a%0d%0aX:y", "/%1b[2J", "/%7f", "/%c3", "/%ff", "/%c0%af",
		"/%ed%a0%80", "/%c2%9b", "/%e2%80%ae" };
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		snprintf(line, sizeof(line), "GET %s HTTP/1.1", paths[i]);
		refuses_line(line, "400");
	}
}

static void
a_host_is_there_once(void **state)
{
	(void)state;
	refuses("GET / HTTP/1.1\r\n\r\n", "400");
	refuses("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400");
	refuses("GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n", "400");
	gives("GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / host=\nend\n");
}

static void
two_fields_that_are_no_list_are_refused(void **state)
{
	static const char *const names[] = { "Authorization", "Cookie",
		"Origin", "Sec-Fetch-Site", "Sec-WebSocket-Key", "X-Tend-Key",
		"Upgrade", "Content-Type", "X-Remote-User", "Expect", "Any" };
	char fields[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(fields, sizeof(fields), "%s: a\r\nA: b\r\n%s: a\r\n",
		    names[i], names[i]);
		refuses_fields(fields, "400");
	}
	gives("GET / HTTP/1.1\r\n" HOST "Via: a\r\nVia: b\r\n"
	      "X-Forwarded-For: a\r\nX-Forwarded-For: b\r\n\r\n",
	    "GET / host=h via=a via=b x-forwarded-for=a x-forwarded-for=b\n"
	    "end\n");
}

static void
names_and_values_are_strict(void **state)
{
	static const char *const fields[] = { "A : b\r\n", "A\t: b\r\n",
		" A: b\r\n", "A: b\r\n c\r\n", "A: b\r\n\tc\r\n", "A\r\n",
		": b\r\n", "A(: b\r\n", "A: b\x01\r\n", "A: \x1b[2J\r\n",
		"A: b\x7f\r\n", "A: b\rc\r\n", "A: b\nc\r\n", "A: b\r\r\n",
		"\xc3\xa9: b\r\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		refuses_fields(fields[i], "400");
}

static void
lines_end_with_cr_and_lf(void **state)
{
	(void)state;
	refuses("GET / HTTP/1.1\nHost: h\n\n", "400 a line must end");
	refuses("GET / HTTP/1.1\r\nHost: h\n\r\n", "400 a line must end");
	refuses("GET / HTTP/1.1\nHost: h\r\n\r\n", "400 a line must end");
	refuses("GET / HTTP/1.1\rHost: h\r\n\r\n", "400 a line must end");
	refuses("GET / HTTP/1.1\r\nHost: h\r\n\n", "400 a line must end");
	refuses("\r\nGET / HTTP/1.1\r\n" HOST "\r\n", "400");
	refuses("\nGET / HTTP/1.1\r\n" HOST "\r\n", "400");
}

static void
other_protocols_are_refused_at_once(void **state)
{
	static const char hello[] = "\x16\x03\x01\x02";
	static const char nul[] = "GET / HTTP/1.1\r\n" HOST "A: \0\r\n\r\n";

	(void)state;
	must_read(hello, 4, "400 the request line is invalid\n");
	refuses("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505");
	must_read(nul, sizeof(nul) - 1, "400 the head has a NUL\n");
}

static void
lengths_are_numbers(void **state)
{
	static const char *const values[] = { "5abc", "abc", "", "+5", "-5",
		"0x5", "5, 5", "5,5", "5 5", "5.0", "5;",
		"18446744073709551615", "18446744073709551616",
		"99999999999999999999999999" };
	char fields[128];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		snprintf(fields, sizeof(fields), "Content-Length: %s\r\n",
		    values[i]);
		refuses_fields(fields, "400");
	}
	gives("POST / HTTP/1.1\r\n" HOST "Content-Length: 005 \r\n\r\nhello",
	    "POST / host=h content-length=005 length 5\nbody hello\nend\n");
}

/* Where one request ends and the next one begins is never in doubt. */
static void
requests_cannot_be_smuggled(void **state)
{
	(void)state;
	refuses_fields("Content-Length: 5\r\nContent-Length: 5\r\n", "400");
	refuses_fields("Content-Length: 5\r\nContent-Length: 6\r\n", "400");
	refuses_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
	    "400");
	refuses_fields("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
	    "400");
	refuses_fields("Transfer-Encoding: chunked\r\n"
		       "Transfer-Encoding: chunked\r\n",
	    "400");
	refuses_fields("Transfer-Encoding: gzip, chunked\r\n", "501");
	refuses_fields("Transfer-Encoding: chunked, chunked\r\n", "501");
	refuses_fields("Transfer-Encoding: identity\r\n", "501");
	refuses_fields("Transfer-Encoding: xchunked\r\n", "501");
	refuses_fields("Transfer-Encoding: chunked,\r\n", "501");
	refuses_fields("Transfer-Encoding:\r\n", "501");
	refuses_fields("Transfer-Encoding : chunked\r\n", "400");
	refuses_fields("Transfer-Encoding:\x0b"
		       "chunked\r\n",
	    "400");
	refuses_fields("Transfer_Encoding: chunked\r\nContent-Length:\r\n",
	    "400");
}

static void
refuses_chunks(const char *chunks, const char *want)
{
	char text[512];

	snprintf(text, sizeof(text),
	    "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n%s",
	    chunks);
	auto_free char *got = read_cut(text, strlen(text), NULL, 0);
	if (strstr(got, want) == NULL)
		fail_msg("%s\ngives %s", text, got);
	must_read(text, strlen(text), got);
}

static void
chunks_are_strict(void **state)
{
	static const char *const bad[] = { "\r\n", "g\r\n", "-1\r\n", " 1\r\n",
		"1 \r\nx", "0x1\r\nx", "+1\r\nx", "1\nx", "1\rx", "1\r\nx\n",
		"1\r\nx\rx", "1\r\nxx\r\n", "1\r\nx0\r\n\r\n", "1,\r\nx",
		"123456789\r\n", "000000001\r\nx", "0\r\n\rx" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refuses_chunks(bad[i], "400 the body is malformed");
	refuses_chunks("1;a=b\r\nx", "400 extensions");
	refuses_chunks("1;\r\nx", "400 extensions");
	refuses_chunks("0;a\r\n\r\n", "400 extensions");
	refuses_chunks("0\r\nA: b\r\n\r\n", "400 trailers");
	refuses_chunks("0\r\n\n", "400 trailers");
}

/* A head with n fields; the last one makes it as long as wanted. */
static char *
long_head(size_t n, size_t size, size_t *len)
{
	struct buf b;

	buf_init(&b, SIZE_MAX);
	buf_puts(&b, "GET / HTTP/1.1\r\n" HOST);
	for (size_t i = 2; i < n; i++)
		buf_printf(&b, "A%zu: b\r\n", i);
	buf_puts(&b, "Z: ");
	while (b.len + 4 < size)
		buf_puts(&b, "z");
	buf_puts(&b, "\r\n\r\n");
	*len = b.len;
	return buf_take(&b);
}

static enum http_event
read_whole(struct http *h, const char *p, size_t len)
{
	size_t used;

	return http_read(h, p, len, &used);
}

static void
a_head_has_limits(void **state)
{
	static const struct {
		size_t fields, size;
		int status; /* 0: accepted */
	} cases[] = {
		{ HTTP_FIELDS_MAX, 0, 0 },
		{ HTTP_FIELDS_MAX + 1, 0, 431 },
		{ 2, HTTP_HEAD_MAX, 0 },
		{ 2, HTTP_HEAD_MAX + 1, 431 },
		{ 2, 10 * HTTP_HEAD_MAX, 431 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct http *h = http_create();
		size_t len;
		auto_free char *p = long_head(cases[i].fields, cases[i].size,
		    &len);

		if (cases[i].status == 0) {
			assert_int_equal(read_whole(h, p, len), HTTP_GOT_HEAD);
			assert_int_equal(http_request(h)->n_fields,
			    cases[i].fields);
		} else {
			char want[64];

			assert_int_equal(read_whole(h, p, len), HTTP_BAD);
			assert_int_equal(http_status(h), cases[i].status);
			assert_int_equal(read_whole(h, p, len), HTTP_BAD);
			snprintf(want, sizeof(want), "%d %s\n", http_status(h),
			    http_reason(h));
			must_read(p, len, want);
		}
		http_destroy(h);
	}
}

static void
a_target_has_a_limit(void **state)
{
	auto_free char *p = xmalloc(HTTP_HEAD_MAX);

	(void)state;
	for (size_t over = 0; over < 2; over++) {
		struct http *h = http_create();
		size_t n = HTTP_TARGET_MAX - 1 + over;
		int len = snprintf(p, HTTP_HEAD_MAX,
		    "GET /%0*d HTTP/1.1\r\n" HOST "\r\n", (int)n, 0);

		assert_int_equal(read_whole(h, p, (size_t)len),
		    over ? HTTP_BAD : HTTP_GOT_HEAD);
		if (over)
			assert_int_equal(http_status(h), 414);
		http_destroy(h);
	}
}

static void
a_field_is_found_by_its_name(void **state)
{
	struct http_request r = { .fields = { { "a", "1" }, { "b", "" } },
		.n_fields = 2 };

	(void)state;
	assert_string_equal(http_field(&r, "a"), "1");
	assert_string_equal(http_field(&r, "b"), "");
	assert_null(http_field(&r, "c"));
	assert_null(http_field(&r, "A"));
}

static void
a_query_is_read_in_pairs(void **state)
{
	const char *at = "a=b&&c&d=%41+%2b&%3d==&=v&&";
	static const char *const pairs[][2] = { { "a", "b" }, { "c", "" },
		{ "d", "A +" }, { "=", "=" }, { "", "v" } };
	char name[8], value[8];

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		assert_int_equal(http_query_next(&at, name, sizeof(name), value,
				     sizeof(value)),
		    1);
		assert_string_equal(name, pairs[i][0]);
		assert_string_equal(value, pairs[i][1]);
	}
	assert_int_equal(http_query_next(&at, name, sizeof(name), value,
			     sizeof(value)),
	    0);
}

static void
a_query_that_is_invalid_or_too_long_is_refused(void **state)
{
	static const char *const bad[] = { "a=%", "a=%4", "a=%zz", "%=b",
		"a=%00", "a=12345678", "12345678=a" };
	char name[8], value[8];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *at = bad[i];

		assert_int_equal(http_query_next(&at, name, sizeof(name), value,
				     sizeof(value)),
		    -EINVAL);
	}
}

/* S3: a secret in a URL is seen behind anything else. */
static void
a_parameter_is_found_behind_invalid_ones(void **state)
{
	static const char *const with[] = { "token", "token=", "token=x",
		"a=b&token=x", "a=%zz&token=x", "%zz&token", "token=%zz",
		"&&token=%00", "t%6fken=x", "a=%00&token" };
	static const char *const without[] = { "", "a=token", "tokens=x",
		"atoken=x", "a=%zz", "Token=x" };
	struct http_request r;

	(void)state;
	for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++) {
		r.query = with[i];
		assert_true(http_query_has(&r, "token"));
	}
	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++) {
		r.query = without[i];
		assert_false(http_query_has(&r, "token"));
	}
	{
		char text[600];

		snprintf(text, sizeof(text), "%0500d=1&token=x", 0);
		r.query = text;
		assert_true(http_query_has(&r, "token"));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_read_however_it_is_cut),
		cmocka_unit_test(chunks_are_joined),
		cmocka_unit_test(requests_follow_each_other),
		cmocka_unit_test(
		    a_request_without_a_body_ends_without_more_bytes),
		cmocka_unit_test(a_body_ends_without_more_bytes),
		cmocka_unit_test(a_websocket_takes_the_connection),
		cmocka_unit_test(keep_alive_is_what_connection_says),
		cmocka_unit_test(other_versions_are_refused),
		cmocka_unit_test(lines_that_are_no_request_are_refused),
		cmocka_unit_test(a_target_is_a_path),
		cmocka_unit_test(paths_are_decoded),
		cmocka_unit_test(paths_that_mean_another_place_are_refused),
		cmocka_unit_test(a_host_is_there_once),
		cmocka_unit_test(two_fields_that_are_no_list_are_refused),
		cmocka_unit_test(names_and_values_are_strict),
		cmocka_unit_test(lines_end_with_cr_and_lf),
		cmocka_unit_test(other_protocols_are_refused_at_once),
		cmocka_unit_test(lengths_are_numbers),
		cmocka_unit_test(requests_cannot_be_smuggled),
		cmocka_unit_test(chunks_are_strict),
		cmocka_unit_test(a_head_has_limits),
		cmocka_unit_test(a_target_has_a_limit),
		cmocka_unit_test(a_field_is_found_by_its_name),
		cmocka_unit_test(a_query_is_read_in_pairs),
		cmocka_unit_test(
		    a_query_that_is_invalid_or_too_long_is_refused),
		cmocka_unit_test(a_parameter_is_found_behind_invalid_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
