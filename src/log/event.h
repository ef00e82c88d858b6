#ifndef TEND_LOG_EVENT_H
#define TEND_LOG_EVENT_H

#include <stddef.h>
#include <stdint.h>

/*
 * An event to be logged.  Its payload may be in two pieces, the second of them
 * in the ring; neither is copied.
 */
struct log_event {
	uint8_t type;
	uint8_t flags;
	uint64_t seq;
	uint64_t time_ns;
	const void *p1; /* OUTPUT: unused, offset is the prefix */
	size_t len1;
	const void *p2;
	size_t len2;
	uint64_t offset; /* OUTPUT only: of the first byte of p2 */
};

#endif
