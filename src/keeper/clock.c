#include "keeper/clock.h"

#include <time.h>

static uint64_t
now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int64_t
clock_ms(void)
{
	return (int64_t)(now_ns(CLOCK_MONOTONIC) / 1000000u);
}

uint64_t
clock_boot_ns(void)
{
	return now_ns(CLOCK_BOOTTIME);
}
