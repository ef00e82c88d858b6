#ifndef TEND_BASE_CLOCK_H
#define TEND_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* A time that never comes, for deadlines that are not set. */
#define CLOCK_NEVER INT64_MAX

/* Nanoseconds and milliseconds of a clock. */
static inline int64_t
clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline int64_t
clock_ms(clockid_t id)
{
	return clock_ns(id) / 1000000;
}

/* A moment of the monotonic clock in ms, as condition variables want it. */
static inline struct timespec
clock_timespec(int64_t ms)
{
	return (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
}

#endif
