#include "unit.h"

#include <fcntl.h>
#include <pty.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "host/input/witness.h"

struct terminal {
	int master, slave;
};

static struct terminal
open_terminal(tcflag_t without)
{
	struct terminal t;
	struct termios how;

	assert_int_equal(openpty(&t.master, &t.slave, NULL, NULL, NULL), 0);
	assert_int_equal(tcgetattr(t.slave, &how), 0);
	how.c_lflag &= ~without;
	assert_int_equal(tcsetattr(t.slave, TCSANOW, &how), 0);
	return t;
}

static void
close_terminal(struct terminal *t)
{
	close(t->master);
	if (t->slave >= 0)
		close(t->slave);
}

/* Type the text, and wait until it has arrived. */
static void
type(struct terminal *t, struct witness *w, const char *text)
{
	size_t len = strlen(text);

	if (w != NULL)
		witness_type(w, text, len);
	assert_int_equal(write(t->master, text, len), len);
	if (w != NULL)
		witness_typed(w, 0);
}

static void
read_all(struct terminal *t)
{
	char bytes[64];

	assert_true(read(t->slave, bytes, sizeof(bytes)) > 0);
}

static void
bytes_count_as_unread_until_the_program_reads_them(void **state)
{
	static const tcflag_t modes[] = { 0, ECHO, ICANON, ICANON | ECHO };

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		struct terminal t = open_terminal(modes[i]);

		assert_int_equal(tty_unread(t.master), 0);
		type(&t, NULL, "hello\r");
		assert_int_equal(tty_unread(t.master), 6);
		read_all(&t);
		assert_int_equal(tty_unread(t.master), 0);
		close_terminal(&t);
	}
}

static void
a_terminal_without_a_program_proves_nothing(void **state)
{
	struct terminal t = open_terminal(0);

	(void)state;
	close(t.slave);
	t.slave = -1;
	assert_true(tty_unread(t.master) < 0);
	close_terminal(&t);
}

static void
a_file_that_is_not_a_terminal_proves_nothing(void **state)
{
	struct witness w;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_true(tty_unread(fd) < 0);
	witness_begin(&w, fd, 0);
	witness_type(&w, "a\r", 2);
	witness_look(&w, 0, 0, 0);
	assert_false(witness_is_known(&w));
	assert_false(witness_has_read(&w));
	close(fd);
}

static void
an_unfinished_line_proves_nothing(void **state)
{
	struct terminal t = open_terminal(0);
	struct termios how;
	struct witness w;

	(void)state;
	assert_int_equal(tcgetattr(t.slave, &how), 0);
	how.c_iflag &= ~(tcflag_t)ICRNL;
	assert_int_equal(tcsetattr(t.slave, TCSANOW, &how), 0);
	witness_begin(&w, t.master, 0);
	type(&t, &w, "hello\r");
	assert_int_equal(tty_unread(t.master), 0);
	witness_look(&w, 0, 0, 0);
	assert_false(witness_is_known(&w));
	close_terminal(&t);
}

static void
an_echo_is_not_an_answer(void **state)
{
	struct terminal t = open_terminal(0);
	struct witness w;

	(void)state;
	witness_begin(&w, t.master, 100);
	type(&t, &w, "hello");
	type(&t, &w, "\r");
	assert_false(witness_has_answered(&w, 100));
	assert_false(witness_has_answered(&w, 107));
	assert_true(witness_has_answered(&w, 108));
	close_terminal(&t);
}

static void
without_an_echo_each_byte_is_an_answer(void **state)
{
	struct terminal t = open_terminal(ICANON | ECHO);
	struct witness w;

	(void)state;
	witness_begin(&w, t.master, 100);
	type(&t, &w, "hello\r");
	assert_false(witness_has_answered(&w, 100));
	assert_true(witness_has_answered(&w, 101));
	close_terminal(&t);
}

static void
output_before_the_read_is_not_an_answer(void **state)
{
	struct terminal t = open_terminal(ICANON | ECHO);
	struct witness w;

	(void)state;
	witness_begin(&w, t.master, 100);
	type(&t, &w, "hello\r");
	witness_look(&w, 150, 0, 0);
	assert_int_equal(w.unread, 6);
	assert_false(witness_has_read(&w));
	read_all(&t);
	witness_look(&w, 150, 0, 0);
	assert_true(witness_has_read(&w));
	assert_false(witness_has_answered(&w, 150));
	assert_true(witness_has_answered(&w, 151));
	close_terminal(&t);
}

