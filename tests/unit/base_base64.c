#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* From RFC 4648, section 10, and the two digits that are not letters. */
static const struct {
	const char *text, *encoded;
} vectors[] = {
	{ "", "" },
	{ "f", "Zg==" },
	{ "fo", "Zm8=" },
	{ "foo", "Zm9v" },
	{ "foob", "Zm9vYg==" },
	{ "fooba", "Zm9vYmE=" },
	{ "foobar", "Zm9vYmFy" },
	{ "\xfb\xff\xbf", "+/+/" },
};

static void
decodes(const char *encoded, const char *want)
{
	char out[16];
	ssize_t n = base64_decode(encoded, strlen(encoded), out, sizeof(out));

	assert_int_equal(n, strlen(want));
	assert_memory_equal(out, want, strlen(want));
}

static void
the_vectors_of_the_rfc_go_both_ways(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 64);
	for (size_t i = 0; i < COUNT(vectors); i++) {
		buf_clear(&out);
		base64_encode(&out, vectors[i].text, strlen(vectors[i].text));
		assert_int_equal(out.len, strlen(vectors[i].encoded));
		assert_memory_equal(out.data, vectors[i].encoded, out.len);
		decodes(vectors[i].encoded, vectors[i].text);
	}
	buf_finish(&out);
}

static void
the_padding_may_be_left_out(void **state)
{
	(void)state;
	decodes("Zg", "f");
	decodes("Zm8", "fo");
	decodes("Zm9vYg", "foob");
}

static void
invalid_base64_is_refused(void **state)
{
	static const char *const wrong[] = { "Z", "=",
		"==", "====", "Zg=", "Z===", "Zg=a",
		"Zm9v=", "Zm9vYg=", "Zm 9v", "Zm9v\n", "Zm-_", "Zm9vZ",
		"Zg==Zg==", "\x80\x80\x80\x80" };
	char out[16];

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		if (base64_decode(wrong[i], strlen(wrong[i]), out,
			sizeof(out)) != -EINVAL)
			fail_msg("taken: %s", wrong[i]);
	assert_int_equal(base64_decode("Zm\0v", 4, out, sizeof(out)), -EINVAL);
}

static void
a_result_that_does_not_fit_is_reported(void **state)
{
	char out[4] = "....";

	(void)state;
	assert_int_equal(base64_decode("Zm9v", 4, out, 3), 3);
	assert_int_equal(base64_decode("Zm9v", 4, out, 2), -E2BIG);
	assert_int_equal(base64_decode("Zg==", 4, out, 0), -E2BIG);
	assert_int_equal(base64_decode("", 0, out, 0), 0);
	assert_int_equal(out[3], '.');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vectors_of_the_rfc_go_both_ways),
		cmocka_unit_test(the_padding_may_be_left_out),
		cmocka_unit_test(invalid_base64_is_refused),
		cmocka_unit_test(a_result_that_does_not_fit_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
