#ifndef TEND_LOG_COMPRESS_H
#define TEND_LOG_COMPRESS_H

#include <stdint.h>

struct log_io;

/*
 * Put a compressed segment in the place of a sealed one.  At every moment one
 * of the two is whole and on the disk.  *bytes becomes the size of the new
 * file.  0 or -errno; -EBADMSG when it has no valid header.
 */
int compress_segment(int dirfd, uint32_t number, const struct log_io *io,
    uint64_t *bytes);

#endif
