#ifndef TEND_BASE_BASE64_H
#define TEND_BASE_BASE64_H

#include <stddef.h>
#include <sys/types.h>

struct buf;

/* Base 64 with the alphabet of RFC 4648, section 4. */
void base64_encode(struct buf *out, const void *p, size_t len);

/*
 * The bytes that len characters stand for, at most max of them.  Returns how
 * many; -EINVAL for anything that is no base 64, -E2BIG for more than max.  The
 * signs = at the end may be left out, but not half of them.
 */
ssize_t base64_decode(const char *p, size_t len, void *out, size_t max);

#endif
