#ifndef TEND_CMD_DOCTOR_CAPTURE_H
#define TEND_CMD_DOCTOR_CAPTURE_H

#include <stddef.h>

/*
 * Run a program and return the first line that it prints, without the newline
 * and cut to `size`.  The program is found in PATH, gets no input, and is
 * killed after limit_ms.  Returns 0, -ENOENT if the program does not exist,
 * -ETIMEDOUT, or -EIO if it failed.
 */
int capture_line(char *const argv[], int limit_ms, char *out, size_t size);

#endif
