#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keep/control.h"

struct pair {
	int ours, theirs;
};

static int
set_up(void **state)
{
	static struct pair p;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
			     ends),
	    0);
	p = (struct pair){ ends[0], ends[1] };
	*state = &p;
	return 0;
}

static int
tear_down(void **state)
{
	struct pair *p = *state;

	close(p->ours);
	if (p->theirs >= 0)
		close(p->theirs);
	return 0;
}

static void
control_carries_a_message(void **state)
{
	struct pair *p = *state;
	struct control in = { 0 }, out = { .type = CONTROL_EXIT };
	int fd = 99;

	out.u.exit.status = 0x700;
	out.u.exit.offset = 1ull << 40;
	assert_int_equal(control_send(p->ours, &out, -1), 0);
	assert_int_equal(control_receive(p->theirs, &in, &fd), 1);
	assert_int_equal(in.type, CONTROL_EXIT);
	assert_int_equal(in.size, sizeof(in));
	assert_int_equal(in.u.exit.status, 0x700);
	assert_true(in.u.exit.offset == 1ull << 40);
	assert_int_equal(fd, -1);
}

static void
control_carries_a_descriptor(void **state)
{
	struct pair *p = *state;
	struct control in, out = { .type = CONTROL_LISTENING };
	struct stat sent, came;
	int null = open("/dev/null", O_RDWR), fd;

	assert_int_equal(control_send(p->ours, &out, null), 0);
	assert_int_equal(control_receive(p->theirs, &in, &fd), 1);
	assert_int_equal(in.type, CONTROL_LISTENING);
	assert_true(fd >= 0 && fd != null);
	assert_int_equal(fstat(null, &sent), 0);
	assert_int_equal(fstat(fd, &came), 0);
	assert_int_equal(sent.st_rdev, came.st_rdev);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
	close(null);
}

static void
control_distinguishes_no_message_from_a_closed_end(void **state)
{
	struct pair *p = *state;
	struct control in, out = { .type = CONTROL_READY };
	int fd;

	assert_int_equal(control_receive(p->ours, &in, &fd), -EAGAIN);
	close(p->theirs);
	p->theirs = -1;
	assert_int_equal(control_receive(p->ours, &in, &fd), 0);
	assert_int_equal(control_send(p->ours, &out, -1), -EPIPE);
}

static void
control_reports_the_end_when_the_peer_left_messages_unread(void **state)
{
	struct pair *p = *state;
	struct control in, out = { .type = CONTROL_READY };
	int fd;

	assert_int_equal(control_send(p->ours, &out, -1), 0);
	close(p->theirs);
	p->theirs = -1;
	assert_int_equal(control_receive(p->ours, &in, &fd), 0);
}

static void
control_reads_the_last_messages_of_a_closed_peer(void **state)
{
	struct pair *p = *state;
	struct control in, out = { .type = CONTROL_READY };
	int fd;

	assert_int_equal(control_send(p->ours, &out, -1), 0);
	out.type = CONTROL_FAILED;
	assert_int_equal(control_send(p->theirs, &out, -1), 0);
	close(p->theirs);
	p->theirs = -1;
	assert_int_equal(control_receive(p->ours, &in, &fd), 1);
	assert_int_equal(in.type, CONTROL_FAILED);
	assert_int_equal(control_receive(p->ours, &in, &fd), 0);
}

static void
control_reads_the_short_message_of_an_older_sender(void **state)
{
	struct pair *p = *state;
	uint32_t old[3] = { CONTROL_EXIT, sizeof(old), 0x100 };
	struct control in;
	int fd;

	memset(&in, 0xff, sizeof(in));
	assert_int_equal(write(p->ours, old, sizeof(old)), sizeof(old));
	assert_int_equal(control_receive(p->theirs, &in, &fd), 1);
	assert_int_equal(in.u.exit.status, 0x100);
	assert_int_equal(in.u.exit.offset, 0);
	assert_int_equal(in.u.exit.time_ns, 0);
}

