#include "unit.h"

#include <string.h>

#include "base/buf.h"
#include "web/response.h"

static void
head_of(const struct response *r, struct buf *b)
{
	buf_init(b, SIZE_MAX);
	response_head(b, r);
	assert_memory_equal(b->data + b->len - 4, "\r\n\r\n", 4);
	buf_putc(b, '\0');
}

static bool
has(const struct buf *b, const char *text)
{
	return strstr((const char *)b->data, text) != NULL;
}

/* S6b */
static void
every_response_has_the_strict_headers(void **state)
{
	static const char *const strict[] = {
		"\r\nContent-Security-Policy: default-src 'none'; ",
		"; script-src 'self'; ",
		"; connect-src 'self'; ",
		"; frame-ancestors 'none'; ",
		"; base-uri 'none'; ",
		"; form-action 'none'",
		"; require-trusted-types-for 'script'",
		"\r\nX-Content-Type-Options: nosniff\r\n",
		"\r\nX-Frame-Options: DENY\r\n",
		"\r\nReferrer-Policy: no-referrer\r\n",
		"\r\nCross-Origin-Opener-Policy: same-origin\r\n",
		"\r\nCross-Origin-Resource-Policy: same-origin\r\n",
		"\r\nCache-Control: no-store\r\n",
	};

	(void)state;
	for (int status = 100; status < 600; status++) {
		struct response r = { .status = status };
		struct buf b;

		head_of(&r, &b);
		for (size_t i = 0; i < sizeof(strict) / sizeof(*strict); i++)
			assert_true(has(&b, strict[i]));
		assert_false(has(&b, "unsafe"));
		buf_finish(&b);
	}
}

static void
a_head_says_how_the_content_ends(void **state)
{
	struct response r = { .status = 200,
		.type = "text/plain",
		.length = 5,
		.keep_alive = true,
		.extra = "Allow: GET\r\n",
		.extra_len = 12 };
	struct buf b;

	(void)state;
	head_of(&r, &b);
	assert_memory_equal(b.data, "HTTP/1.1 200 OK\r\n", 17);
	assert_true(has(&b, "\r\nContent-Type: text/plain\r\n"));
	assert_true(has(&b, "\r\nContent-Length: 5\r\n"));
	assert_true(has(&b, "\r\nConnection: keep-alive\r\n"));
	assert_true(has(&b, "\r\nAllow: GET\r\n\r\n"));
	buf_finish(&b);
	r = (struct response){ .status = 204, .length = RESPONSE_ENDLESS };
	head_of(&r, &b);
	assert_false(has(&b, "Content-Type: "));
	assert_false(has(&b, "Content-Length"));
	assert_true(has(&b, "\r\nConnection: close\r\n"));
	buf_finish(&b);
}

static void
statuses_have_their_words(void **state)
{
	(void)state;
	assert_string_equal(response_reason(404), "Not Found");
	assert_string_equal(response_reason(101), "Switching Protocols");
	assert_string_equal(response_reason(507), "Insufficient Storage");
	assert_string_equal(response_reason(299), "Error");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_response_has_the_strict_headers),
		cmocka_unit_test(a_head_says_how_the_content_ends),
		cmocka_unit_test(statuses_have_their_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
