#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "op/ops.h"
#include "policy/policy.h"

#define SEE (1u << OP_OBSERVE)
#define TYPE (1u << OP_DRIVE)

static struct policy *
read_text(const char *text)
{
	struct error err;
	struct policy *p = policy_read(text, strlen(text), &err);

	if (p == NULL)
		fail_msg("%s", err.msg);
	return p;
}

static void
has(const struct policy *p, const char *who, const char *target, unsigned want)
{
	unsigned got = policy_permissions(p, who, target);

	if (got != want)
		fail_msg("%s on %s: %x, not %x", who, target, got, want);
}

/* B-36: also with rules for others, and without a policy. */
static void
everything_that_is_not_allowed_is_denied(void **state)
{
	struct policy *p = read_text(
	    "{\"targets\":{\"a\":{\"allowances\":[{\"actions\":[\"observe\"],"
	    "\"actors\":[\"user:ann\"]}]}}}");

	(void)state;
	has(NULL, "user:ann", "a", 0);
	assert_int_equal(policy_home(NULL, "user:ann"), 0);
	has(p, "user:ann", "a", SEE);
	has(p, "user:bob", "a", 0);
	has(p, "user:ann", "b", 0);
	has(p, "", "a", 0);
	assert_int_equal(policy_home(p, "user:ann"), 0);
	policy_destroy(p);
	p = read_text("{}");
	has(p, "user:ann", "a", 0);
	policy_destroy(p);
}

/* B-37. */
static void
no_action_includes_another(void **state)
{
	static const struct {
		const char *action;
		unsigned gives;
	} all[] = { { "observe", SEE }, { "observe/read-write", TYPE },
		{ "control", 1u << OP_CONTROL }, { "create", 1u << OP_CREATE },
		{ "approve", 1u << OP_APPROVE }, { "admin", 1u << OP_ADMIN } };
	char text[300];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct policy *p;

		snprintf(text, sizeof(text),
		    "{\"default\":{\"allowances\":[{\"actions\":[\"%s\"],"
		    "\"actors\":[\"**\"]}]}}",
		    all[i].action);
		p = read_text(text);
		has(p, "user:ann", "a", all[i].gives);
		policy_destroy(p);
	}
}

/* B-38: all matching targets apply, whatever their order. */
static void
a_denial_wins_over_every_allowance(void **state)
{
	struct policy *p = read_text(
	    "{\"targets\":{"
	    "\"x/*\":{\"denials\":[{\"actions\":[\"observe/read-write\"],"
	    "\"actors\":[\"agent:a/**\"]}]},"
	    "\"**\":{\"allowances\":[{\"actions\":[\"observe\",\"observe/"
	    "read-write\"],\"actors\":[\"agent:a/**\",\"user:u\"]}]},"
	    "\"x/y\":{\"allowances\":[{\"actions\":[\"observe/read-write\"],"
	    "\"actors\":[\"agent:a/b\"]}]}}}");

	(void)state;
	has(p, "agent:a/b", "x/y", SEE);
	has(p, "agent:a/b", "x", SEE | TYPE);
	has(p, "agent:a/b", "x/y/z", SEE | TYPE);
	has(p, "user:u", "x/y", SEE | TYPE);
	has(p, "agent:b", "x/y", 0);
	policy_destroy(p);
}

static void
the_default_is_for_sessions_without_a_target(void **state)
{
	struct policy *p = read_text(
	    "{\"default\":{\"allowances\":[{\"actions\":[\"observe\"],"
	    "\"actors\":[\"**\"]}]},\"targets\":{\"secret/**\":{}}}");

	(void)state;
	has(p, "user:u", "other", SEE);
	has(p, "user:u", "secret/a", 0);
	has(p, "user:u", "secret", 0);
	policy_destroy(p);
}

/* B-40. */
static void
older_policies_give_the_same_two_permissions(void **state)
{
	struct policy *p = read_text(
	    "{\"DefaultObservePolicy\":{\"AllowedObservers\":[\"**\"],"
	    "\"ReadWriteObservers\":[\"user:w\"]},"
	    "\"ObservePolicy\":{\"a\":{\"ReadWriteObservers\":[\"user:u\"]},"
	    "\"b\":{\"AllowedObservers\":[]}},"
	    "\"targets\":{\"new\":{\"allowances\":[{\"actions\":[\"control\"],"
	    "\"actors\":[\"user:u\"]}]}}}");

	(void)state;
	has(p, "user:u", "c", SEE);
	has(p, "user:w", "c", SEE | TYPE);
	has(p, "user:u", "a", TYPE); /* not observe */
	has(p, "user:w", "a", 0);    /* its own list, not the default */
	has(p, "user:w", "b", 0);
	has(p, "user:u", "new", 1u << OP_CONTROL); /* an explicit target */
	policy_destroy(p);
}

