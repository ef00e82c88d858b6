#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "web/gate.h"
#include "web/http.h"

/* A request with up to five fields; NULL: it does not have the field. */
struct asked {
	const char *method, *host, *origin, *site, *mode, *dest;
};

static void
add(struct http_request *r, const char *name, const char *value)
{
	if (value != NULL)
		r->fields[r->n_fields++] = (struct http_field){ name, value };
}

static int
check(const struct gate *g, enum gate_kind kind, const struct asked *a)
{
	struct http_request r = { .method = a->method };
	const char *why = NULL;
	int status;

	add(&r, "host", a->host);
	add(&r, "origin", a->origin);
	add(&r, "sec-fetch-site", a->site);
	add(&r, "sec-fetch-mode", a->mode);
	add(&r, "sec-fetch-dest", a->dest);
	add(&r, "x-forwarded-host", "127.0.0.1:7070");
	add(&r, "forwarded", "host=127.0.0.1:7070");
	status = gate_check(g, &r, kind, &why);
	assert_true(status == 0 || why != NULL);
	return status;
}

static void
allow_loopback(struct gate *g)
{
	gate_init(g);
	gate_allow(g, "http", "127.0.0.1:7070");
	gate_allow(g, "http", "localhost:7070");
}

static const char *const hosts[] = { NULL, "127.0.0.1:7070", "localhost:7070",
	"", "127.0.0.1", "localhost", "127.0.0.1:7071", "127.0.0.1:70700",
	"127.0.0.1:07070", "127.0.0.1:7070.", "127.1:7070",
	"127.0.0.1.nip.io:7070", "localhost.evil.com:7070", "evil.com:7070",
	"evil.com", "localhost.:7070", "LOCALHOST:7070", "Localhost:7070",
	"0.0.0.0:7070", "[::1]:7070", "[::]:7070", "2130706433:7070",
	"0x7f000001:7070", "0177.0.0.1:7070", "user@localhost:7070",
	"localhost:7070@evil.com", " localhost:7070", "localhost:7070 ",
	"localhost:7070,localhost:7070", "localhost:7070/",
	"http://localhost:7070", "127.0.0.2:7070", "null", "*" };

static const char *const origins[] = { NULL, "http://127.0.0.1:7070",
	"http://localhost:7070", "", "null", "https://127.0.0.1:7070",
	"http://127.0.0.1", "http://localhost", "http://localhost:7071",
	"http://localhost:70700", "http://localhost:7070/",
	"http://localhost.evil.com:7070", "http://evil.com",
	"http://evil.com:7070", "http://LOCALHOST:7070",
	"HTTP://localhost:7070", "http://user@localhost:7070",
	"http://localhost:7070@evil.com", "localhost:7070", "//localhost:7070",
	"file://", "ws://localhost:7070",
	"http://localhost:7070 http://evil.com", "chrome-extension://x", "*",
	" http://localhost:7070", "http://[::1]:7070", "http://127.1:7070" };

static const char *const sites[] = { NULL, "same-origin", "none", "cross-site",
	"same-site", "", "Same-Origin", "same-origin, none" };

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* S1: pairs 1 and 2 of the tables are allowed, and no others. */
static void
only_the_pairs_of_the_list_pass(void **state)
{
	unsigned passed = 0, expected = 0;
	struct gate g;

	(void)state;
	allow_loopback(&g);
	for (size_t h = 0; h < COUNT(hosts); h++) {
		for (size_t o = 0; o < COUNT(origins); o++) {
			for (size_t s = 0; s < COUNT(sites); s++) {
				struct asked a = { "GET", hosts[h], origins[o],
					sites[s], "cors", "empty" };
				bool may = (h == 1 || h == 2) &&
				    (o == 0 || o == h) && s < 3;
				int status = check(&g, GATE_API, &a);

				assert_true((status == 0) == may);
				assert_int_equal(check(&g, GATE_UPGRADE, &a),
				    status);
				assert_int_equal(check(&g, GATE_PAGE, &a),
				    status);
				if (status != 0)
					assert_int_equal(status,
					    h == 1 || h == 2 ? 403 : 421);
				passed += status == 0;
				expected += may;
			}
		}
	}
	assert_int_equal(expected, 2 * 2 * 3);
	assert_int_equal(passed, expected);
}

