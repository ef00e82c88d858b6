#include "log/begin.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "log/io.h"

/* A writer may be between the two copies: use the later one. */
bool
begin_read(int dirfd, struct segment_header *out)
{
	uint8_t file[SEGMENT_RECORDS] = { 0 };
	struct segment_header h;
	auto_close int fd = openat(dirfd, BEGIN_NAME,
	    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool found = false;

	if (fd < 0 || pread(fd, file, sizeof(file), 0) < 0)
		return false;
	for (size_t at = 0; at < sizeof(file); at += SEGMENT_HEADER) {
		if (!segment_get_one_header(file + at, &h) ||
		    (found && h.first_seq < out->first_seq))
			continue;
		*out = h;
		found = true;
	}
	return found;
}

int
begin_write(int dirfd, const struct log_io *io, const struct segment_header *h,
    bool sync)
{
	uint8_t file[SEGMENT_RECORDS];
	auto_close int fd = openat(dirfd, BEGIN_NAME,
	    O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int rc = fd < 0 ? -errno : 0;

	segment_put_header(file, h);
	for (size_t at = 0; at < sizeof(file) && rc == 0; at += SEGMENT_HEADER)
		rc = log_io_write(io, fd,
		    &(struct iovec){ file + at, SEGMENT_HEADER }, 1, (off_t)at);
	if (rc == 0 && sync && io->sync(io->arg, fd) < 0)
		rc = -errno;
	return rc;
}
