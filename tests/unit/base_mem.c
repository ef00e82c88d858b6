#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

/*
 * Run fn in a process of its own, without its output; return its wait status.
 */
static int
ending_of(void (*fn)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		close(STDERR_FILENO);
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void
ask_for_a_product_that_overflows(void)
{
	size_t half = SIZE_MAX / 2;
	void *volatile p = xrealloc(NULL, half, 4);

	free(p);
}

static void
xrealloc_aborts_when_the_product_overflows(void **state)
{
	int status = ending_of(ask_for_a_product_that_overflows);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void
xrealloc_keeps_the_old_bytes(void **state)
{
	int *p = xrealloc(NULL, 2, sizeof(*p));

	(void)state;
	p[0] = 7;
	p[1] = 8;
	p = xrealloc(p, 1000, sizeof(*p));
	assert_int_equal(p[0], 7);
	assert_int_equal(p[1], 8);
	free(p);
}

static void
an_allocation_of_zero_bytes_can_be_freed(void **state)
{
	void *a = xmalloc(0), *b = xcalloc(0, 8), *c = xrealloc(NULL, 0, 8);
	void *d = xmemdup(NULL, 0);

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	assert_non_null(c);
	assert_non_null(d);
	free(a);
	free(b);
	free(c);
	free(d);
}

static void
xcalloc_gives_zeroes(void **state)
{
	auto_free char *p = xcalloc(100, 10);
	char zero[1000] = { 0 };

	(void)state;
	assert_memory_equal(p, zero, sizeof(zero));
}

static void
copies_are_equal_and_apart(void **state)
{
	char text[] = "abc";
	auto_free char *s = xstrdup(text);
	auto_free char *m = xmemdup(text, 2);

	(void)state;
	text[0] = 'x';
	assert_string_equal(s, "abc");
	assert_memory_equal(m, "ab", 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xrealloc_aborts_when_the_product_overflows),
		cmocka_unit_test(xrealloc_keeps_the_old_bytes),
		cmocka_unit_test(an_allocation_of_zero_bytes_can_be_freed),
		cmocka_unit_test(xcalloc_gives_zeroes),
		cmocka_unit_test(copies_are_equal_and_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
