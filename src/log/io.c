#include "log/io.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static ssize_t
do_writev(void *arg, int fd, const struct iovec *iov, int n, off_t at)
{
	(void)arg;
	return pwritev(fd, iov, n, at);
}

static int
do_truncate(void *arg, int fd, off_t len)
{
	(void)arg;
	return ftruncate(fd, len);
}

static int
do_sync(void *arg, int fd)
{
	(void)arg;
	return fdatasync(fd);
}

static int
do_sync_dir(void *arg, int fd)
{
	(void)arg;
	return fsync(fd);
}

static int
do_rename(void *arg, int dirfd, const char *from, const char *to)
{
	(void)arg;
	return renameat(dirfd, from, dirfd, to);
}

const struct log_io log_io_system = {
	.writev = do_writev,
	.truncate = do_truncate,
	.sync = do_sync,
	.sync_dir = do_sync_dir,
	.rename = do_rename,
};

static void
consume(struct iovec **iov, int *n, size_t done)
{
	while (*n > 0 && done >= (*iov)->iov_len) {
		done -= (*iov)->iov_len;
		++*iov;
		--*n;
	}
	if (done > 0) {
		(*iov)->iov_base = (uint8_t *)(*iov)->iov_base + done;
		(*iov)->iov_len -= done;
	}
}

int
log_io_write(const struct log_io *io, int fd, struct iovec *iov, int n,
    off_t at)
{
	consume(&iov, &n, 0);
	while (n > 0) {
		ssize_t done = io->writev(io->arg, fd, iov, n, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		if (done == 0)
			return -EIO;
		at += done;
		consume(&iov, &n, (size_t)done);
	}
	return 0;
}
