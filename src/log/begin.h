#ifndef TEND_LOG_BEGIN_H
#define TEND_LOG_BEGIN_H

#include "log/segment.h"

struct log_io;

/*
 * The file that says where a log begins, so that a reader can tell segments
 * that were trimmed from segments that are lost: docs/log-format.md, *Begin*.
 */
#define BEGIN_NAME "begin"

/* False: there is none that is valid, and nobody knows. */
bool begin_read(int dirfd, struct segment_header *out);

/* Written in its place, so that a full disk takes it once it is there. */
int begin_write(int dirfd, const struct log_io *io,
    const struct segment_header *h, bool sync);

#endif