/* Wait until the kernel counts n bytes, which takes some time. */
static void
wait_for_count(struct terminal *t, int64_t n)
{
	int tries = 0;

	while (tty_unread(t->master) != n && tries++ < 10000)
		usleep(1000);
	assert_int_equal(tty_unread(t->master), n);
}

/*
 * The terminal has answered a later query, and the program has not read the
 * answer.
 */
static void
answers_of_the_terminal_do_not_count_as_typed(void **state)
{
	struct terminal t = open_terminal(ICANON | ECHO);
	struct witness w;

	(void)state;
	witness_begin(&w, t.master, 100);
	type(&t, &w, "hello\r");
	type(&t, NULL, "\033[1;1R");
	wait_for_count(&t, 12);
	witness_look(&w, 150, 6, 0);
	assert_int_equal(w.unread, 6);
	assert_false(w.doubtful);
	read_all(&t);
	type(&t, NULL, "\033[1;1R");
	wait_for_count(&t, 6);
	witness_look(&w, 150, 12, WITNESS_ARRIVES_MS);
	assert_true(witness_has_read(&w));
	close_terminal(&t);
}

/*
 * The kernel takes time to count an answer, and does not report that while
 * there are typed bytes.
 */
static void
an_uncounted_answer_hides_no_typed_byte(void **state)
{
	struct terminal t = open_terminal(ICANON | ECHO);
	struct witness w;

	(void)state;
	for (int round = 0; round < 500; round++) {
		witness_begin(&w, t.master, 100);
		type(&t, &w, "hello\r");
		wait_for_count(&t, 6);
		type(&t, NULL, "\033[1;1R");
		witness_look(&w, 150, 6, 0);
		assert_int_equal(w.unread, 6);
		wait_for_count(&t, 12);
		witness_look(&w, 150, 6, WITNESS_ARRIVES_MS);
		assert_int_equal(w.unread, 6);
		assert_false(w.doubtful);
		read_all(&t);
		wait_for_count(&t, 0);
	}
	close_terminal(&t);
}

/*
 * The program has read the text and shown more, but has not read the answer.
 */
static void
a_doubt_ends_after_the_arrival_time(void **state)
{
	struct terminal t = open_terminal(ICANON | ECHO);
	struct witness w;

	(void)state;
	witness_begin(&w, t.master, 100);
	type(&t, &w, "hello\r");
	wait_for_count(&t, 6);
	read_all(&t);
	type(&t, NULL, "\033[1;1R");
	wait_for_count(&t, 6);
	witness_look(&w, 150, 6, 1000);
	assert_int_equal(w.unread, 6);
	assert_true(w.doubtful);
	witness_look(&w, 150, 6, 1000 + WITNESS_ARRIVES_MS - 1);
	assert_true(w.doubtful);
	witness_look(&w, 150, 6, 1000 + WITNESS_ARRIVES_MS);
	assert_true(witness_has_read(&w));
	assert_false(w.doubtful);
	assert_true(witness_has_answered(&w, 150));
	close_terminal(&t);
}

static void
a_canonical_terminal_does_not_count_answers(void **state)
{
	struct terminal t = open_terminal(0);
	struct witness w;

	(void)state;
	witness_begin(&w, t.master, 100);
	type(&t, &w, "hello\r");
	type(&t, NULL, "\033[1;1R");
	witness_look(&w, 150, 6, 0);
	assert_int_equal(w.unread, 6);
	close_terminal(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    bytes_count_as_unread_until_the_program_reads_them),
		cmocka_unit_test(a_terminal_without_a_program_proves_nothing),
		cmocka_unit_test(a_file_that_is_not_a_terminal_proves_nothing),
		cmocka_unit_test(an_unfinished_line_proves_nothing),
		cmocka_unit_test(an_echo_is_not_an_answer),
		cmocka_unit_test(without_an_echo_each_byte_is_an_answer),
		cmocka_unit_test(output_before_the_read_is_not_an_answer),
		cmocka_unit_test(answers_of_the_terminal_do_not_count_as_typed),
		cmocka_unit_test(an_uncounted_answer_hides_no_typed_byte),
		cmocka_unit_test(a_doubt_ends_after_the_arrival_time),
		cmocka_unit_test(a_canonical_terminal_does_not_count_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
