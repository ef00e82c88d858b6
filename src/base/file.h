#ifndef TEND_BASE_FILE_H
#define TEND_BASE_FILE_H

#include <stddef.h>

struct buf;
struct stat;

/*
 * Open an untrusted file for reading: follows no link, and does not wait for
 * the other end of a FIFO.  Returns the descriptor, with its details in *st, or
 * a negative errno.  The caller checks the type of the file.
 */
int file_open(int dirfd, const char *name, struct stat *st);

/*
 * Read a file to its end into an empty buffer, which must have room for one
 * byte more than max.  0, a negative errno, or -EFBIG when it is longer.
 */
int file_read(int fd, size_t max, struct buf *b);

#endif