static void
a_page_may_be_opened_from_another_site(void **state)
{
	static const struct asked link = { "GET", "localhost:7070", NULL,
		"cross-site", "navigate", "document" };
	struct asked a = link;
	struct gate g;

	(void)state;
	allow_loopback(&g);
	assert_int_equal(check(&g, GATE_PAGE, &link), 0);
	assert_int_equal(check(&g, GATE_API, &link), 403);
	assert_int_equal(check(&g, GATE_UPGRADE, &link), 403);
	a.method = "POST";
	assert_int_equal(check(&g, GATE_PAGE, &a), 403);
	a = link;
	a.dest = "iframe";
	assert_int_equal(check(&g, GATE_PAGE, &a), 403);
	a = link;
	a.mode = "no-cors";
	assert_int_equal(check(&g, GATE_PAGE, &a), 403);
	a = link;
	a.dest = NULL;
	assert_int_equal(check(&g, GATE_PAGE, &a), 403);
	a = link;
	a.origin = "http://evil.com";
	assert_int_equal(check(&g, GATE_PAGE, &a), 403);
	a = link;
	a.host = "evil.com:7070";
	assert_int_equal(check(&g, GATE_PAGE, &a), 421);
}

static void
a_unix_socket_takes_any_host_and_no_origin(void **state)
{
	static const struct asked any = { .method = "GET", .host = "x" };
	static const struct asked none = { .method = "GET" };
	static const struct asked page = { .method = "GET",
		.host = "localhost:7070",
		.origin = "http://localhost:7070" };
	struct gate g;

	(void)state;
	gate_init_unix(&g);
	assert_int_equal(check(&g, GATE_API, &any), 0);
	assert_int_equal(check(&g, GATE_UPGRADE, &none), 0);
	assert_int_equal(check(&g, GATE_API, &page), 403);
}

static void
an_empty_gate_lets_nobody_in(void **state)
{
	static const struct asked asked[] = { { .method = "GET", .host = "" },
		{ .method = "GET" }, { .method = "GET", .host = "localhost" } };
	struct gate g;

	(void)state;
	gate_init(&g);
	for (size_t i = 0; i < COUNT(asked); i++)
		assert_int_equal(check(&g, GATE_PAGE, &asked[i]), 421);
}

static void
names_are_allowed_in_lower_case_and_once(void **state)
{
	static const struct asked a = { .method = "GET",
		.host = "build.example.net",
		.origin = "https://build.example.net" };
	struct gate g;

	(void)state;
	gate_init(&g);
	for (int i = 0; i < 100; i++)
		gate_allow(&g, "https", "Build.Example.NET");
	assert_int_equal(g.n, 1);
	assert_int_equal(check(&g, GATE_API, &a), 0);
	gate_allow(&g, "http", "build.example.net");
	assert_int_equal(g.n, 2);
}

static void
a_full_gate_and_long_names_change_nothing(void **state)
{
	char name[400];
	struct gate g;
	struct asked a = { .method = "GET", .host = name };

	(void)state;
	gate_init(&g);
	memset(name, 'a', sizeof(name));
	name[GATE_NAME_SIZE] = '\0';
	gate_allow(&g, "http", name);
	name[GATE_NAME_SIZE - 7] = '\0';
	gate_allow(&g, "http", name);
	assert_int_equal(g.n, 0);
	name[GATE_NAME_SIZE - 8] = '\0';
	gate_allow(&g, "http", name);
	assert_int_equal(g.n, 1);
	assert_int_equal(check(&g, GATE_API, &a), 0);
	for (int i = 0; i < 2 * GATE_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "host%d", i);
		gate_allow(&g, "http", name);
	}
	assert_int_equal(g.n, GATE_NAMES_MAX);
	snprintf(name, sizeof(name), "host%d", GATE_NAMES_MAX - 2);
	assert_int_equal(check(&g, GATE_API, &a), 0);
	snprintf(name, sizeof(name), "host%d", GATE_NAMES_MAX - 1);
	assert_int_equal(check(&g, GATE_API, &a), 421);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_pairs_of_the_list_pass),
		cmocka_unit_test(a_page_may_be_opened_from_another_site),
		cmocka_unit_test(a_unix_socket_takes_any_host_and_no_origin),
		cmocka_unit_test(an_empty_gate_lets_nobody_in),
		cmocka_unit_test(names_are_allowed_in_lower_case_and_once),
		cmocka_unit_test(a_full_gate_and_long_names_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