static void
control_reads_the_long_message_of_a_newer_sender(void **state)
{
	struct pair *p = *state;
	struct {
		struct control known;
		char more[100];
	} new = { .known = { .type = CONTROL_LINGER, .size = sizeof(new) } };
	struct control in, next = { .type = CONTROL_ACK };
	int fd;

	new.known.u.linger.ms = 5;
	assert_int_equal(write(p->ours, &new, sizeof(new)), sizeof(new));
	assert_int_equal(control_send(p->ours, &next, -1), 0);
	assert_int_equal(control_receive(p->theirs, &in, &fd), 1);
	assert_int_equal(in.u.linger.ms, 5);
	assert_int_equal(control_receive(p->theirs, &in, &fd), 1);
	assert_int_equal(in.type, CONTROL_ACK);
}

static void
control_refuses_a_message_of_the_wrong_length(void **state)
{
	struct pair *p = *state;
	uint32_t bad[] = { CONTROL_ACK, 100, 0 };
	struct control in;
	int fd = -7;

	assert_int_equal(write(p->ours, bad, sizeof(bad)), sizeof(bad));
	assert_int_equal(control_receive(p->theirs, &in, &fd), -EPROTO);
	assert_int_equal(write(p->ours, bad, 4), 4);
	assert_int_equal(control_receive(p->theirs, &in, &fd), -EPROTO);
	assert_int_equal(fd, -7);
}

/* The same descriptor twice beside one message, which tend never sends. */
static void
send_twice(int sock, int fd)
{
	struct control out = { .type = CONTROL_LISTENING, .size = sizeof(out) };
	struct iovec iov = { &out, sizeof(out) };
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(2 * sizeof(int))];
	} with = { .head = { .cmsg_level = SOL_SOCKET,
		       .cmsg_type = SCM_RIGHTS,
		       .cmsg_len = CMSG_LEN(2 * sizeof(int)) } };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &with,
		.msg_controllen = sizeof(with.space) };
	int two[] = { fd, fd };

	memcpy(CMSG_DATA(&with.head), two, sizeof(two));
	assert_int_equal(sendmsg(sock, &msg, 0), sizeof(out));
}

static void
control_takes_no_more_than_one_descriptor(void **state)
{
	struct pair *p = *state;
	struct control in;
	int fd, before, after;

	send_twice(p->ours, p->ours);
	before = dup(0);
	close(before);
	assert_int_equal(control_receive(p->theirs, &in, &fd), 1);
	if (fd >= 0)
		close(fd);
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

static void
process_start_time_distinguishes_processes(void **state)
{
	uint64_t own = process_start_time(getpid());

	(void)state;
	assert_true(own > 0);
	assert_true(own == process_start_time(getpid()));
	assert_true(process_start_time(1) <= own);
	assert_true(process_start_time(0x7fffffff) == 0);
}

static void
process_start_time_is_not_misled_by_a_name(void **state)
{
	char name[16];
	uint64_t before = process_start_time(getpid());

	(void)state;
	assert_int_equal(prctl(PR_GET_NAME, name), 0);
	assert_int_equal(prctl(PR_SET_NAME, "a) S 1 (b) 2"), 0);
	assert_true(process_start_time(getpid()) == before);
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
}

#define PAIR_TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(control_carries_a_message),
		PAIR_TEST(control_carries_a_descriptor),
		PAIR_TEST(control_distinguishes_no_message_from_a_closed_end),
		PAIR_TEST(
		    control_reports_the_end_when_the_peer_left_messages_unread),
		PAIR_TEST(control_reads_the_last_messages_of_a_closed_peer),
		PAIR_TEST(control_reads_the_short_message_of_an_older_sender),
		PAIR_TEST(control_reads_the_long_message_of_a_newer_sender),
		PAIR_TEST(control_refuses_a_message_of_the_wrong_length),
		PAIR_TEST(control_takes_no_more_than_one_descriptor),
		cmocka_unit_test(process_start_time_distinguishes_processes),
		cmocka_unit_test(process_start_time_is_not_misled_by_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
