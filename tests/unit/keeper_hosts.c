#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "keep/ring.h"
#include "keeper/hosts.h"

/* A host that is a socket: the test sends and receives for it. */
struct fixture {
	struct hosts hosts;
	struct ring ring;
	int ring_fd, far;
};

static int
set_up(void **state)
{
	static struct fixture f;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
			     ends),
	    0);
	f.ring_fd = ring_create();
	assert_int_equal(ring_map(&f.ring, f.ring_fd), 0);
	hosts_init(&f.hosts, -1, 0);
	f.hosts.pid = getpid();
	f.hosts.control = ends[0];
	f.far = ends[1];
	*state = &f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	if (f->hosts.control >= 0)
		close(f->hosts.control);
	close(f->far);
	ring_unmap(&f->ring);
	close(f->ring_fd);
	return 0;
}

/* True if the keeper would wake up now. */
static bool
is_woken(const struct fixture *f)
{
	struct pollfd pfd = { f->hosts.control, hosts_wants(&f->hosts), 0 };

	return poll(&pfd, 1, 0) == 1;
}

/* The type of the next message to the host, or -errno. */
static int
hear(const struct fixture *f, struct control *c)
{
	int fd = -1, rc = control_receive(f->far, c, &fd);

	return rc == 1 ? (int)c->type : rc;
}

static void
say(const struct fixture *f, enum control_type type)
{
	struct control c = { .type = type };

	assert_int_equal(control_send(f->far, &c, -1), 0);
}

static void
a_message_is_sent_once_when_it_is_owed(void **state)
{
	struct fixture *f = *state;
	struct control c = { .type = CONTROL_EXIT }, in;

	hosts_pay(&f->hosts, &c, -1);
	assert_int_equal(hear(f, &in), -EAGAIN);
	hosts_owe(&f->hosts, CONTROL_EXIT);
	hosts_pay(&f->hosts, &c, -1);
	hosts_pay(&f->hosts, &c, -1);
	assert_int_equal(hear(f, &in), CONTROL_EXIT);
	assert_int_equal(hear(f, &in), -EAGAIN);
}

static void
a_message_that_does_not_fit_is_owed_until_it_does(void **state)
{
	struct fixture *f = *state;
	struct control other = { .type = CONTROL_STAY }, in;
	struct control c = { .type = CONTROL_EXIT };
	int told = 0, type;

	c.u.exit.offset = 77;
	while (control_send(f->hosts.control, &other, -1) == 0)
		told++;
	assert_true(told > 0);
	hosts_owe(&f->hosts, CONTROL_EXIT);
	hosts_pay(&f->hosts, &c, -1);
	assert_int_equal(f->hosts.owed, 1u << CONTROL_EXIT);
	assert_false(is_woken(f));
	for (; told > 0; told--)
		assert_int_equal(hear(f, &in), CONTROL_STAY);
	assert_int_equal(hear(f, &in), -EAGAIN);
	assert_true(is_woken(f));
	hosts_pay(&f->hosts, &c, -1);
	assert_false(is_woken(f));
	type = hear(f, &in);
	assert_int_equal(type, CONTROL_EXIT);
	assert_int_equal(in.u.exit.offset, 77);
	assert_int_equal(f->hosts.owed, 0);
}

static void
nothing_is_owed_to_a_host_that_has_ended(void **state)
{
	struct fixture *f = *state;

	hosts_owe(&f->hosts, CONTROL_EXIT);
	hosts_ended(&f->hosts, 0, &f->ring, 1000);
	assert_int_equal(f->hosts.owed, 0);
	hosts_owe(&f->hosts, CONTROL_EXIT);
	assert_int_equal(f->hosts.owed, 0);
}

static void
an_exit_without_done_is_a_crash(void **state)
{
	struct fixture *f = *state;

	hosts_ended(&f->hosts, 0, &f->ring, 1000);
	assert_int_equal(f->hosts.crashes, 1);
}

/* DONE may be the only message left in the socket when the end is seen. */
static void
a_host_that_was_done_has_not_crashed(void **state)
{
	struct fixture *f = *state;

	say(f, CONTROL_READY);
	say(f, CONTROL_DONE);
	hosts_ended(&f->hosts, 0, &f->ring, 1000);
	assert_true(f->hosts.done);
	assert_int_equal(f->hosts.crashes, 0);
	assert_int_equal(f->hosts.death[0].count, 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_is_sent_once_when_it_is_owed),
		TEST(a_message_that_does_not_fit_is_owed_until_it_does),
		TEST(nothing_is_owed_to_a_host_that_has_ended),
		TEST(an_exit_without_done_is_a_crash),
		TEST(a_host_that_was_done_has_not_crashed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
