#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"

#define CHUNK 16384

int
file_open(int dirfd, const char *name, struct stat *st)
{
	auto_close int fd = openat(dirfd, name,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, st) < 0)
		return -errno;
	return fd_take(&fd);
}

int
file_read(int fd, size_t max, struct buf *b)
{
	while (b->len <= max) {
		size_t left = max + 1 - b->len,
		       size = left < CHUNK ? left : CHUNK;
		uint8_t *room = buf_reserve(b, size);
		ssize_t n;

		assert(room != NULL);
		n = read(fd, room, size);
		if (n == 0)
			return 0;
		if (n > 0)
			buf_commit(b, (size_t)n);
		else if (errno != EINTR)
			return -errno;
	}
	return -EFBIG;
}
