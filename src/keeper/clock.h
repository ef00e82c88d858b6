#ifndef TEND_KEEPER_CLOCK_H
#define TEND_KEEPER_CLOCK_H

#include <stdint.h>

/* A time that never comes, for deadlines that are not set. */
#define CLOCK_NEVER INT64_MAX

/* CLOCK_MONOTONIC in milliseconds: what deadlines are made of. */
int64_t clock_ms(void);

/* CLOCK_BOOTTIME in nanoseconds: what hosts are told. */
uint64_t clock_boot_ns(void);

#endif
