#ifndef TEND_LOG_IO_H
#define TEND_LOG_IO_H

#include <sys/types.h>
#include <sys/uio.h>

/*
 * The system calls that write the log: those that a full or failing disk makes
 * fail.  They return as the calls do, with errno set.  Tests replace them by
 * failing ones.
 */
struct log_io {
	ssize_t (*writev)(void *arg, int fd, const struct iovec *iov, int n,
	    off_t at);
	int (*truncate)(void *arg, int fd, off_t len);
	int (*sync)(void *arg, int fd); /* fdatasync */
	int (*sync_dir)(void *arg, int fd);
	int (*rename)(void *arg, int dirfd, const char *from, const char *to);
	void *arg;
};

extern const struct log_io log_io_system;

/* Write all of iov, in as many calls as needed; iov is changed. */
int log_io_write(const struct log_io *io, int fd, struct iovec *iov, int n,
    off_t at);

#endif
