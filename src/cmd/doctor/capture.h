#ifndef TEND_CMD_DOCTOR_CAPTURE_H
#define TEND_CMD_DOCTOR_CAPTURE_H

#include <stddef.h>

/*
 * The first line that another program prints, without its newline, as much as
 * fits.  It is found as a shell would, gets no input, and is killed after
 * limit_ms.  0, or -ENOENT when there is no such program, -ETIMEDOUT, -EIO when
 * it failed.
 */
int capture_line(char *const argv[], int limit_ms, char *out, size_t size);

#endif
