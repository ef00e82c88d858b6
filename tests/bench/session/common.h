#ifndef TEND_TESTS_BENCH_COMMON_H
#define TEND_TESTS_BENCH_COMMON_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Helpers for both sides of a measurement. */

static inline void
die(const char *what)
{
	perror(what);
	exit(1);
}

static inline long long
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static inline void
write_all(int fd, const void *p, size_t len)
{
	const char *c = p;

	while (len > 0) {
		ssize_t n = write(fd, c, len);

		if (n < 0 && errno != EAGAIN)
			die("write");
		if (n > 0) {
			c += n;
			len -= (size_t)n;
		}
	}
}

#endif
