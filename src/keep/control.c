#include "keep/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
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
 * When the other side ends without having read all that it was sent, that is
 * told first, once; what it had to say comes after it all the same.
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

/*
 * The 22nd field; the second may hold anything, blanks and brackets too.  The
 * third is the state: one that has ended and was not waited for is gone.
 */
static uint64_t
start_field(const char *stat)
{
	const char *at = strrchr(stat, ')');

	if (at && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0))
		return 0;
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

uint64_t
process_start_time(pid_t pid)
{
	char path[64], stat[1024];
	auto_close int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, stat, sizeof(stat) - 1);
	if (n <= 0)
		return 0;
	stat[n] = '\0';
	return start_field(stat);
}
