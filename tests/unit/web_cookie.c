#include "unit.h"

#include <string.h>

#include "web/cookie.h"
#include "web/http.h"

static bool
read_from(const char *header, bool tls, char *out, size_t size)
{
	struct http_request r = { .fields = { { "cookie", header } },
		.n_fields = header != NULL };

	char name[COOKIE_NAME_SIZE];

	cookie_name(name, "1f", tls);
	return cookie_read(&r, name, out, size);
}

static void
is_read(const char *header, bool tls, const char *want)
{
	char out[32] = "";

	assert_true(read_from(header, tls, out, sizeof(out)));
	assert_string_equal(out, want);
}

static void
is_not_read(const char *header, bool tls)
{
	char out[32];

	assert_false(read_from(header, tls, out, sizeof(out)));
}

static void
the_value_is_found_among_others(void **state)
{
	(void)state;
	is_read("tend-1f=abc", false, "abc");
	is_read("a=b; tend-1f=abc; c=d", false, "abc");
	is_read("a=b;tend-1f=abc", false, "abc");
	is_read("xtend=1; tend-1f2=2; tend-1f=abc; __Host-tend-1f=3", false,
	    "abc");
	is_read("tend-1f=1; __Host-tend-1f=abc", true, "abc");
	is_read("a=tend-1f=1; tend-1f=a=b", false, "a=b");
}

static void
another_name_is_another_cookie(void **state)
{
	(void)state;
	is_not_read(NULL, false);
	is_not_read("", false);
	is_not_read("tend-1f", false);
	is_not_read("Tend-1f=abc", false);
	is_not_read("tend-1=abc", false);
	is_not_read("xtend-1f=abc", false);
	is_not_read("a=\"; tend-1f\"", false);
	is_not_read(";;; ;", false);
	/* The cookies of other servers on this host. */
	is_not_read("tend=abc; tend-2f=abc; tend-1f0=abc", false);
	/* Under TLS, a cookie that another host may have set does not count. */
	is_not_read("tend-1f=abc", true);
	is_not_read("__Host-tend-1f=abc", false);
}

static void
two_values_or_a_long_one_are_none(void **state)
{
	char out[4];

	(void)state;
	is_not_read("tend-1f=abc; tend-1f=abc", false);
	is_not_read("tend-1f=abc; a=b; tend-1f=d", false);
	assert_true(read_from("tend-1f=abc", false, out, sizeof(out)));
	assert_false(read_from("tend-1f=abcd", false, out, sizeof(out)));
}

static void
a_cookie_is_kept_from_scripts_and_other_sites(void **state)
{
	char out[COOKIE_SIZE];

	(void)state;
	cookie_write(out, "tend-1f", "abc", false, 60);
	assert_string_equal(out,
	    "tend-1f=abc; Path=/; HttpOnly; SameSite=Strict; Max-Age=60");
	cookie_write(out, "__Host-tend-1f", "abc", true, 60);
	assert_string_equal(out,
	    "__Host-tend-1f=abc; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; "
	    "Secure");
	cookie_write(out, "tend-1f", "", false, 0);
	assert_string_equal(out,
	    "tend-1f=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_value_is_found_among_others),
		cmocka_unit_test(another_name_is_another_cookie),
		cmocka_unit_test(two_values_or_a_long_one_are_none),
		cmocka_unit_test(a_cookie_is_kept_from_scripts_and_other_sites),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
