#ifndef TEND_LOG_COMPRESS_H
#define TEND_LOG_COMPRESS_H

#include <stdint.h>

struct log_io;

/*
 * Put a compressed segment in the place of a sealed one.  At every moment one
 * of the two is whole and on the disk, and the old one goes only after the new
 * one has given every byte of it back, damaged or not.  *bytes becomes the size
 * of the new file.  0 or -errno; -EBADMSG when it has no valid header, -EILSEQ
 * when what was written is not what was read.
 */
int compress_segment(int dirfd, uint32_t number, const struct log_io *io,
    uint64_t *bytes);

/* What compressing a log has done. */
struct compress_result {
	unsigned segments;
	uint64_t before, after; /* bytes of these */
	unsigned failed;        /* that had to be left as they are */
};

/*
 * Compress what is left of a log that nobody writes any more, its last segment
 * included; those too small to gain from it are left.  -EBUSY when it is being
 * written.
 */
int compress_log(int dirfd, const struct log_io *io,
    struct compress_result *out);

#endif
