#ifndef TEND_LOG_COMPRESS_H
#define TEND_LOG_COMPRESS_H

#include <stdint.h>

struct log_io;

/*
 * Replace a sealed segment by a compressed one.  At every moment one of the
 * two is complete on the disk.  The old one is removed only after reading the
 * new one gave back every byte, damaged or not.  *bytes becomes the size of
 * the new file.  0 or -errno; -EBADMSG: no valid header; -EILSEQ: the new file
 * differs from the old one.
 */
int compress_segment(int dirfd, uint32_t number, const struct log_io *io,
    uint64_t *bytes);

/* The result of compressing a log. */
struct compress_result {
	unsigned segments;
	uint64_t before, after; /* bytes of these segments */
	unsigned failed;        /* left uncompressed */
};

/*
 * Compress the rest of a log that has no writer any more, its last segment
 * included.  Segments too small to gain are left.  -EBUSY: the log has a
 * writer.
 */
int compress_log(int dirfd, const struct log_io *io,
    struct compress_result *out);

#endif
