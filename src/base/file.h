#ifndef TEND_BASE_FILE_H
#define TEND_BASE_FILE_H

#include <stddef.h>

struct buf;
struct stat;

/*
 * Open a file to read it, whoever may have put it there: no link is followed,
 * and nothing waits for the other end of a FIFO.  The descriptor, with what it
 * is in *st, or a negative errno.  Whether it may be that, the caller says.
 */
int file_open(int dirfd, const char *name, struct stat *st);

/*
 * Read a file to its end into an empty buffer, which must have room for one
 * byte more than max.  0, a negative errno, or -EFBIG when it is longer.
 */
int file_read(int fd, size_t max, struct buf *b);

#endif
