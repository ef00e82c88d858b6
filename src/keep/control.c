#include "keep/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"

/* Room for one descriptor beside a message, aligned as the kernel wants it. */
union ancillary {
	struct cmsghdr head;
	char space[CMSG_SPACE(sizeof(int))];
};

int
control_send(int sock, const struct control *c, int fd)
{
	struct control out = *c;
	struct iovec iov = { &out, sizeof(out) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union ancillary with = { 0 };

	out.size = sizeof(out);
	if (fd >= 0) {
		with.head.cmsg_level = SOL_SOCKET;
		with.head.cmsg_type = SCM_RIGHTS;
		with.head.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&with.head), &fd, sizeof(fd));
		msg.msg_control = &with;
		msg.msg_controllen = sizeof(with.space);
	}
	if (sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -errno;
	return 0;
}

static int
received_fd(struct msghdr *msg)
{
	struct cmsghdr *h = CMSG_FIRSTHDR(msg);
	int fd;

	if (!h || h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS ||
	    h->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(h), sizeof(fd));
	return fd;
}

/*
 * If the other side ends before it has read everything, the kernel reports that
 * first, once; the messages it had sent still follow.
 */
static ssize_t
receive(int sock, struct msghdr *msg)
{
	const int how = MSG_DONTWAIT | MSG_CMSG_CLOEXEC | MSG_TRUNC;
	ssize_t n = recvmsg(sock, msg, how);

	return n < 0 && errno == ECONNRESET ? recvmsg(sock, msg, how) : n;
}

int
control_receive(int sock, struct control *c, int *fd)
{
	struct control in = { 0 };
	struct iovec iov = { &in, sizeof(in) };
	union ancillary with;
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &with,
		.msg_controllen = CMSG_LEN(sizeof(int)), /* no second one */
	};
	auto_close int came = -1;
	ssize_t n = receive(sock, &msg);

	if (n < 0 && errno != ECONNRESET)
		return -errno;
	if (n <= 0)
		return 0;
	came = received_fd(&msg);
	if ((size_t)n < offsetof(struct control, u) || in.size != (size_t)n)
		return -EPROTO;
	*c = in;
	*fd = fd_take(&came);
	return 1;
}

/* Read the stat line of a process from /proc, or false. */
static bool
read_stat(pid_t pid, char *stat, size_t size)
{
	auto_close int fd = -1;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, stat, size - 1);
	if (n <= 0)
		return false;
	stat[n] = '\0';
	return true;
}

/* The second field may hold anything, blanks and brackets too. */
static bool
has_ended(const char *stat)
{
	const char *at = strrchr(stat, ')');

	return at != NULL &&
	    (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0);
}

/* A field that is a number; they count from 1. */
static uint64_t
number_field(const char *stat, int number)
{
	const char *at = strrchr(stat, ')');

	for (int field = 2; at && field < number; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

/* One that has ended and was not waited for is gone. */
static uint64_t
start_field(const char *stat)
{
	return has_ended(stat) ? 0 : number_field(stat, 22);
}

uint64_t
process_start_time(pid_t pid)
{
	char stat[1024];

	return read_stat(pid, stat, sizeof(stat)) ? start_field(stat) : 0;
}

bool
process_see(pid_t pid, struct process_seen *out)
{
	char stat[1024];
	const char *name, *end;
	size_t len;

	if (!read_stat(pid, stat, sizeof(stat)) || has_ended(stat))
		return false;
	name = strchr(stat, '(');
	end = strrchr(stat, ')');
	if (name == NULL || end == NULL || end <= name)
		return false;
	*out = (struct process_seen){ .pid = pid,
		.parent = (pid_t)number_field(stat, 4),
		.start = number_field(stat, 22) };
	len = (size_t)(end - name - 1);
	memcpy(out->name, name + 1,
	    len < sizeof(out->name) ? len : sizeof(out->name) - 1);
	return true;
}

/* proc(5): what it does, and the signals that it has not got yet. */
#define FLAGS_FIELD 9
#define FLAG_EXITING 4u
#define PENDING_FIELD 31
#define PENDING_KILL (1u << (SIGKILL - 1))

enum process_end
process_end(pid_t pid)
{
	char stat[1024];

	if (!read_stat(pid, stat, sizeof(stat)))
		return PROCESS_LIVES;
	if (has_ended(stat))
		return PROCESS_GHOST;
	if (number_field(stat, FLAGS_FIELD) & FLAG_EXITING ||
	    number_field(stat, PENDING_FIELD) & PENDING_KILL)
		return PROCESS_DIES;
	return PROCESS_LIVES;
}
