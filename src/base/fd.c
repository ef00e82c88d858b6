#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

void
fd_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int
fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

int
fd_write_all(int fd, const void *p, size_t len)
{
	const uint8_t *next = p;

	while (len > 0) {
		ssize_t n = write(fd, next, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		next += n;
		len -= (size_t)n;
	}
	return 0;
}

void
fd_poke(int fd)
{
	uint64_t one = 1;
	ssize_t n;

	if (fd < 0)
		return;
	n = write(fd, &one, sizeof(one));
	(void)n;
}

int
fd_open_standard(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) < 0)
			return -errno;
	return 0;
}

bool
fd_is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM ||
	    error == ENOBUFS;
}
