/*
 * Writes docs/operations.md from the table of operations.  `./dev build` runs
 * it, and a test compares what it writes with the file in the tree.
 */
#include <ctype.h>
#include <stdio.h>

#include "op/failure.h"
#include "op/ops.h"

static const char preamble[] =
    "# Operations\n"
    "\n"
    "What a session, or a home, can be asked to do. This page is made from\n"
    "`src/op/ops.def` by `./dev build`: change it there. How a request and its\n"
    "answer travel is in [protocol.md](protocol.md).\n"
    "\n"
    "An argument in brackets may be left out. An unknown argument, or one that is\n"
    "not as the page says, is refused with `usage` and named, and nothing is done.\n"
    "\n"
    "A duration is a string with a unit, as in `\"500ms\"`, `\"5s\"`, `\"1.5m\"`,\n"
    "`\"2h\"` or `\"7d\"`, or a number of milliseconds. `timeout_ms` is another name\n"
    "of `timeout`, and so with the others: give one of the two.\n";

static void
put_permissions(void)
{
	fputs("\n| permission | lets its holder |\n|---|---|\n", stdout);
	for (unsigned p = 0; p < OP_PERMISSIONS; p++)
		printf("| %s | %s |\n", op_permission_name(p),
		    op_permission_text(p));
}

static void
put_arguments(const struct op *op)
{
	const char *at = op->arguments;
	char words[OP_WORDS_SIZE];
	struct op_argument a;

	if (at[0] == '\0')
		printf("none");
	for (int n = 0; op_next_argument(&at, &a); n++) {
		op_argument_words(&a, words);
		printf(a.optional ? "%s[`%s`: %s]" : "%s`%s`: %s",
		    n > 0 ? ", " : "", a.name, words);
	}
}

static void
put_op(const struct op *op)
{
	printf("\n## %s\n\n%c%s.\n\n| | |\n|---|---|\n", op->name,
	    toupper((unsigned char)op->summary[0]), op->summary + 1);
	printf("| permission | %s |\n| arguments | ",
	    op_permission_name(op->permission));
	put_arguments(op);
	printf(" |\n| result | %s |\n", op->result);
	if (op->exclusion != NULL)
		printf("| %s | %s |\n",
		    op->surfaces & OP_MCP ? "not over a session's socket" :
					    "not as an MCP tool",
		    op->exclusion);
}

static void
put_failures(void)
{
	fputs(
	    "\n"
	    "A failed request has an error with one of these codes. A command that\n"
	    "fails ends with the exit status. A retryable request may succeed later.\n"
	    "\n"
	    "| code | exit status | retryable | meaning |\n"
	    "|---|---|---|---|\n",
	    stdout);
	for (unsigned f = 0; f < FAIL_COUNT; f++)
		printf("| `%s` | %d | %s | %s |\n", failure_code(f),
		    failure_status(f), failure_is_retryable(f) ? "yes" : "no",
		    failure_text(f));
}

int
main(void)
{
	fputs(preamble, stdout);
	put_permissions();
	put_failures();
	for (size_t i = 0; i < OP_COUNT; i++)
		put_op(&ops[i]);
	return 0;
}
