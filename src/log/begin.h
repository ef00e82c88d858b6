#ifndef TEND_LOG_BEGIN_H
#define TEND_LOG_BEGIN_H

#include "log/segment.h"

struct log_io;

/*
 * The file `begin` records where a log begins, so that a reader can tell
 * trimmed segments from lost ones: docs/log-format.md, *Begin*.
 */
#define BEGIN_NAME "begin"

/* False: there is no valid file, so the beginning is unknown. */
bool begin_read(int dirfd, struct segment_header *out);

/*
 * Overwrites the file in place, so that this works on a full disk once the
 * file exists.
 */
int begin_write(int dirfd, const struct log_io *io,
    const struct segment_header *h, bool sync);

#endif
