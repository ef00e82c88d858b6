#ifndef TEND_BASE_FD_H
#define TEND_BASE_FD_H

#include <stdbool.h>
#include <stddef.h>

/* Close *fd unless it is negative, and make it -1.  errno is kept. */
void fd_close(int *fd);

/* Hand the descriptor over: return it and make *fd -1. */
int fd_take(int *fd);

/*
 * Write all len bytes, however many calls that takes.  0 or a negative errno;
 * on failure some of the bytes may have been written.
 */
int fd_write_all(int fd, const void *p, size_t len);

/*
 * Make an eventfd readable that does not block.  One that is full is readable
 * already, and one that is negative is none: there is nothing to fail.
 */
void fd_poke(int fd);

/*
 * Open what is closed of standard input, output and error, so that no other
 * file gets its number.  Reading and writing them still fails with EBADF.
 * 0 or a negative errno.
 */
int fd_open_standard(void);

/*
 * True if accept(2) failed for want of something: the client waits on, and so
 * its socket stays readable.  Do not watch it for a while.
 */
bool fd_is_shortage(int error);

/* A local descriptor that is closed on every way out of its scope. */
#define auto_close __attribute__((cleanup(fd_close)))

#endif