static void
the_home_has_rules_of_its_own(void **state)
{
	struct policy *p = read_text(
	    "{\"home\":{\"allowances\":[{\"actions\":[\"create\",\"admin\"],"
	    "\"actors\":[\"user:u\",\"user:v\"]}],\"denials\":[{\"actions\":["
	    "\"admin\"],\"actors\":[\"user:v\"]}]}}");

	(void)state;
	assert_int_equal(policy_home(p, "user:u"),
	    1u << OP_CREATE | 1u << OP_ADMIN);
	assert_int_equal(policy_home(p, "user:v"), 1u << OP_CREATE);
	assert_int_equal(policy_home(p, "user:w"), 0);
	has(p, "user:u", "a", 0);
	policy_destroy(p);
}

/* A mistake never gives a right, and the message says where it is. */
static void
a_mistake_is_found_and_named(void **state)
{
	static const struct {
		const char *text, *words;
	} wrong[] = {
		{ "", "" },
		{ "[]", "" },
		{ "{\"targets\":{}", "" },
		{ "{\"target\":{}}", "\"target\"" },
		{ "{\"targets\":[]}", "targets" },
		{ "{\"targets\":{\"a*\":{}}}", "a*" },
		{ "{\"targets\":{\"\":{}}}", "empty" },
		{ "{\"targets\":{\"a\":{\"allow\":[]}}}", "\"allow\"" },
		{ "{\"targets\":{\"a\":[]}}", "a must be an object" },
		{ "{\"targets\":{\"a\":{\"allowances\":{}}}}", "a" },
		{ "{\"targets\":{\"a\":{\"allowances\":[{}]}}}",
		    "a, allowance 1" },
		{ "{\"targets\":{\"a\":{\"allowances\":[{\"actions\":[],"
		  "\"actors\":[\"x\"]}]}}}",
		    "actions" },
		{ "{\"targets\":{\"a\":{\"allowances\":[{\"actions\":[\"all\"],"
		  "\"actors\":[\"x\"]}]}}}",
		    "\"all\" is no action" },
		{ "{\"targets\":{\"a\":{\"allowances\":[{\"actions\":[1],"
		  "\"actors\":[\"x\"]}]}}}",
		    "no text" },
		{ "{\"targets\":{\"a\":{\"allowances\":[{\"actions\":["
		  "\"observe\"]}]}}}",
		    "actors" },
		{ "{\"targets\":{\"a\":{\"denials\":[{\"actions\":[\"observe\"]"
		  ",\"actors\":[\"user:*\"]}]}}}",
		    "a, denial 1" },
		{ "{\"targets\":{\"a\":{\"allowances\":[{\"actions\":["
		  "\"observe\"],\"actors\":[\"x\"],\"until\":1}]}}}",
		    "until" },
		{ "{\"ObservePolicy\":{\"a\":{\"allowances\":[]}}}",
		    "allowances" },
		{ "{\"ObservePolicy\":{\"a\":{\"AllowedObservers\":\"x\"}}}",
		    "AllowedObservers" },
		{ "{\"ObservePolicy\":{\"a*\":{}}}", "a*" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct error err;

		err.msg[0] = '\0';
		if (policy_read(wrong[i].text, strlen(wrong[i].text), &err) !=
		    NULL)
			fail_msg("accepted: %s", wrong[i].text);
		if (strstr(err.msg, wrong[i].words) == NULL ||
		    err.msg[0] == '\0')
			fail_msg("%s: %s", wrong[i].text, err.msg);
	}
}

static void
the_number_of_rules_is_limited(void **state)
{
	struct error err;
	struct policy *p;
	struct buf b;

	(void)state;
	for (unsigned n = POLICY_RULES_MAX; n <= POLICY_RULES_MAX + 1; n++) {
		buf_init(&b, POLICY_MAX);
		(void)buf_puts(&b,
		    "{\"default\":{\"allowances\":[{\"actions\":[\"observe\"],"
		    "\"actors\":[");
		for (unsigned i = 0; i < n; i++)
			(void)buf_printf(&b, "%s\"user:u%u\"", i > 0 ? "," : "",
			    i);
		(void)buf_puts(&b, "]}]}}");
		p = policy_read((const char *)b.data, b.len, &err);
		assert_true((p != NULL) == (n == POLICY_RULES_MAX));
		if (p != NULL)
			has(p, "user:u4095", "a", SEE);
		policy_destroy(p);
		buf_finish(&b);
	}
	assert_null(policy_read("{}", POLICY_MAX + 1, &err));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_that_is_not_allowed_is_denied),
		cmocka_unit_test(no_action_includes_another),
		cmocka_unit_test(a_denial_wins_over_every_allowance),
		cmocka_unit_test(the_default_is_for_sessions_without_a_target),
		cmocka_unit_test(older_policies_give_the_same_two_permissions),
		cmocka_unit_test(the_home_has_rules_of_its_own),
		cmocka_unit_test(a_mistake_is_found_and_named),
		cmocka_unit_test(the_number_of_rules_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
