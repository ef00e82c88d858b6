#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "cmd/line/opt.h"

struct args {
	const char *size, *name;
	bool all;
	struct opt_list env;
};

struct common {
	bool help;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, size, "size", 's', "N", "how large"),
	OPT_VALUE(struct args, name, "name", 0, "NAME", "its name"),
	OPT_FLAG(struct args, all, "all", 'a', "everything"),
	OPT_LIST(struct args, env, "env", 'e', "K=V", "set a variable"),
	OPT_LIST(struct args, env, "unset", 0, "K", "unset one"),
	{ 0 },
};

static const struct opt common_options[] = {
	OPT_FLAG(struct common, help, "help", 'h', "explain"),
	{ 0 },
};

struct parsed {
	struct args args;
	struct common common;
	int result, argc, before_dashes;
	char *argv[8];
	struct error err;
};

/* Parse up to seven words; NULL ends them. */
static void
parse_with(struct parsed *p, unsigned flags, const char *const *words)
{
	const struct opt_set sets[] = {
		{ options, &p->args },
		{ common_options, &p->common },
		{ NULL, NULL },
	};

	*p = (struct parsed){ 0 };
	while (words[p->argc] != NULL) {
		p->argv[p->argc] = (char *)(uintptr_t)words[p->argc];
		p->argc++;
	}
	struct opt_words left = { p->argc, p->argv, 0 };
	p->result = opt_parse(sets, 3, flags, &left, &p->err);
	p->argc = left.argc;
	p->before_dashes = left.before_dashes;
}

static void
finish(struct parsed *p)
{
	const struct opt_set set = { options, &p->args };

	opt_finish(&set, 1);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define PARSE(p, ...) parse_with(p, 0, WORDS(__VA_ARGS__))
#define PARSE_STOP(p, ...) \
	parse_with(p, OPT_STOP_AT_OPERAND, WORDS(__VA_ARGS__))

static void
opt_takes_every_spelling(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "--size", "5", "--all");
	assert_int_equal(p.result, 0);
	assert_string_equal(p.args.size, "5");
	assert_true(p.args.all);
	assert_int_equal(p.before_dashes, -1);
	assert_false(p.common.help);
	PARSE(&p, "--size=5=6");
	assert_string_equal(p.args.size, "5=6");
	PARSE(&p, "--size=");
	assert_string_equal(p.args.size, "");
	PARSE(&p, "-as5");
	assert_true(p.args.all);
	assert_string_equal(p.args.size, "5");
	PARSE(&p, "-ahs", "7");
	assert_true(p.args.all && p.common.help);
	assert_string_equal(p.args.size, "7");
	PARSE(&p, "--size", "--all");
	assert_string_equal(p.args.size, "--all");
	assert_false(p.args.all);
}

static void
opt_leaves_the_operands(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "a", "--all", "-", "b", "--", "--size", "-a");
	assert_int_equal(p.result, 0);
	assert_int_equal(p.argc, 5);
	assert_int_equal(p.before_dashes, 3);
	assert_string_equal(p.argv[0], "a");
	assert_string_equal(p.argv[1], "-");
	assert_string_equal(p.argv[2], "b");
	assert_string_equal(p.argv[3], "--size");
	assert_string_equal(p.argv[4], "-a");
	assert_null(p.args.size);
}

static void
opt_uses_the_last_of_repeated_options(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "-s1", "--size", "2", "--size=3");
	assert_string_equal(p.args.size, "3");
}

static void
opt_keeps_all_of_a_list_in_order(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "-eA=1", "--unset", "B", "x", "--env=C=3");
	assert_int_equal(p.result, 0);
	assert_int_equal(p.args.env.n, 3);
	assert_string_equal(p.args.env.items[0].value, "A=1");
	assert_string_equal(p.args.env.items[0].opt->name, "env");
	assert_string_equal(p.args.env.items[1].value, "B");
	assert_string_equal(p.args.env.items[1].opt->name, "unset");
	assert_string_equal(p.args.env.items[2].value, "C=3");
	finish(&p);
	assert_null(p.args.env.items);
	assert_int_equal(p.args.env.n, 0);
	PARSE(&p, "-e", "A=1", "-e");
	assert_int_equal(p.result, -EINVAL);
	assert_string_equal(p.err.msg, "option --env needs a value: K=V");
	finish(&p);
}

static void
opt_stops_where_another_command_begins(void **state)
{
	struct parsed p;

	(void)state;
	PARSE_STOP(&p, "-a", "vim", "-R", "--", "--size");
	assert_int_equal(p.result, 0);
	assert_true(p.args.all);
	assert_int_equal(p.argc, 4);
	assert_string_equal(p.argv[1], "-R");
	assert_string_equal(p.argv[2], "--");
	PARSE_STOP(&p, "--", "-x", "-a");
	assert_int_equal(p.argc, 2);
	assert_string_equal(p.argv[0], "-x");
	assert_false(p.args.all);
}

static void
opt_names_the_error(void **state)
{
	struct parsed p;

	(void)state;
	PARSE(&p, "--siz", "5");
	assert_int_equal(p.result, -EINVAL);
	assert_string_equal(p.err.msg,
	    "unknown option --siz (did you mean --size?)");
	PARSE(&p, "--sizes=5");
	assert_string_equal(p.err.msg,
	    "unknown option --sizes (did you mean --size?)");
	PARSE(&p, "-ax");
	assert_string_equal(p.err.msg, "unknown option -x");
	PARSE(&p, "--all=yes");
	assert_string_equal(p.err.msg, "option --all takes no value");
	PARSE(&p, "x", "--name");
	assert_string_equal(p.err.msg, "option --name needs a value: NAME");
	PARSE(&p, "-as");
	assert_string_equal(p.err.msg, "option --size needs a value: N");
}

static void
opt_explains_each_option(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	opt_help(options, &out);
	opt_help(NULL, &out);
	auto_free char *text = buf_take(&out);
	assert_string_equal(text,
	    "  -s, --size N             how large\n"
	    "      --name NAME          its name\n"
	    "  -a, --all                everything\n"
	    "  -e, --env K=V            set a variable\n"
	    "      --unset K            unset one\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opt_takes_every_spelling),
		cmocka_unit_test(opt_leaves_the_operands),
		cmocka_unit_test(opt_uses_the_last_of_repeated_options),
		cmocka_unit_test(opt_keeps_all_of_a_list_in_order),
		cmocka_unit_test(opt_stops_where_another_command_begins),
		cmocka_unit_test(opt_names_the_error),
		cmocka_unit_test(opt_explains_each_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
